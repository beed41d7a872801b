import type { GrepAnswer, GrepLine } from "../../api.js";
import { NearfindError } from "../../errors.js";
import { type Given, ToolError, ensure, flag, requiredText, textOf, textsOf, within } from "../arguments.js";
import { type Bundle, type Contents, contentsOf, shortName } from "../bundle.js";
import { kindsNamed, pathsNamed, projectNamed } from "../narrowing.js";
import { safeExpression } from "../safe_expression.js";
import { counted, fenced, fitting, notes, oneLine } from "../text.js";
import type { Tool } from "./tool.js";

const LIMITS = [1, 500] as const;
const OFFSETS = [0, 100_000_000] as const;
const CONTEXTS = [0, 20] as const;
/** Argument names for the number of lines around a match. */
const CONTEXT_NAMES = ["context_lines", "context", "lines", "-A", "-B", "-C", "_a", "_b", "_c"];
/** Arguments of other tools that have no effect here: this tool always does what they request, or never does. */
const IGNORED = ["-n", "_n", "line_numbers", "output_mode", "multiline"];

export const grep: Tool = {
  name: "grep",
  takes: [
    ...["pattern", "regex", "ignore_case", "project", "path", "path_regex", "kind", "language", "context_lines", "max_results"],
    "offset",
  ],
  aliases: {
    ...{ query: "pattern", text: "pattern", q: "pattern", is_regex: "regex", use_regex: "regex", _i: "ignore_case" },
    ...{ i: "ignore_case", case_insensitive: "ignore_case", projects: "project", project_name: "project", package: "project" },
    ...{ library: "project", repo: "project", glob: "path", include: "path", include_pattern: "path", target_directories: "path" },
    ...{ file: "path", type: "language", lang: "language", limit: "max_results", count: "max_results", max_count: "max_results" },
    ...{ head_limit: "max_results", skip: "offset", start: "offset" },
  },
  needsGrep: true,
  /**
   * Calls may use the opposite of a flag, request lines on one side only, or request output formats that this tool does not
   * offer.
   */
  adapt(raw) {
    const given: Given = { ...raw };
    for (const name of ["case_sensitive", "match_case"]) {
      if (given[name] !== undefined) {
        given.ignore_case ??= String(given[name]).toLowerCase() !== "true";
        delete given[name];
      }
    }
    for (const name of IGNORED) delete given[name];
    const contexts = CONTEXT_NAMES.map((name) => given[name]).filter((value) => value !== undefined && value !== null);
    for (const name of CONTEXT_NAMES) delete given[name];
    if (contexts.length > 0) {
      // Use the largest number, because lines are shown on both sides.
      given.context_lines = contexts.find((value) => Number.isNaN(Number(value))) ?? Math.max(...contexts.map(Number));
    }
    return given;
  },
  async run(bundle, given) {
    const pattern = requiredText(given, "pattern");
    ensure(pattern !== "", "argument `pattern` is empty: pass exact text or a regular expression");
    const [regex, ignoreCase] = [flag(given, "regex"), flag(given, "ignore_case")];
    const offset = within(given, "offset", OFFSETS, 0);
    const limit = within(given, "max_results", LIMITS, 20);
    const context = within(given, "context_lines", CONTEXTS, 0);
    const contents = await contentsOf(bundle);
    const paths = pathsNamed(contents, textsOf(given, "path"), textsOf(given, "path_regex"));
    const projects = textsOf(given, "project").map((name) => projectNamed(contents, name));
    const notices: string[] = [];
    if (kindsNamed(contents, textOf(given, "kind")).length + textsOf(given, "language").length > 0) {
      notices.push("kind and language are not available here: all documents were searched");
    }
    const ofProjects = projects.length > 0 ? projects : (paths?.projects ?? []);
    const find = (isRegex: boolean, isAnyCase: boolean): Promise<GrepAnswer> =>
      linesOf(bundle, pattern, isRegex, isAnyCase, {
        ...{ offset, limit, context },
        ...(ofProjects.length > 0 && { project: ofProjects }),
        ...(paths && { path: new RegExp(paths.expression, "u") }),
      });
    let answer = await find(regex === true, ignoreCase === true);
    const mayBeRegex = regex === undefined && /[\\?+*{([|^$.]/.test(pattern) && isExpression(pattern);
    if (answer.lines > 0 && mayBeRegex) {
      notices.push("treated as text: set regex=true for a regular expression");
    }
    // If no line contains the requested text, try other ways to read it.
    const ways: [boolean, boolean, string][] = [
      ...(mayBeRegex ? [[true, ignoreCase === true, "the pattern was treated as a regular expression"] as [boolean, boolean, string]] : []),
      ...(ignoreCase === undefined ? [[regex === true, true, "upper and lower case were ignored"] as [boolean, boolean, string]] : []),
      ...(mayBeRegex && ignoreCase === undefined
        ? [[true, true, "the pattern was treated as a regular expression without regard to case"] as [boolean, boolean, string]]
        : []),
    ];
    for (const [isRegex, isAnyCase, said] of ways) {
      if (answer.lines > 0) {
        break;
      }
      const other = await find(isRegex, isAnyCase);
      if (other.lines > 0) {
        answer = other;
        notices.push(`no line has this text: ${said}`);
      }
    }
    const found = answer.found.slice(0, fitting(answer.found));
    const next = offset + found.length;
    return [
      `${counted(answer.lines, "line")} in ${counted(answer.documents, "file")}\n`,
      notes(notices),
      fenced("", listed(contents, found)),
      next < answer.lines && found.length > 0 ? `there are more: next_offset = ${next}\n` : "",
    ].join("");
  },
};

function isExpression(pattern: string): boolean {
  try {
    return safeExpression(pattern) !== "";
  } catch {
    return false;
  }
}

async function linesOf(
  { search }: Bundle,
  pattern: string,
  isRegex: boolean,
  isAnyCase: boolean,
  options: Parameters<Bundle["search"]["grep"]>[1],
): Promise<GrepAnswer> {
  const wanted = isRegex ? new RegExp(safeExpression(pattern), isAnyCase ? "iu" : "u") : pattern;
  try {
    return await search.grep(wanted, { ...options, caseSensitive: !isAnyCase });
  } catch (error) {
    throw error instanceof NearfindError && error.code === "bad-pattern" ? new ToolError(error.message) : error;
  }
}

/** Returns lines with their numbers below the names of their documents. Lines between two matches appear once. */
function listed(contents: Contents, found: GrepLine[]): string {
  let text = "";
  let document = "";
  let shown = 0;
  for (const [at, match] of found.entries()) {
    if (match.document !== document) {
      [document, shown] = [match.document, 0];
      text += `${oneLine(shortName(contents, document))}\n`;
    }
    const first = match.line - match.before.length;
    const last = match.line + match.after.length;
    const following = found[at + 1];
    const next = following?.document === document ? following.line : Number.POSITIVE_INFINITY;
    if (shown > 0 && last > first && first > shown + 1) {
      text += "--\n";
    }
    for (const [number, line] of [...match.before, match.text, ...match.after].entries()) {
      const at = first + number;
      if (at === match.line) {
        text += `${at}${match.section === "" ? "" : ` [${oneLine(match.section)}]`}: ${line}\n`;
      } else if (at > shown && at < next) {
        text += `${at}- ${line}\n`;
      }
    }
    shown = Math.max(shown, Math.min(last, next - 1));
  }
  return text;
}
