/** Called with the bytes read so far and, where it is known, their total; else 0. */
export type OnProgress = (read: number, total: number) => void;

/** Gives the pack at a URL, or its first `startBytes`. */
export type ModelAt = (url: URL, hash: string, startBytes?: number) => Promise<ModelFile>;

/** A model pack, wherever it is. */
export interface ModelFile {
  read(onProgress?: OnProgress): Promise<Uint8Array>;
  /** Keeps a pack that proved sound for the next visit. */
  keep?(pack: Uint8Array): Promise<void>;
  /** Drops what was kept; whether anything was. */
  forget?(): Promise<boolean>;
}
