import type { Answer, QueryOptions, Search } from "./api.js";
import { NearfindError } from "./errors.js";
import type { Source } from "./source.js";
import type { SearchModule, WasmModules } from "./wasm_modules.js";

type Searcher = InstanceType<SearchModule["BundleSearcher"]>;

/** A block that the engine asks for. */
interface NeededBlock {
  part: string;
  block: number;
  file: string;
  start: number;
  bytes: number;
}

interface Encoder {
  encode(text: string): Float32Array;
  free(): void;
}

interface ManifestModel {
  name: string;
  hash: string;
  file?: { file: string; bytes: number };
}

/** Reads a model pack. */
export type ModelReader = (onProgress?: (read: number, total: number) => void) => Promise<Uint8Array>;

/**
 * Runs the WASM modules over a {@link Source}: brings the bytes that the searcher names. It ranks nothing.
 * The same code in a worker and in Node.
 */
export class Engine implements Search {
  readonly #source: Source;
  readonly #modules: WasmModules;
  readonly #searcher: Searcher;
  readonly #model: ManifestModel;
  readonly #readModel: ModelReader | undefined;
  #encoder: Promise<Encoder> | undefined;
  #closed = false;

  private constructor(source: Source, modules: WasmModules, searcher: Searcher, chosenModel: ModelReader | undefined) {
    this.#source = source;
    this.#modules = modules;
    this.#searcher = searcher;
    this.#model = (searcher.manifest() as { model: ManifestModel }).model;
    const shipped = this.#model.file;
    const readShipped: ModelReader | undefined = shipped && ((onProgress) =>
      source.whole(shipped.file, undefined, onProgress && ((read) => onProgress(read, shipped.bytes))));
    this.#readModel = chosenModel ?? readShipped;
  }

  static async open(source: Source, modules: WasmModules, model?: ModelReader, signal?: AbortSignal): Promise<Engine> {
    try {
      const [module, manifest] = await Promise.all([modules.search(), source.whole("nearfind.json", signal)]);
      const root = module.rootFile(manifest) as { file: string };
      const searcher = new module.BundleSearcher(manifest, await source.whole(root.file, signal));
      return new Engine(source, modules, searcher, model);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async query(text: string, { mode = "hybrid", limit = 10, signal }: QueryOptions = {}): Promise<Answer> {
    const started = performance.now();
    this.#ensureOpen(signal);
    let vector: Float32Array | undefined;
    let notice: string | undefined;
    // An empty query is refused by the searcher, not worth a model.
    if (mode !== "words" && text.trim() !== "") {
      try {
        vector = await this.embed(text, signal ? { signal } : {});
      } catch (error) {
        this.#ensureOpen(signal);
        if (mode !== "hybrid") {
          throw error;
        }
        notice = `searching by words alone: ${error instanceof Error ? error.message : error}`;
      }
    }
    try {
      const session = this.#searcher.start({ text, mode, limit }, vector);
      for (;;) {
        const step = this.#searcher.advance(session) as { need?: NeededBlock[]; answer?: Omit<Answer, "took_ms"> };
        if (step.answer) {
          const answer: Answer = { ...step.answer, took_ms: performance.now() - started };
          return notice === undefined ? answer : { ...answer, notice };
        }
        try {
          await this.#bring(step.need ?? [], signal);
          this.#ensureOpen(signal);
        } catch (error) {
          if (!this.#closed) {
            this.#searcher.cancel(session);
          }
          throw error;
        }
      }
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async embed(text: string, { signal }: { signal?: AbortSignal } = {}): Promise<Float32Array> {
    this.#ensureOpen(signal);
    const encoder = await this.#loadedEncoder();
    this.#ensureOpen(signal);
    try {
      return encoder.encode(text);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async loadModel(onProgress?: (read: number, total: number) => void): Promise<void> {
    this.#ensureOpen();
    await this.#loadedEncoder(onProgress);
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#searcher.free();
      this.#encoder?.then((encoder) => encoder.free(), () => {});
    }
  }

  #ensureOpen(signal?: AbortSignal): void {
    signal?.throwIfAborted();
    if (this.#closed) {
      throw new NearfindError("closed", "this search is closed: open the bundle again");
    }
  }

  #loadedEncoder(onProgress?: (read: number, total: number) => void): Promise<Encoder> {
    if (!this.#encoder) {
      this.#encoder = this.#loadEncoder(onProgress);
      // A failed download may be tried again; a pack that was read and is wrong would be wrong again.
      this.#encoder.catch((error: unknown) => {
        if (!(error instanceof NearfindError) || error.code === "network") {
          this.#encoder = undefined;
        }
      });
    }
    return this.#encoder;
  }

  async #loadEncoder(onProgress?: (read: number, total: number) => void): Promise<Encoder> {
    if (!this.#readModel) {
      throw new NearfindError("no-model", `the bundle does not ship its model ${this.#model.name}: give it as option \`model\``);
    }
    const [module, pack] = await Promise.all([this.#modules.embed(), this.#readModel(onProgress)]);
    try {
      const encoder = new module.ModelEncoder(pack);
      if (encoder.hash() !== this.#model.hash) {
        encoder.free();
        throw new NearfindError("other-model", `the bundle was made with another model: give the pack of ${this.#model.name} ${this.#model.hash.slice(0, 16)}`);
      }
      return encoder;
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  /** Reads the blocks, neighbours in a file as one range, all ranges at once. */
  async #bring(blocks: NeededBlock[], signal?: AbortSignal): Promise<void> {
    const runs: NeededBlock[][] = [];
    for (const block of blocks) {
      const run = runs.at(-1);
      const last = run?.at(-1);
      if (run && last && last.file === block.file && last.start + last.bytes === block.start) {
        run.push(block);
      } else {
        runs.push([block]);
      }
    }
    const bringRun = async (run: NeededBlock[]): Promise<void> => {
      const [first, last] = [run[0]!, run.at(-1)!];
      const bytes = await this.#source.range(first.file, first.start, last.start + last.bytes - first.start, signal);
      this.#ensureOpen(signal);
      for (const block of run) {
        const from = block.start - first.start;
        this.#searcher.provide(block.part, block.block, bytes.subarray(from, from + block.bytes));
      }
    };
    await Promise.all(runs.map(bringRun));
  }
}
