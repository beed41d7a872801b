/** What finds lines: few pages look for them, so this is a file of its own. */
export { grepRequest } from "./engine/line_pattern.js";
export { newInstance } from "../wasm/grep/nearfind_grep.js";
