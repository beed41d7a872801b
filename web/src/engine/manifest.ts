import { NearfindError } from "../errors.js";
import type { Source } from "../sources/source.js";

/** A model pack in a bundle. Its first `start_bytes` are enough to begin with. The rows of words follow them. */
export interface PackFile {
  file: string;
  bytes: number;
  start_bytes?: number;
}

/** The fields of `nearfind.json` that a host reads. Core checks them. */
export interface Manifest {
  generation: string;
  /** The root, as bytes. */
  root: Uint8Array;
  model: {
    name: string;
    hash: string;
    /** The module that runs the model; default `embed`. No module runs `table` and `provider`. */
    module?: "embed" | "embed-onnx" | "table" | "provider";
    file?: PackFile;
    /** The small encoder, which may encode questions instead of the model. `loads` says when; default `auto`. */
    small?: PackFile & { hash: string; loads?: "ask" };
  };
}

/** Parses the manifest. JSON and Base64 are decoded by the platform. */
export function readManifest(text: string): Manifest {
  try {
    const { generation, root, model } = JSON.parse(text);
    if (typeof generation === "string" && typeof root === "string" && typeof model?.hash === "string") {
      return { generation, root: Uint8Array.from(atob(root), (c) => c.charCodeAt(0)), model };
    }
  } catch {
    // It is a web page, or a file that was cut. The error below says so.
  }
  throw new NearfindError("bad-bundle", "nearfind.json is not a manifest: is the bundle published there?");
}

/** Reads the manifest of the bundle of a source. */
export async function fetchedManifest(source: Source, signal?: AbortSignal): Promise<Manifest> {
  return readManifest(new TextDecoder().decode(await source.whole("nearfind.json", signal)));
}
