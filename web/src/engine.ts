import type { Answer, LoadModelOptions, QueryOptions, Search } from "./api.js";
import { NearfindError } from "./errors.js";
import { coalesce, type NeededBlock } from "./fetch_plan.js";
import type { Manifest } from "./manifest.js";
import type { Source } from "./source.js";
import type { EmbedModule, SearchModule, WasmModules } from "./wasm_modules.js";

type Searcher = InstanceType<SearchModule["BundleSearcher"]>;

/** What a session says: one of the three is set. */
interface Step {
  need?: NeededBlock[];
  preview?: Found;
  answer?: Found;
}

type Found = Omit<Answer, "took_ms">;

/** Inflates a raw deflate stream to exactly `size` bytes; rejects if it is of another size. */
export type Inflate = (deflated: Uint8Array, size: number) => Promise<Uint8Array>;

interface Encoder {
  encode(text: string): Float32Array;
  free(): void;
}

/** Hears of bytes read and, where known, of their total; else 0. */
export type Progress = (read: number, total: number) => void;

/** A model pack, wherever it is. */
export interface ModelFile {
  read(onProgress?: Progress): Promise<Uint8Array>;
  /** Keeps a pack that proved sound for the next visit. */
  keep?(pack: Uint8Array): Promise<void>;
  /** Drops what was kept; whether anything was. */
  forget?(): Promise<boolean>;
}

/** Finds the model that the reader's options name; its hash should be `hash`. */
export type ChosenModel = (hash: string) => Promise<ModelFile>;

/**
 * Runs the WASM modules over a {@link Source}: brings the bytes that the searcher names. It ranks nothing.
 * The same code in a worker and in Node.
 */
export class Engine implements Search {
  readonly #source: Source;
  readonly #modules: WasmModules;
  readonly #inflate: Inflate;
  readonly #searcher: Searcher;
  readonly #model: Manifest["model"];
  readonly #findModel: (() => Promise<ModelFile>) | undefined;
  /** Blocks on their way, shared by all queries: what one query gave up the next one may want. */
  readonly #onTheirWay = new Map<string, Promise<void>>();
  #encoder: Promise<Encoder> | undefined;
  #encoderIsReady = false;
  #closed = false;

  private constructor(source: Source, modules: WasmModules, inflate: Inflate, searcher: Searcher, manifest: Manifest, chosenModel: ChosenModel | undefined) {
    this.#source = source;
    this.#modules = modules;
    this.#inflate = inflate;
    this.#searcher = searcher;
    this.#model = manifest.model;
    const { file, hash } = manifest.model;
    this.#findModel = chosenModel ? () => chosenModel(hash) : file && (() => source.model(file.file, hash));
  }

