/** Finds lines. Few pages search for lines, so this is a separate file. */
export { grepRequest } from "./engine/line_pattern.js";
export { newInstance } from "../wasm/grep/nearfind_grep.js";
