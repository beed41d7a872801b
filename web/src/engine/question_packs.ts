import type { OnProgress, ModelFile } from "../sources/model_file.js";
import type { Source } from "../sources/source.js";
import type { Manifest, PackFile } from "./manifest.js";
import type { WasmModules } from "./modules.js";
import type { QuestionEncoder } from "./question_encoder.js";

/** Finds a pack that the reader's options name; its hash should be `hash`, if that is known. */
export type ChosenModel = (hash: string) => Promise<ModelFile>;

/** A pack that encodes questions to a bundle, before it is read. */
export interface QuestionPack {
  /** Name of the bundle's model. */
  name: string;
  hash: string;
  module: "embed" | "embed-onnx";
  /** Its file, if the bundle has it. */
  file: PackFile | undefined;
  /** Where the file is. */
  source: Source;
  /** What the reader's options name in its place. */
  chosen: ChosenModel | undefined;
}

/** A pack that encodes questions, and what runs it, which comes with the first question that it is for. */
export class LazyEncoder {
  readonly pack: QuestionPack;
  readonly #modules: WasmModules;
  #encoder: QuestionEncoder | undefined;

  constructor(pack: QuestionPack, modules: WasmModules) {
    this.pack = pack;
    this.#modules = modules;
  }

  /** Whether it was loaded. */
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

/** What encodes questions to a bundle, the best first. */
export interface LazyEncoders {
  model: LazyEncoder | undefined;
  small: LazyEncoder | undefined;
}

/** What encodes questions to bundles of one model; `manifests` and `sources` go together. */
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
