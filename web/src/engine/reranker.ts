import type { Hit } from "../api.js";
import { NearfindError } from "../errors.js";
import type { ModelFile } from "../sources/model_file.js";
import type { PassageReranker } from "../../wasm/embed/nearfind_embed_instance.js";

/** Loads the module that runs the model. */
type LoadModule = () => Promise<{ PassageReranker: typeof PassageReranker }>;

/** The cross-encoder that options name, if any. The first query that needs it loads it. This class computes no scores itself. */
export class Reranker {
  readonly #module: LoadModule;
  readonly #chosen: ((hash: string) => Promise<ModelFile>) | undefined;
  #loaded: Promise<PassageReranker> | undefined;

  constructor(module: LoadModule, chosen: ((hash: string) => Promise<ModelFile>) | undefined) {
    this.#module = module;
    this.#chosen = chosen;
  }

  /** Returns the hits, with the first `count` in the model's order and with the model's scores. */
  async order<H extends Hit & { text?: string }>(question: string, hits: H[], count: number): Promise<H[]> {
    const read = hits.slice(0, count);
    // There is nothing to rerank if there are no hits, or if the question has only phrases and exclusions, or no text.
    if (question.trim() === "" || read.length === 0) {
      return hits;
    }
    const model = await this.#load();
    try {
      const pinned = hits.filter((hit) => hit.pinned).length;
      const rows = model.rerank(
        question,
        read.map(({ text }) => text ?? ""),
        Float32Array.from(hits, ({ score }) => score),
        pinned,
      );
      return hits.map((_, at) => {
        const [place, score, relevance] = rows.subarray(3 * at) as unknown as [number, number, number];
        return { ...hits[place]!, score, ...(relevance >= 0 && { relevance }) };
      });
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  free(): void {
    this.#loaded?.then(
      (model) => model.free(),
      () => {},
    );
    this.#loaded = undefined;
  }

  #load(): Promise<PassageReranker> {
    if (!this.#loaded) {
      const loading = this.#read();
      this.#loaded = loading;
      loading.catch((error: unknown) => {
        // A failed download may succeed the next time. A complete but wrong pack would be wrong again.
        if (!(error instanceof NearfindError) || error.code === "network") {
          this.#loaded = undefined;
        }
      });
    }
    return this.#loaded;
  }

  async #read(): Promise<PassageReranker> {
    if (!this.#chosen) {
      throw new NearfindError("no-model", "there is no cross-encoder: pass its pack as option `reranker`");
    }
    const [{ PassageReranker }, file] = await Promise.all([this.#module(), this.#chosen("")]);
    const pack = await file.read();
    try {
      return new PassageReranker(pack);
    } catch (error) {
      throw NearfindError.from(error);
    }
  }
}
