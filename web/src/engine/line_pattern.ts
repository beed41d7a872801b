/** Searches for lines with the platform's regular expressions. */
import type { GrepOptions } from "../api.js";
import { NearfindError } from "../errors.js";
import type { GrepRequest } from "../../wasm/grep/nearfind_grep_instance.js";

/** The maximum number of bytes of text that a search fetches, if bundles are not local. */
const MOST_BYTES = 16 << 20;
/** The maximum number of milliseconds for matching. */
const MOST_TIME = 10_000;
/** The number of lines between two checks of the time limit. */
const LINES_BETWEEN = 16;

/** The options of {@link Search.grep} that are sent to a worker. */
export type GrepSettings = Omit<GrepOptions, "signal">;

/** Creates the request for lines that match `pattern`. `atHand` tells whether all data is local. */
export function grepRequest(
  pattern: string | RegExp,
  { caseSensitive = false, project, path, limit = 50, offset = 0, context = 0 }: GrepSettings,
  atHand: boolean,
): GrepRequest {
  const expression = lineExpression(pattern, caseSensitive);
  const pathExpression = path && new RegExp(path.source, path.flags.replace(/[gy]/g, ""));
  const projects = project === undefined ? undefined : [project].flat();
  let spent = 0;
  return {
    // Core does not know the syntax that the `v` flag allows.
    source: typeof pattern === "string" ? pattern : pattern.flags.includes("v") ? "" : pattern.source,
    isExpression: typeof pattern !== "string",
    anyCase: expression.ignoreCase,
    limit,
    offset,
    context,
    mostBytes: atHand ? 0 : MOST_BYTES,
    atHand,
    matches(text) {
      const started = performance.now();
      const lines = text.split("\n");
      if (lines.at(-1) === "") {
        lines.pop();
      }
      const numbers: number[] = [];
      lines.forEach((line, number) => {
        if (number % LINES_BETWEEN === 0 && spent + performance.now() - started > MOST_TIME) {
          throw new NearfindError("bad-pattern", "the expression takes too long: make it simpler");
        }
        if (expression.test(line.endsWith("\r") ? line.slice(0, -1) : line)) {
          numbers.push(number);
        }
      });
      spent += performance.now() - started;
      return Uint32Array.from(numbers);
    },
    placeIn: (line) => Array.from(line.slice(0, Math.max(line.search(expression), 0))).length,
    accepts: (name, at) => (projects?.includes(name) ?? true) && (pathExpression?.test(at) ?? true),
  };
}

/** Returns an expression for a text, or the given expression without the flags that apply to more than one line. */
function lineExpression(pattern: string | RegExp, caseSensitive: boolean): RegExp {
  if (typeof pattern !== "string") {
    return new RegExp(pattern.source, pattern.flags.replace(/[gmy]/g, ""));
  }
  if (pattern === "" || pattern.includes("\n")) {
    throw new NearfindError("bad-pattern", "search for text in one line");
  }
  return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), caseSensitive ? "u" : "iu");
}
