import type { OnProgress, ModelFile } from "../sources/model_file.js";
import type { Source } from "../sources/source.js";
import type { Manifest, PackFile } from "./manifest.js";
import type { WasmModules } from "./modules.js";
import type { QuestionEncoder } from "./question_encoder.js";

/** Opens the pack that options name. The pack's hash should be `hash`, unless `hash` is empty. */
export type ChosenModel = (hash: string) => Promise<ModelFile>;

/** A pack that can encode questions for a bundle, before the pack is read. */
export interface QuestionPack {
  /** The name of the bundle's model. */
  name: string;
  hash: string;
  module: "embed" | "embed-onnx";
  /** The file of the pack, if the bundle ships it. */
  file: PackFile | undefined;
  /** The source of that file. */
  source: Source;
  /** The pack that options name instead of that file. */
  chosen: ChosenModel | undefined;
}

/** Encodes questions with a pack. The pack and the code that runs it are loaded with the first question that needs them. */
export class LazyEncoder {
  readonly pack: QuestionPack;
  readonly #modules: WasmModules;
  #encoder: QuestionEncoder | undefined;

  constructor(pack: QuestionPack, modules: WasmModules) {
    this.pack = pack;
    this.#modules = modules;
  }

  /** Whether the pack is loaded. */
  get isReady(): boolean {
    return this.#encoder?.isReady ?? false;
  }

  async load(onProgress?: OnProgress): Promise<void> {
    await (await this.#made()).load(onProgress);
  }

  async encode(text: string): Promise<Float32Array> {
    return (await this.#made()).encode(text);
  }

  free(): void {
    this.#encoder?.free();
  }

  async #made(): Promise<QuestionEncoder> {
    const Loaded = await this.#modules.questionEncoder();
    this.#encoder ??= new Loaded(this.pack, this.#modules);
    return this.#encoder;
  }
}

/** The question encoders of a bundle, best first. */
export interface LazyEncoders {
  model: LazyEncoder | undefined;
  small: LazyEncoder | undefined;
}

/** Returns the question encoders for bundles made with the same model. `manifests` and `sources` have the same order. */
export function lazyEncoders(
  manifests: Manifest[],
  sources: Source[],
  modules: WasmModules,
  chosen: ChosenModel | undefined,
): LazyEncoders {
  const first = (has: (model: Manifest["model"]) => unknown): number => manifests.findIndex(({ model }) => has(model));
  const [withFile, withSmall] = [first(({ file }) => file), first(({ small }) => small)];
  const at = Math.max(withFile, 0);
  const { name, hash, module = "embed", file } = manifests[at]!.model;
  const encoder = (pack: QuestionPack): LazyEncoder => new LazyEncoder(pack, modules);
  const small = manifests[withSmall]?.model.small;
  return {
    model: module === "table" || module === "provider" ? undefined : encoder({ name, hash, module, file, source: sources[at]!, chosen }),
    small: small && encoder({ name, hash: small.hash, module: "embed", file: small, source: sources[withSmall]!, chosen: undefined }),
  };
}
