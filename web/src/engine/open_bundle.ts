import type { Answer, DocumentText, FilterCounts, GrepAnswer } from "../api.js";
import { NearfindError, closed } from "../errors.js";
import { coalesce, type NeededBlock } from "./fetch_plan.js";
import type { Manifest } from "./manifest.js";
import type { Inflate } from "../sources/inflate.js";
import type { Source } from "../sources/source.js";

/** The methods that pass blocks to a searcher. */
interface Fed {
  add(root: Uint8Array): void;
  unseal(bundle: number, part: number, block: number, stored: Uint8Array): Uint32Array;
  provide(bundle: number, part: number, block: number, raw: Uint8Array): void;
  free(): void;
}

/** A class that reads bundles, exported by a module. */
export interface SearcherClass<S extends Fed> {
  new (root: Uint8Array): S;
  unsealRoot(generation: string, root: Uint8Array): Uint32Array;
}

/** An answer from the searcher. */
export type Found = Omit<Answer, "tookMs">;

/** The searcher's reply. Exactly one field is set. */
export interface Step {
  need?: NeededBlock[];
  preview?: Found;
  answer?: Found;
  document?: DocumentText | null;
  suggestions?: string[];
  filters?: FilterCounts[];
  grep?: GrepAnswer;
}

/** One generation of bundles that are searched as one: their searcher, and the blocks that are being loaded for it. */
export class OpenBundles<S extends Fed> {
  readonly searcher: S;
  readonly manifests: Manifest[];
  /** Identifies the generation: it changes when one of the bundles is replaced. */
  readonly generation: string;
  /** The model of all bundles. */
  readonly model: Manifest["model"];
  /** The small encoder of the first bundle that has one. */
  readonly small: Manifest["model"]["small"];
  readonly #sources: Source[];
  readonly #inflate: Inflate;
  /**
   * The blocks that are being loaded, shared by all queries, because the next query may need a block that an earlier one no
   * longer waits for.
   */
  readonly #onTheirWay = new Map<string, Promise<void>>();
  #isFreed = false;

  private constructor(searcher: S, manifests: Manifest[], sources: Source[], inflate: Inflate) {
    this.searcher = searcher;
    this.manifests = manifests;
    this.generation = generationOf(manifests);
    this.model = (manifests.find(({ model }) => model.file) ?? manifests[0]!).model;
    this.small = manifests.find(({ model }) => model.small)?.model.small;
    this.#sources = sources;
    this.#inflate = inflate;
  }

  /** Opens bundles from their manifests, and reads nothing else. Pass one manifest per source, and at least one. */
  static async of<S extends Fed>(
    manifests: Manifest[],
    Searcher: SearcherClass<S>,
    sources: Source[],
    inflate: Inflate,
  ): Promise<OpenBundles<S>> {
    const [first, other] = [manifests[0]!, manifests.find(({ model }) => model.hash !== manifests[0]!.model.hash)];
    if (other) {
      throw new NearfindError(
        "other-model",
        `indexes of different models, ${first.model.name} and ${other.model.name}: index with one model`,
      );
    }
    let searcher: S | undefined;
    try {
      for (const { generation, root } of manifests) {
        const raw = await opened(root, Searcher.unsealRoot(generation, root), inflate);
        if (searcher) {
          searcher.add(raw);
        } else {
          searcher = new Searcher(raw);
        }
      }
      return new OpenBundles(searcher!, manifests, sources, inflate);
    } catch (error) {
      searcher?.free();
      throw NearfindError.from(error);
    }
  }

  free(): void {
    this.#isFreed = true;
    this.searcher.free();
  }

  /** Requests blocks: neighbors in a file as one range, and all ranges at once. */
  bring(blocks: NeededBlock[]): Promise<void>[] {
    const name = ({ bundle, part, block }: NeededBlock): string => `${bundle}/${part}/${block}`;
    for (const run of coalesce(blocks.filter((block) => !this.#onTheirWay.has(name(block))))) {
      const coming = this.#bringRun(run).finally(() => run.forEach((block) => this.#onTheirWay.delete(name(block))));
      // Queries that wait for a block get the error. If none waits anymore, the error does not matter.
      coming.catch(() => {});
      run.forEach((block) => this.#onTheirWay.set(name(block), coming));
    }
    return blocks.map((block) => this.#onTheirWay.get(name(block)) ?? Promise.resolve());
  }

  async #bringRun(run: NeededBlock[]): Promise<void> {
    const [first, last] = [run[0]!, run.at(-1)!];
    const bytes = await this.#sources[first.bundle]!.range(
      first.file,
      first.file_bytes,
      first.start,
      last.start + last.bytes - first.start,
    );
    this.#ensureHeld();
    try {
      const raw = await Promise.all(
        run.map((block) => {
          const from = block.start - first.start;
          const stored = bytes.subarray(from, from + block.bytes);
          return opened(stored, this.searcher.unseal(block.bundle, block.part, block.block, stored), this.#inflate);
        }),
      );
      this.#ensureHeld();
      run.forEach((block, at) => this.searcher.provide(block.bundle, block.part, block.block, raw[at]!));
    } catch (error) {
      throw NearfindError.from(error);
    }
  }

  #ensureHeld(): void {
    if (this.#isFreed) {
      throw closed();
    }
  }
}

/** Returns a joint name for the generations of several manifests. */
export function generationOf(manifests: Manifest[]): string {
  return manifests.map(({ generation }) => generation).join();
}

/**
 * Returns the content of checked bytes. `sealed` contains the content's size, which is 0 if it is stored uncompressed, and the
 * start and end of the stream.
 */
async function opened(stored: Uint8Array, sealed: Uint32Array, inflate: Inflate): Promise<Uint8Array> {
  const [size, start, end] = sealed as unknown as [number, number, number];
  const body = stored.subarray(start, end);
  return size === 0
    ? body
    : inflate(body, size).catch((error: unknown) => {
        throw new NearfindError(
          "bad-bundle",
          `a block is damaged: copy or rebuild the index (${error instanceof Error ? error.message : error})`,
        );
      });
}
