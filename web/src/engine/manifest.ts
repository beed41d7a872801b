import { NearfindError } from "../errors.js";
import type { Source } from "../sources/source.js";

/** A model pack in a bundle; `start_bytes` of it are enough to begin with: rows of words follow them. */
export interface PackFile {
  file: string;
  bytes: number;
  start_bytes?: number;
}

/** The fields of `nearfind.json` that a host reads; the core checks them. */
export interface Manifest {
  generation: string;
  /** The root, as bytes. */
  root: Uint8Array;
  model: {
    name: string;
    hash: string;
    /** The module that runs it; default `embed`. None runs a `table`, nor what a `provider` runs. */
    module?: "embed" | "embed-onnx" | "table" | "provider";
    file?: PackFile;
    /** What may encode questions in the model's place; `loads` says when, default `auto`. */
    small?: PackFile & { hash: string; loads?: "ask" };
  };
}

/** Takes the manifest apart: JSON and Base64 are the platform's. */
export function readManifest(text: string): Manifest {
  try {
    const { generation, root, model } = JSON.parse(text);
    if (typeof generation === "string" && typeof root === "string" && typeof model?.hash === "string") {
      return { generation, root: Uint8Array.from(atob(root), (c) => c.charCodeAt(0)), model };
    }
  } catch {
    // A web page in its place, or a file that was cut: said below.
  }
  throw new NearfindError("bad-bundle", "nearfind.json is not a manifest: is the bundle published there?");
}

/** The manifest of the bundle that a source has. */
export async function fetchedManifest(source: Source, signal?: AbortSignal): Promise<Manifest> {
  return readManifest(new TextDecoder().decode(await source.whole("nearfind.json", signal)));
}
