/** Exports the search for lines. It is a separate file because few pages search for lines. */
export { grepRequest } from "./engine/line_pattern.js";
export { newInstance } from "../wasm/grep/nearfind_grep.js";
