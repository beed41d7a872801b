// Answers AI agents on Cloudflare Workers, which compile an imported `.wasm` file.
import { createHandler } from "nearfind/edge";
import grep from "nearfind/grep.wasm";
import wasm from "nearfind/search.wasm";
import { settings } from "./settings.js";

export default { fetch: createHandler({ ...settings, wasm, grep }) };
