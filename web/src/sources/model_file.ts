/** Called with the number of bytes read so far and their total, which is 0 if it is not known. */
export type OnProgress = (read: number, total: number) => void;

/** Opens the pack at a URL, or its first `startBytes` bytes. */
export type ModelAt = (url: URL, hash: string, startBytes?: number) => Promise<ModelFile>;

/** A model pack, wherever it is stored. */
export interface ModelFile {
  read(onProgress?: OnProgress): Promise<Uint8Array>;
  /** Stores a pack for the next visit, after it has proved sound. */
  keep?(pack: Uint8Array): Promise<void>;
  /** Discards a stored pack. Returns whether there was one. */
  forget?(): Promise<boolean>;
}
