import { NearfindError, closed } from "../errors.js";
import type { ModelFile, OnProgress } from "../sources/model_file.js";
import type { EmbedModule, WasmModules } from "./modules.js";
import { isPanic } from "./panic.js";
import type { QuestionPack } from "./question_packs.js";

type ModelEncoder = InstanceType<EmbedModule["ModelEncoder"]>;

/** Encodes questions with a pack, which is loaded once. The rows for words are loaded when texts need them. */
export class QuestionEncoder {
  readonly #pack: QuestionPack;
  readonly #modules: WasmModules;
  #loading: Promise<ModelEncoder> | undefined;
  #isReady = false;
  #isFreed = false;

  constructor(pack: QuestionPack, modules: WasmModules) {
    this.#pack = pack;
    this.#modules = modules;
  }

  /** Whether the pack is loaded. */
  get isReady(): boolean {
    return this.#isReady;
  }

  async load(onProgress?: OnProgress): Promise<void> {
    await this.#loaded(onProgress);
  }

  /** Returns the unit vector of `text`. Loads the required data. */
  async encode(text: string): Promise<Float32Array> {
    const loading = this.#loaded();
    const encoder = await loading;
    try {
      await this.#bringRows(encoder, () => this.#loading === loading, text);
      if (this.#isFreed) {
        throw closed();
      }
      return this.#loading === loading ? encoder.encode(text) : await this.encode(text);
    } catch (error) {
      if (isPanic(error)) {
        this.#loading = undefined;
        this.#isReady = false;
        this.#modules.renew?.();
      }
      throw NearfindError.from(error);
    }
  }

  free(): void {
    this.#isFreed = true;
    this.#loading?.then(
      (encoder) => encoder.free(),
      () => {},
    );
    this.#loading = undefined;
    this.#isReady = false;
  }

  /** Loads the rows for the words in `text`, because only the start of a remote pack was read. */
  async #bringRows(encoder: ModelEncoder, isInUse: () => boolean, text: string): Promise<void> {
    const missing = encoder.missing(text);
    const { file, source } = this.#pack;
    const bring = async (start: number, bytes: number): Promise<void> => {
      const rows = await source.range(file!.file, file!.bytes, start, bytes);
      if (isInUse()) {
        encoder.provide(start, rows);
      }
    };
    await Promise.all(Array.from({ length: missing.length / 2 }, (_, at) => bring(missing[2 * at]!, missing[2 * at + 1]!)));
  }

  #loaded(onProgress?: OnProgress): Promise<ModelEncoder> {
    if (!this.#loading) {
      const loading = this.#load(onProgress);
      this.#loading = loading;
      loading.then(
        () => {
          this.#isReady = this.#loading === loading;
        },
        (error: unknown) => {
          // A failed download may succeed the next time. A complete but wrong pack would be wrong again.
          if (this.#loading === loading && (!(error instanceof NearfindError) || error.code === "network")) {
            this.#loading = undefined;
          }
        },
      );
    }
    return this.#loading;
  }

  async #load(onProgress?: OnProgress): Promise<ModelEncoder> {
    const { name, hash, module: moduleName, file, source, chosen } = this.#pack;
    if (!chosen && !file) {
      throw new NearfindError("no-model", `the index does not ship its model ${name}: pass it as option \`model\``);
    }
    const module = this.#modules.embed(moduleName);
    module.catch(() => {});
    const pack = await (chosen ? chosen(hash) : source.model(file!.file, hash, file!.start_bytes));
    return this.#read(module, pack, onProgress).catch(async (error: unknown) => {
      // A stored pack may have been damaged in storage.
      if (await pack.forget?.()) {
        return this.#read(module, pack, onProgress);
      }
      throw error;
    });
  }

  async #read(module: Promise<EmbedModule>, pack: ModelFile, onProgress?: OnProgress): Promise<ModelEncoder> {
    const { name, hash, file } = this.#pack;
    // If the server does not report the pack's size, use the size in the manifest, if the bundle ships the pack.
    const known = file?.start_bytes ?? file?.bytes ?? 0;
    try {
      const bytes = await pack.read(onProgress && ((read, total) => onProgress(read, total || known)));
      const { ModelEncoder } = await module;
      const encoder = new ModelEncoder(bytes);
      if (encoder.hash() !== hash) {
        encoder.free();
        throw new NearfindError("other-model", `the index was made with another model: pass the pack of ${name} ${hash.slice(0, 16)}`);
      }
      await pack.keep?.(bytes);
      return encoder;
    } catch (error) {
      throw NearfindError.from(error);
    }
  }
}
