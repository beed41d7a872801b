import type { Answer, LoadModelOptions, QueryOptions, Search } from "./api.js";
import { NearfindError } from "./errors.js";
import { coalesce, type NeededBlock } from "./fetch_plan.js";
import { readManifest, type Manifest } from "./manifest.js";
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

/** How often a query is begun again because the bundle was replaced meanwhile. */
const MOST_TRIES = 5;

/** One generation of a bundle. */
interface Bundle {
  searcher: Searcher;
  generation: string;
  model: Manifest["model"];
  /** Blocks on their way, shared by all queries: what one query gave up the next one may want. */
  onTheirWay: Map<string, Promise<void>>;
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
  readonly #chosenModel: ChosenModel | undefined;
  #bundle: Bundle;
  #encoder: Promise<Encoder> | undefined;
  #encoderIsReady = false;
  #closed = false;

  private constructor(source: Source, modules: WasmModules, inflate: Inflate, bundle: Bundle, chosenModel: ChosenModel | undefined) {
    this.#source = source;
    this.#modules = modules;
    this.#inflate = inflate;
    this.#bundle = bundle;
    this.#chosenModel = chosenModel;
  }

  static async open(source: Source, modules: WasmModules, inflate: Inflate, manifest: Manifest, model?: ChosenModel): Promise<Engine> {
    try {
      return new Engine(source, modules, inflate, await bundleOf(manifest, modules, inflate), model);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async query(text: string, options: QueryOptions = {}): Promise<Answer> {
    const started = performance.now();
    for (let tries = 1; ; tries++) {
      const bundle = this.#bundle;
      try {
        return await this.#ask(bundle, started, text, options);
      } catch (error) {
        if (tries >= MOST_TRIES || !(await this.#wasReplaced(bundle, error))) {
          throw error;
        }
      }
    }
  }

  async #ask(bundle: Bundle, started: number, text: string, { mode = "hybrid", tier, vectors, limit = 10, typing = false, passages = 1, filters = {}, signal, onPreview }: QueryOptions): Promise<Answer> {
    const { searcher } = bundle;
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
        if (mode !== "hybrid" && !searcher.hasQueryEncoder()) {
          throw error;
        }
        const instead = searcher.hasQueryEncoder() ? "the bundle's own query encoder" : "words alone";
        notices.push(`searching by ${instead}: ${message(error)}`);
      }
    }
    const full = vectors === undefined ? this.#source.isLocal && vector !== undefined : vectors === "full";
    let session: number | undefined;
    try {
      session = searcher.start(text, mode, limit, vector, full, onPreview !== undefined, typing, passages, pairs(filters), pathPattern(filters));
      for (;;) {
        const step = searcher.advance(session) as Step;
        if (step.answer) {
          session = undefined;
          return finished(step.answer);
        }
        if (step.preview) {
          onPreview?.(finished(step.preview));
          continue;
        }
        try {
          await this.#bringSome(bundle, step.need ?? []);
        } catch (error) {
          this.#ensureOpen(signal);
          // Words do without what only meaning reads.
          if (notices.length > 0 || (await this.#wasReplaced(bundle, error)) || !searcher.settleForWords(session)) {
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
        searcher.cancel(session);
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
      const { searcher } = this.#bundle;
      let needed = searcher.alwaysNeeded() as NeededBlock[];
      if (text?.trim()) {
        const session = searcher.start(text, "hybrid", 10, undefined, false, false, false, 1, []);
        needed = needed.concat((searcher.advance(session) as Step).need ?? []);
        searcher.cancel(session);
      }
      await Promise.all(this.#bring(this.#bundle, needed));
    } catch {
      // A query that needs the same will say what is wrong.
    }
  }

  async loadModel({ onProgress }: LoadModelOptions = {}): Promise<void> {
    this.#ensureOpen();
    await this.#loadedEncoder(onProgress);
  }

  async refresh(): Promise<boolean> {
    this.#ensureOpen();
    const manifest = readManifest(new TextDecoder().decode(await this.#source.whole("nearfind.json")));
    const before = this.#bundle;
    if (manifest.generation === before.generation) {
      return false;
    }
    const bundle = await bundleOf(manifest, this.#modules, this.#inflate).catch((error: unknown) => { throw NearfindError.from(error); });
    this.#ensureOpen();
    if (this.#bundle !== before) {
      bundle.searcher.free();
      return true;
    }
    // Queries may still run over the one before: its memory goes with the last of them.
    this.#bundle = bundle;
    if (manifest.model.hash !== before.model.hash) {
      this.#freeEncoder();
    }
    return true;
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#bundle.searcher.free();
      this.#freeEncoder();
    }
  }

  #freeEncoder(): void {
    this.#encoder?.then((encoder) => encoder.free(), () => {});
    this.#encoder = undefined;
    this.#encoderIsReady = false;
  }

  /** Whether `error` came of a bundle that is not the current one any more: parts of it may be gone. */
  async #wasReplaced(bundle: Bundle, error: unknown): Promise<boolean> {
    const isOfParts = error instanceof NearfindError && (error.code === "not-found" || error.code === "bad-bundle");
    if (this.#bundle === bundle && isOfParts && !this.#closed) {
      await this.refresh().catch(() => {});
    }
    // Another query may have been quicker.
    return this.#bundle !== bundle;
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
    const { model } = this.#bundle;
    if (!this.#chosenModel && !model.file) {
      throw new NearfindError("no-model", `the bundle does not ship its model ${model.name}: give it as option \`model\``);
    }
    const module = this.#modules.embed(model.module ?? "embed");
    module.catch(() => {});
    const file = await (this.#chosenModel ? this.#chosenModel(model.hash) : this.#source.model(model.file!.file, model.hash));
    return this.#encoderOf(model, module, file, onProgress).catch(async (error: unknown) => {
      // A kept pack may have been damaged where it was kept.
      if (await file.forget?.()) {
        return this.#encoderOf(model, module, file, onProgress);
      }
      throw error;
    });
  }

  async #encoderOf(model: Manifest["model"], module: Promise<EmbedModule>, file: ModelFile, onProgress?: Progress): Promise<Encoder> {
    // A server may not say how long the pack is; the manifest does, if the pack is a file of the bundle.
    const known = model.file?.bytes ?? 0;
    try {
      const pack = await file.read(onProgress && ((read, total) => onProgress(read, total || known)));
      const { ModelEncoder } = await module;
      const encoder = new ModelEncoder(pack);
      if (encoder.hash() !== model.hash) {
        encoder.free();
        throw new NearfindError("other-model", `the bundle was made with another model: give the pack of ${model.name} ${model.hash.slice(0, 16)}`);
      }
      await file.keep?.(pack);
      return encoder;
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  /** Asks for what is not on its way yet, and waits until something has come. */
  async #bringSome(bundle: Bundle, blocks: NeededBlock[]): Promise<void> {
    await Promise.race(this.#bring(bundle, blocks));
  }

  /** The blocks, each on its way: neighbours in a file as one range, all ranges at once. */
  #bring(bundle: Bundle, blocks: NeededBlock[]): Promise<void>[] {
    const { onTheirWay } = bundle;
    const name = ({ part, block }: NeededBlock): string => `${part}/${block}`;
    for (const run of coalesce(blocks.filter((block) => !onTheirWay.has(name(block))))) {
      const coming = this.#bringRun(bundle, run).finally(() => run.forEach((block) => onTheirWay.delete(name(block))));
      // Whoever waits for it hears of it; nobody may wait any more.
      coming.catch(() => {});
      run.forEach((block) => onTheirWay.set(name(block), coming));
    }
    return blocks.map((block) => onTheirWay.get(name(block)) ?? Promise.resolve());
  }

  async #bringRun({ searcher }: Bundle, run: NeededBlock[]): Promise<void> {
    const [first, last] = [run[0]!, run.at(-1)!];
    const bytes = await this.#source.range(first.file, first.file_bytes, first.start, last.start + last.bytes - first.start);
    this.#ensureOpen();
    try {
      const raw = await Promise.all(run.map((block) => {
        const from = block.start - first.start;
        const stored = bytes.subarray(from, from + block.bytes);
        return opened(stored, searcher.unseal(block.part, block.block, stored), this.#inflate);
      }));
      this.#ensureOpen();
      run.forEach((block, at) => searcher.provide(block.part, block.block, raw[at]!));
    } catch (error) {
      throw NearfindError.from(error);
    }
  }
}

/** A bundle of which nothing but the manifest was read. */
async function bundleOf({ generation, root, model }: Manifest, modules: WasmModules, inflate: Inflate): Promise<Bundle> {
  const { BundleSearcher } = await modules.search();
  const raw = await opened(root, BundleSearcher.unsealRoot(generation, root), inflate);
  return { searcher: new BundleSearcher(raw), generation, model, onTheirWay: new Map() };
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

/** Tells whether a path matches one of the regular expressions of the filter `path_regex`: those of the platform. */
function pathPattern({ path_regex: patterns }: Record<string, string | string[]>): ((path: string) => boolean) | undefined {
  try {
    const all = patterns === undefined ? [] : [patterns].flat().map((pattern) => new RegExp(pattern, "u"));
    return all.length > 0 ? (path) => all.some((pattern) => pattern.test(path)) : undefined;
  } catch (error) {
    throw new NearfindError("bad-filter", message(error));
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
