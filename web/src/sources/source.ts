import type { ModelFile } from "./model_file.js";

/** The location of a bundle's files. Except for the manifest, a file never changes under its name. */
export interface Source {
  /** Whether the bundle is local, so that reading more of it costs nothing. */
  readonly isLocal: boolean;
  /** Opens the pack in `file`. Its hash should be `hash`. For a remote pack, the first `startBytes` bytes are enough. */
  model(file: string, hash: string, startBytes?: number): Promise<ModelFile>;
  /** Reads the whole `file`. */
  whole(file: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Reads `bytes` bytes of `file` from `start`. The size of the file is `fileBytes`. */
  range(file: string, fileBytes: number, start: number, bytes: number): Promise<Uint8Array>;
}
