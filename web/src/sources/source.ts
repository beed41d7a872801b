import type { ModelFile } from "./model_file.js";

/** Where the files of a bundle are read from. A file never changes under its name, the manifest aside. */
export interface Source {
  /** Whether all of the bundle is at hand, so that reading more of it costs nothing. */
  readonly isLocal: boolean;
  /** The pack in `file`, whose hash should be `hash`; of one that is far away `startBytes` are enough. */
  model(file: string, hash: string, startBytes?: number): Promise<ModelFile>;
  /** The whole of `file`. */
  whole(file: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** `bytes` bytes of `file` from `start`; the file has `fileBytes`. */
  range(file: string, fileBytes: number, start: number, bytes: number): Promise<Uint8Array>;
}