  static async open(source: Source, modules: WasmModules, inflate: Inflate, manifest: Manifest, model?: ChosenModel): Promise<Engine> {
    try {
      const { BundleSearcher } = await modules.search();
      const root = await opened(manifest.root, BundleSearcher.unsealRoot(manifest.generation, manifest.root), inflate);
      return new Engine(source, modules, inflate, new BundleSearcher(root), manifest, model);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async query(text: string, { mode = "hybrid", tier, vectors, limit = 10, typing = false, passages = 1, filters = {}, signal, onPreview }: QueryOptions = {}): Promise<Answer> {
    const started = performance.now();
    this.#ensureOpen(signal);
    const notices: string[] = [];
    const finished = (found: Found): Answer => ({
      ...found,
      took_ms: performance.now() - started,
      ...(notices.length > 0 && { notice: notices.join("; ") }),
    });
    let vector: Float32Array | undefined;
    // An empty query is refused by the searcher, not worth a model.
    if (mode !== "words" && text.trim() !== "" && this.#usesModel(tier)) {
      try {
        vector = await this.embed((await this.#modules.search()).BundleSearcher.meantBy(text), signal ? { signal } : {});
      } catch (error) {
        this.#ensureOpen(signal);
        if (mode !== "hybrid" && !this.#searcher.hasQueryEncoder()) {
          throw error;
        }
        const instead = this.#searcher.hasQueryEncoder() ? "the bundle's own query encoder" : "words alone";
        notices.push(`searching by ${instead}: ${message(error)}`);
      }
    }
    const full = vectors === undefined ? this.#source.isLocal && vector !== undefined : vectors === "full";
    let session: number | undefined;
    try {
      session = this.#searcher.start(text, mode, limit, vector, full, onPreview !== undefined, typing, passages, pairs(filters));
      for (;;) {
        const step = this.#searcher.advance(session) as Step;
        if (step.answer) {
          session = undefined;
          return finished(step.answer);
        }
        if (step.preview) {
          onPreview?.(finished(step.preview));
          continue;
        }
        try {
          await this.#bringSome(step.need ?? []);
        } catch (error) {
          this.#ensureOpen(signal);
          // Words do without what only meaning reads.
          if (notices.length > 0 || !this.#searcher.settleForWords(session)) {
            throw error;
          }
          notices.push(`searching by words alone: ${message(error)}`);
        }
        this.#ensureOpen(signal);
      }
    } catch (error) {
      if (signal?.aborted) {
        throw error;
      }
      throw NearfindError.from(error);
    } finally {
      if (session !== undefined && !this.#closed) {
        this.#searcher.cancel(session);
      }
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

  async prefetch(text?: string): Promise<void> {
    try {
      this.#ensureOpen();
      let needed = this.#searcher.alwaysNeeded() as NeededBlock[];
      if (text?.trim()) {
        const session = this.#searcher.start(text, "hybrid", 10, undefined, false, false, false, 1, []);
        needed = needed.concat((this.#searcher.advance(session) as Step).need ?? []);
        this.#searcher.cancel(session);
      }
      await Promise.all(this.#bring(needed));
    } catch {
      // A query that needs the same will say what is wrong.
    }
  }

  async loadModel({ onProgress }: LoadModelOptions = {}): Promise<void> {
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

  /** The model is used where it was asked for, or where it is ready. */
  #usesModel(tier: 1 | 2 | undefined): boolean {
    return tier === undefined ? this.#encoderIsReady : tier === 2;
  }

  #ensureOpen(signal?: AbortSignal): void {
    signal?.throwIfAborted();
    if (this.#closed) {
      throw new NearfindError("closed", "this search is closed: open the bundle again");
    }
  }

  #loadedEncoder(onProgress?: Progress): Promise<Encoder> {
    if (!this.#encoder) {
      this.#encoder = this.#loadEncoder(onProgress);
      // A failed download may be tried again; a pack that was read and is wrong would be wrong again.
      this.#encoder.then(() => { this.#encoderIsReady = true; }, (error: unknown) => {
        if (!(error instanceof NearfindError) || error.code === "network") {
          this.#encoder = undefined;
        }
      });
    }
    return this.#encoder;
  }

  async #loadEncoder(onProgress?: Progress): Promise<Encoder> {
    if (!this.#findModel) {
      throw new NearfindError("no-model", `the bundle does not ship its model ${this.#model.name}: give it as option \`model\``);
    }
    const module = this.#modules.embed(this.#model.module ?? "embed");
    module.catch(() => {});
    const file = await this.#findModel();
    return this.#encoderOf(module, file, onProgress).catch(async (error: unknown) => {
      // A kept pack may have been damaged where it was kept.
      if (await file.forget?.()) {
        return this.#encoderOf(module, file, onProgress);
      }
      throw error;
    });
  }

  async #encoderOf(module: Promise<EmbedModule>, file: ModelFile, onProgress?: Progress): Promise<Encoder> {
    // A server may not say how long the pack is; the manifest does, if the pack is a file of the bundle.
    const known = this.#model.file?.bytes ?? 0;
    try {
      const pack = await file.read(onProgress && ((read, total) => onProgress(read, total || known)));
      const { ModelEncoder } = await module;
      const encoder = new ModelEncoder(pack);
      if (encoder.hash() !== this.#model.hash) {
        encoder.free();
        throw new NearfindError("other-model", `the bundle was made with another model: give the pack of ${this.#model.name} ${this.#model.hash.slice(0, 16)}`);
      }
      await file.keep?.(pack);
      return encoder;
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  /** Asks for what is not on its way yet, and waits until something has come. */
  async #bringSome(blocks: NeededBlock[]): Promise<void> {
    await Promise.race(this.#bring(blocks));
  }

  /** The blocks, each on its way: neighbours in a file as one range, all ranges at once. */
  #bring(blocks: NeededBlock[]): Promise<void>[] {
    const name = ({ part, block }: NeededBlock): string => `${part}/${block}`;
    for (const run of coalesce(blocks.filter((block) => !this.#onTheirWay.has(name(block))))) {
      const coming = this.#bringRun(run).finally(() => run.forEach((block) => this.#onTheirWay.delete(name(block))));
      // Whoever waits for it hears of it; nobody may wait any more.
      coming.catch(() => {});
      run.forEach((block) => this.#onTheirWay.set(name(block), coming));
    }
    return blocks.map((block) => this.#onTheirWay.get(name(block)) ?? Promise.resolve());
  }

  async #bringRun(run: NeededBlock[]): Promise<void> {
    const [first, last] = [run[0]!, run.at(-1)!];
    const bytes = await this.#source.range(first.file, first.file_bytes, first.start, last.start + last.bytes - first.start);
    this.#ensureOpen();
    try {
      const raw = await Promise.all(run.map((block) => {
        const from = block.start - first.start;
        const stored = bytes.subarray(from, from + block.bytes);
        return opened(stored, this.#searcher.unseal(block.part, block.block, stored), this.#inflate);
      }));
      this.#ensureOpen();
      run.forEach((block, at) => this.#searcher.provide(block.part, block.block, raw[at]!));
    } catch (error) {
      throw NearfindError.from(error);
    }
  }
}

/** What checked bytes hold, given their raw size, 0 for bytes that stand as they are, and where the stream lies in them. */
async function opened(stored: Uint8Array, sealed: Uint32Array, inflate: Inflate): Promise<Uint8Array> {
  const [size, start, end] = sealed as unknown as [number, number, number];
  const body = stored.subarray(start, end);
  return size === 0 ? body : inflate(body, size).catch((error: unknown) => {
    throw new NearfindError("bad-bundle", `a block is damaged: copy the bundle again or rebuild it (${message(error)})`);
  });
}

/** Names and values in turn. */
function pairs(filters: Record<string, string | string[]>): string[] {
  return Object.entries(filters).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
