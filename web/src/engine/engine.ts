import type { Answer, DocumentText, FilterCounts, GrepAnswer, GrepOptions, LoadModelOptions, QueryOptions, Search } from "../api.js";
import { NearfindError, closed } from "../errors.js";
import { linked } from "./addresses.js";
import { fetchedManifest, type Manifest, type PackFile } from "./manifest.js";
import { OpenBundles, generationOf, type Found, type Step } from "./open_bundle.js";
import { isPanic } from "./panic.js";
import { lazyEncoders, type ChosenModel, type LazyEncoder, type LazyEncoders } from "./question_packs.js";
import type { Inflate } from "../sources/inflate.js";
import type { Source } from "../sources/source.js";
import type { Reranker } from "./reranker.js";
import type { GrepModule, SearchModule, WasmModules } from "./modules.js";

type BundleSearcher = SearchModule["BundleSearcher"];
type SearchedBundles = OpenBundles<InstanceType<BundleSearcher>>;
/** Bundles, and the searcher that finds their lines. */
interface Grepped {
  bundle: OpenBundles<InstanceType<GrepModule["LineSearcher"]>>;
  grepRequest: GrepModule["grepRequest"];
}

/** The vector of a question. */
interface Embedded {
  vector: Float32Array;
  encoder: "small" | "model";
}

/** The maximum number of attempts for a call whose bundle is being replaced. */
const MAX_TRIES = 5;

/** The packs that options name. */
export interface ChosenModels {
  model?: ChosenModel | undefined;
  reranker?: ChosenModel | undefined;
}

/**
 * Runs the WASM modules over a {@link Source}. It fetches the bytes that the searcher requests, but does not rank documents. The
 * same code runs in a worker and in Node.
 */
export class Engine implements Search {
  readonly #sources: Source[];
  readonly #modules: WasmModules;
  readonly #inflate: Inflate;
  readonly #chosenModel: ChosenModel | undefined;
  readonly #chosenReranker: ChosenModel | undefined;
  #reranker: Reranker | undefined;
  #bundle: SearchedBundles;
  /** The same bundles, opened to find lines. Set by the first search for lines. */
  #grepped: { generation: string; opened: Promise<Grepped> } | undefined;
  #encoders: LazyEncoders;
  #closed = false;
  #searcher: BundleSearcher;

  private constructor(
    sources: Source[],
    searcher: BundleSearcher,
    modules: WasmModules,
    inflate: Inflate,
    bundle: SearchedBundles,
    { model, reranker }: ChosenModels,
  ) {
    this.#sources = sources;
    this.#searcher = searcher;
    this.#modules = modules;
    this.#inflate = inflate;
    this.#bundle = bundle;
    this.#chosenModel = model;
    this.#chosenReranker = reranker;
    this.#encoders = this.#encodersOf(bundle);
  }

  /** Opens bundles as one. There is one manifest per source. */
  static async open(
    sources: Source[],
    modules: WasmModules,
    inflate: Inflate,
    manifests: Manifest[],
    models: ChosenModels = {},
  ): Promise<Engine> {
    const { BundleSearcher } = await modules.search();
    if (manifests.length > 1) {
      await modules.later?.load();
    }
    return new Engine(sources, BundleSearcher, modules, inflate, await OpenBundles.of(manifests, BundleSearcher, sources, inflate), models);
  }

