import { NearfindError } from "../errors.js";
import type { Source } from "../sources/source.js";

/** A model pack in a bundle. Its first `start_bytes` bytes are enough to start encoding. The rows for words follow. */
export interface PackFile {
  file: string;
  bytes: number;
  start_bytes?: number;
}

/** The fields of `nearfind.json` that a host reads. Core checks them. */
export interface Manifest {
  generation: string;
  /** The bytes of the root. */
  root: Uint8Array;
  model: {
    name: string;
    hash: string;
    /** The module that runs the model; default `embed`. Models of the kinds `table` and `provider` need no module. */
    module?: "embed" | "embed-onnx" | "table" | "provider";
    file?: PackFile;
    /** The small encoder, which may encode questions instead of the model. `loads` tells when to load it; default `auto`. */
    small?: PackFile & { hash: string; loads?: "ask" };
  };
}

/** Parses the manifest. The platform decodes JSON and Base64. */
export function readManifest(text: string): Manifest {
  try {
    const { generation, root, model } = JSON.parse(text);
    if (typeof generation === "string" && typeof root === "string" && typeof model?.hash === "string") {
      return { generation, root: Uint8Array.from(atob(root), (c) => c.charCodeAt(0)), model };
    }
  } catch {
    // The file is a web page, or was cut off. The error below reports this.
  }
  throw new NearfindError("bad-bundle", "nearfind.json is not a manifest: is the index published there?");
}

/** Fetches the manifest of a source's bundle. */
export async function fetchedManifest(source: Source, signal?: AbortSignal): Promise<Manifest> {
  return readManifest(new TextDecoder().decode(await source.whole("nearfind.json", signal)));
}
