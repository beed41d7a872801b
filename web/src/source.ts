/** Where the files of a bundle are read from. A file never changes under its name, the manifest aside. */
export interface Source {
  /** The whole of `file`. */
  whole(file: string, signal?: AbortSignal, onProgress?: (read: number, total: number) => void): Promise<Uint8Array>;
  /** `bytes` bytes of `file` from `start`. */
  range(file: string, start: number, bytes: number, signal?: AbortSignal): Promise<Uint8Array>;
}
