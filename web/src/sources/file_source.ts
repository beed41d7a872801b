import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelFile } from "./model_file.js";
import { NearfindError } from "../errors.js";
import type { Source } from "./source.js";

/** Reads files from a folder. */
export class FileSource implements Source {
  readonly isLocal = true;

  constructor(readonly folder: string) {}

  async whole(file: string, signal?: AbortSignal): Promise<Uint8Array> {
    try {
      return await readFile(join(this.folder, file), signal ? { signal } : {});
    } catch (error) {
      throw described(error, join(this.folder, file));
    }
  }

  async model(file: string): Promise<ModelFile> {
    return {
      read: async (onProgress) => {
        const pack = await this.whole(file);
        onProgress?.(pack.length, pack.length);
        return pack;
      },
    };
  }

  async range(file: string, _fileBytes: number, start: number, bytes: number): Promise<Uint8Array> {
    try {
      const handle = await open(join(this.folder, file));
      try {
        const { buffer, bytesRead } = await handle.read(new Uint8Array(bytes), 0, bytes, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw described(error, join(this.folder, file));
    }
  }
}

function described(error: unknown, path: string): unknown {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return new NearfindError("not-found", `${path} is missing: build an index with \`nearfind index\``);
  }
  return error;
}