  get model(): Search["model"] {
    const { name, file } = this.#bundle.model;
    const small = this.#encoders.small?.pack.file;
    return {
      name,
      ...(file && { bytes: bytesToBegin(file) }),
      ...(small && { small: { bytes: bytesToBegin(small), loads: this.#bundle.small?.loads ?? "auto" } }),
    };
  }

  async query(text: string, options: QueryOptions = {}): Promise<Answer> {
    const started = performance.now();
    return this.#overCurrent((bundle) => this.#ask(bundle, started, text, options), options.signal);
  }

  /** Runs a call against the current bundle, and runs it again if the bundle was replaced in the meantime. */
  async #overCurrent<T>(run: (bundle: SearchedBundles) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      const bundle = this.#bundle;
      try {
        return await run(bundle);
      } catch (reason) {
        if (signal?.aborted) {
          throw reason;
        }
        const error = NearfindError.from(reason);
        if (this.#bundle === bundle && (isPanic(reason) || this.#modules.later?.hasFailed)) {
          await this.#renew(bundle);
          throw error;
        }
        if (tries >= MAX_TRIES || !(await this.#wasReplaced(bundle, error))) {
          throw error;
        }
      }
    }
  }

  /**
   * Replaces the searcher after a call that did not finish, because the searcher's memory, or the whole module's, may be
   * inconsistent.
   */
  async #renew({ manifests }: SearchedBundles): Promise<void> {
    this.#modules.renew?.();
    this.#grepped = undefined;
    this.#searcher = (await this.#modules.search()).BundleSearcher;
    this.#bundle = await OpenBundles.of(manifests, this.#searcher, this.#sources, this.#inflate);
  }

  async #ask(bundle: SearchedBundles, started: number, typed: string, asked: QueryOptions, isCorrected = false): Promise<Answer> {
    const {
      mode = "hybrid",
      tier,
      vectors,
      limit = 10,
      typing = false,
      counts = false,
      passages = 1,
      rerank = 0,
      texts = false,
      filters = {},
      language,
      sort,
      unfit = false,
      fetch = true,
      signal,
      onPreview,
    } = asked;
    const { searcher } = bundle;
    const text = usualLetters(typed);
    this.#ensureOpen(signal);
    const notices = this.#modules.notice ? [this.#modules.notice] : [];
    const finished = (found: Found): Answer => ({
      ...found,
      ...(found.tier > 0 && { encoder: found.tier === 2 && embedded ? embedded.encoder : "table" }),
      // Hits may have texts for the reranker that the caller did not request.
      hits: found.hits.slice(0, limit).map(({ text: read, ...hit }) => linked(texts ? { ...hit, text: read ?? "" } : hit)),
      tookMs: performance.now() - started,
      ...(notices.length > 0 && { notice: notices.join("; ") }),
    });
    let embedded: Embedded | undefined;
    const encoder = this.#encoder(tier);
    // The searcher rejects an empty query, so no model is needed.
    if (mode !== "words" && text.trim() !== "" && (tier === 2 || encoder)) {
      try {
        embedded = await this.#embed(this.#searcher.meantBy(text), encoder, signal);
      } catch (error) {
        this.#ensureOpen(signal);
        if (mode !== "hybrid" && !searcher.hasQueryEncoder()) {
          throw error;
        }
        const instead = searcher.hasQueryEncoder() ? "the index's own query encoder" : "words alone";
        notices.push(`searching by ${instead}: ${message(error)}`);
      }
    }
    const vector = embedded?.vector;
    const full = vectors ? vectors === "full" : vector !== undefined && this.#sources.every(({ isLocal }) => isLocal);
    // Loads the second part of the module without blocking the worker. Only the first question that needs it waits.
    if (vector || full || sort || Object.keys(filters).length > 0 || this.#searcher.mayHaveMarks(text)) {
      await this.#modules.later?.load();
      this.#ensureOpen(signal);
    }
    const read = sort ? 0 : rerank;
    let session: number | undefined;
    try {
      session = searcher.start(text, {
        mode,
        limit: Math.max(limit, read),
        vector,
        full,
        previews: !!onPreview,
        typing,
        counts,
        passages,
        texts: texts || read > 0,
        filters: pairs(filters),
        paths: pathPattern(filters),
        language,
        sort: sort?.by,
        descending: sort?.descending,
        unfit: unfit === "nearest" ? 1 : unfit ? 2 : 0,
      });
      for (;;) {
        const step = searcher.advance(session) as Step;
        if (step.answer) {
          session = undefined;
          this.#modules.later?.loadSoon();
          if (read > 0 && !step.answer.searched) {
            try {
              const Loaded = await this.#modules.reranker();
              this.#reranker ??= new Loaded(() => this.#modules.embed("embed"), this.#chosenReranker);
              step.answer.hits = await this.#reranker.order(this.#searcher.meantBy(text), step.answer.hits, read);
            } catch (error) {
              notices.push(`not reranked: ${message(error)}`);
              if (isPanic(error)) {
                this.#reranker = undefined;
                this.#modules.renew?.();
              }
            }
            this.#ensureOpen(signal);
          }
          const { query, corrections, searched } = step.answer;
          if (!searched || isCorrected) {
            return finished(step.answer);
          }
          // Search as if the reader had typed the corrected query, because titles, headings and encoders know only the right
          // word.
          const asTyped = (answer: Answer): Answer => ({ ...answer, query, corrections, searched });
          const corrected = { ...asked, ...(onPreview && { onPreview: (preview: Answer) => onPreview(asTyped(preview)) }) };
          return asTyped(await this.#ask(bundle, started, searched, corrected, true));
        }
        if (step.preview) {
          onPreview?.(finished(step.preview));
          continue;
        }
        if (!fetch) {
          throw new NearfindError("not-at-hand", "the query needs data that was not fetched");
        }
        try {
          // Any block that arrives may be enough to continue.
          await Promise.race(bundle.bring(step.need ?? []));
        } catch (error) {
          this.#ensureOpen(signal);
          // Ranking by words works without the data that only search by meaning needs.
          if ((await this.#wasReplaced(bundle, error)) || !searcher.settleForWords(session)) {
            throw error;
          }
          notices.push(`searching by words alone: ${message(error)}`);
        }
        this.#ensureOpen(signal);
      }
    } finally {
      if (session !== undefined && !this.#closed && !this.#modules.later?.hasFailed) {
        searcher.cancel(session);
      }
    }
  }

  async embed(text: string, { signal }: { signal?: AbortSignal } = {}): Promise<Float32Array> {
    return (await this.#embed(text, this.#encoder(2), signal)).vector;
  }

  /** Returns the vector of a text, and the encoder that made it. */
  async #embed(text: string, encoder: LazyEncoder | undefined, signal?: AbortSignal): Promise<Embedded> {
    this.#ensureOpen(signal);
    if (!encoder) {
      throw this.#noModel();
    }
    const encoders = this.#encoders;
    try {
      const vector = await encoder.encode(text);
      this.#ensureOpen(signal);
      return { vector, encoder: encoder === encoders.small ? "small" : "model" };
    } catch (error) {
      this.#ensureOpen(signal);
      if (this.#encoders !== encoders) {
        // The bundle was replaced by one with another model.
        return this.#embed(text, this.#encoder(2), signal);
      }
      throw NearfindError.from(error);
    }
  }

  async document(name: string, { signal }: { signal?: AbortSignal } = {}): Promise<DocumentText | null> {
    return linked((await this.#lookUp(({ searcher }) => searcher.document(name), signal)).document ?? null);
  }

  async grep(pattern: string | RegExp, { signal, ...settings }: GrepOptions = {}, onProgress?: () => void): Promise<GrepAnswer> {
    return this.#overCurrent(async (current) => {
      this.#ensureOpen(signal);
      const { bundle, grepRequest } = await this.#toGrep(current);
      this.#ensureOpen(signal);
      const { searcher } = bundle;
      const request = grepRequest(
        pattern,
        settings,
        this.#sources.every(({ isLocal }) => isLocal),
      );
      const session = searcher.start(request);
      try {
        for (;;) {
          const step = searcher.advance(session, request) as Step;
          if (!step.need) {
            return { ...step.grep!, found: step.grep!.found.map(linked) };
          }
          await Promise.all(bundle.bring(step.need));
          onProgress?.();
          this.#ensureOpen(signal);
        }
      } finally {
        if (!this.#closed) {
          searcher.cancel(session);
        }
      }
    }, signal);
  }

  /** Returns the bundles of `current`, opened by the module that finds lines. */
  #toGrep({ generation, manifests }: SearchedBundles): Promise<Grepped> {
    if (this.#grepped?.generation === generation) {
      return this.#grepped.opened;
    }
    const open = async (): Promise<Grepped> => {
      const { LineSearcher, grepRequest } = await this.#modules.grep();
      return { bundle: await OpenBundles.of(manifests, LineSearcher, this.#sources, this.#inflate), grepRequest };
    };
    const grepped = { generation, opened: open() };
    this.#grepped = grepped;
    grepped.opened.catch(() => {
      // After a failure, the next call tries again.
      if (this.#grepped === grepped) {
        this.#grepped = undefined;
      }
    });
    return grepped.opened;
  }

  async suggest(text: string, { limit = 5, signal }: { limit?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    return (await this.#lookUp(({ searcher }) => searcher.suggestions(text, limit), signal)).suggestions ?? [];
  }

  async filters({ signal }: { signal?: AbortSignal } = {}): Promise<FilterCounts[]> {
    return (await this.#lookUp(({ searcher }) => searcher.filters(), signal)).filters ?? [];
  }

  /** Repeats a call until no block is missing. */
  async #lookUp(ask: (bundle: SearchedBundles) => unknown, signal?: AbortSignal): Promise<Step> {
    await this.#modules.later?.load();
    return this.#overCurrent(async (bundle) => {
      for (;;) {
        this.#ensureOpen(signal);
        const step = ask(bundle) as Step;
        if (!step.need) {
          return step;
        }
        await Promise.all(bundle.bring(step.need));
      }
    }, signal);
  }

  async prefetch(text?: string): Promise<void> {
    try {
      this.#ensureOpen();
      const { searcher } = this.#bundle;
      let needed = (searcher.alwaysNeeded() as Step).need ?? [];
      if (text?.trim()) {
        const session = searcher.start(text, { mode: "hybrid", limit: 10, filters: [] });
        needed = needed.concat((searcher.advance(session) as Step).need ?? []);
        searcher.cancel(session);
      }
      await Promise.all(this.#bundle.bring(needed));
    } catch {
      // A query that needs the same blocks will report the error.
    }
  }

  async loadModel({ onProgress, small = false }: LoadModelOptions = {}): Promise<void> {
    this.#ensureOpen();
    const encoder = small ? this.#encoders.small : this.#encoders.model;
    if (!encoder) {
      throw small ? new NearfindError("no-model", "the index has no small encoder") : this.#noModel();
    }
    try {
      await encoder.load(onProgress);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  async refresh(): Promise<boolean> {
    this.#ensureOpen();
    const manifests = await Promise.all(this.#sources.map((source) => fetchedManifest(source)));
    const before = this.#bundle;
    if (generationOf(manifests) === before.generation) {
      return false;
    }
    const bundle = await OpenBundles.of(manifests, this.#searcher, this.#sources, this.#inflate);
    this.#ensureOpen();
    if (this.#bundle !== before) {
      bundle.free();
      return true;
    }
    // Queries may still run against the previous bundle. Its memory is freed after the last of them.
    this.#bundle = bundle;
    if (bundle.model.hash !== before.model.hash || bundle.small?.hash !== before.small?.hash) {
      this.#freeEncoders();
      this.#encoders = this.#encodersOf(bundle);
    }
    return true;
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#bundle.free();
      this.#grepped?.opened.then(
        ({ bundle }) => bundle.free(),
        () => {},
      );
      this.#freeEncoders();
      this.#reranker?.free();
    }
  }

  #noModel(): NearfindError {
    return new NearfindError("no-model", `the index does not ship its model ${this.#bundle.model.name}: pass it as option \`model\``);
  }

  #encodersOf({ manifests }: SearchedBundles): LazyEncoders {
    return lazyEncoders(manifests, this.#sources, this.#modules, this.#chosenModel);
  }

  #freeEncoders(): void {
    this.#encoders.model?.free();
    this.#encoders.small?.free();
  }

  /** Returns whether `error` came from a bundle that has been replaced, so that parts of it may be gone. */
  async #wasReplaced(bundle: SearchedBundles, error: unknown): Promise<boolean> {
    const isOfParts = error instanceof NearfindError && (error.code === "not-found" || error.code === "bad-bundle");
    if (this.#bundle === bundle && isOfParts && !this.#closed) {
      await this.refresh().catch(() => {});
    }
    // Another query may have noticed the replacement first.
    return this.#bundle !== bundle;
  }

  /**
   * Returns the encoder of a tier: for tier 2 the model if it can be loaded, otherwise the small encoder; by default the best
   * encoder that is ready.
   */
  #encoder(tier: 1 | 2 | undefined): LazyEncoder | undefined {
    const { model, small } = this.#encoders;
    if (tier === 2) {
      return model?.pack.file || model?.pack.chosen ? model : (small ?? model);
    }
    return tier === 1 ? undefined : [model, small].find((encoder) => encoder?.isReady);
  }

  #ensureOpen(signal?: AbortSignal): void {
    signal?.throwIfAborted();
    if (this.#closed) {
      throw closed();
    }
  }
}

/** Composes letters as bundles do, and resolves full-width letters, half-width kana and ligatures. The program does the same. */
function usualLetters(text: string): string {
  return text.replace(/[\ufb00-\ufb06\uff01-\uff9f]/g, (form) => form.normalize("NFKC")).normalize();
}

/** Returns the number of bytes of a pack to load before the first question. */
function bytesToBegin({ bytes, start_bytes: start }: PackFile): number {
  return start ?? bytes;
}

/** Returns a flat list of alternating names and values. */
function pairs(filters: Record<string, string | string[]>): string[] {
  return Object.entries(filters).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
}

/** Returns a function that tests a path against the regular expressions of the filter `path_regex`, in the platform's syntax. */
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
