import { type Given, ToolError, ensure, named, requiredText, textOf, textsOf, whole, within } from "../arguments.js";
import { absolute, contentsOf, placeName } from "../bundle.js";
import { type Lines, lineOfSection, lineRange, placeNamed } from "../place_in_document.js";
import { RESPONSE_CHARS, beginning, charsOf, fenced, indexOfChar, notes, oneLine } from "../text.js";
import { documentNamed, textOfDocument } from "../whole_document.js";
import type { Tool } from "./tool.js";

const LINES = [1, 1_000_000] as const;
const FROM_LINES = [0, 1_000_000] as const;
const OFFSETS = [0, 100_000_000] as const;

export const getDocument: Tool = {
  name: "get_document",
  takes: ["path", "project", "section", "from_line", "to_line", "lines", "offset", "by_lines"],
  aliases: {
    ...{ document: "path", document_id: "path", doc: "path", id: "path", file: "path", file_path: "path", target_file: "path" },
    ...{ filename: "path", source_path: "path", name: "path", url: "path", uri: "path" },
    ...{ project_name: "project", package: "project", library: "project", repo: "project", repository: "project" },
    ...{ page: "section", slide: "section", sheet: "section", heading: "section", anchor: "section", place: "section" },
    ...{ symbol: "section", line: "from_line", from: "from_line", start: "from_line", start_line: "from_line" },
    ...{ start_line_one_indexed: "from_line", line_start: "from_line", first_line: "from_line" },
    ...{ to: "to_line", end: "to_line", end_line: "to_line", end_line_one_indexed_inclusive: "to_line", line_end: "to_line" },
    ...{ last_line: "to_line", limit: "lines", count: "lines", line_count: "lines", num_lines: "lines", max_lines: "lines" },
    ...{ range: "lines", line_range: "lines", view_range: "lines" },
  },
  /** Clients' own tools read files with `offset` and `limit`, both in lines. */
  adapt({ should_read_entire_file: _, ...given }) {
    const { limit, offset, ...others } = given;
    if (limit === undefined || limit === null) {
      return given;
    }
    const isStart = offset === 0 || offset === "0";
    return { ...others, limit, by_lines: true, ...(offset !== undefined && offset !== null && { from_line: isStart ? 1 : offset }) };
  },
  async run(bundle, given) {
    const path = requiredText(given, "path");
    ensure(path.trim() !== "", "argument `path` is empty: name a document");
    const offset = within(given, "offset", OFFSETS, 0);
    const contents = await contentsOf(bundle);
    const project = textOf(given, "project");
    const place = placeNamed(path);
    const document = await documentNamed(bundle, contents, place.name, project);
    const text = textOfDocument(document);
    const section = textsOf(given, "section").find((one) => one.trim() !== "") ?? place.place;
    const start = section === undefined ? undefined : startOf(document, section, place.isAnchor === true);
    const asked = linesOf(given, place.lines ?? (start === undefined ? undefined : { first: start }), start !== undefined);
    const lines = text.split(/(?<=\n)/);
    const name = placeName(contents, document.project, document.path);
    const total = text === "" ? 0 : lines.length;
    ensure(asked.first <= Math.max(total, 1), `${name} has ${total} lines: ask for one of them`);
    const wanted = lines.slice(asked.first - 1, asked.last).join("");
    // Blank lines at the start replace parts that were left out, such as front matter.
    const blank = offset === 0 && asked.first === 1 ? wanted.search(/[^\n]|$/) : 0;
    const at = blank || indexOfChar(wanted, offset);
    ensure(offset === 0 || at < wanted.length, `offset ${offset} is past the end of the text`);
    const { start: content, isAll } = beginning(wanted.slice(at), RESPONSE_CHARS);
    const newlines = (of: string): number => of.split("\n").length - 1;
    const fromLine = asked.first + newlines(wanted.slice(0, at));
    const shown = newlines(content) + (content === "" || content.endsWith("\n") ? 0 : 1);
    const toLine = fromLine + Math.max(shown - 1, 0);
    const isByLines = given.by_lines !== undefined;
    const notices: string[] = [];
    let nextLine = isAll ? undefined : content.endsWith("\n") ? toLine + 1 : toLine;
    if (isByLines && nextLine === fromLine) {
      notices.push(`line ${fromLine} is cut: it is longer than a response may be`);
      nextLine = fromLine + 1;
    }
    const url = absolute(bundle, 0, document.url);
    const end =
      !isAll && !isByLines
        ? `there is more: next_offset = ${charsOf(wanted.slice(0, at)) + charsOf(content)}\n`
        : nextLine !== undefined && nextLine <= total
          ? `there is more: continue from line ${nextLine}\n`
          : "";
    return [
      `# ${oneLine(document.title)}\ndocument: ${oneLine(name)}\n`,
      url === undefined ? "" : `url: ${oneLine(url)}\n`,
      `lines ${fromLine}-${toLine} of ${total}\n`,
      notes(notices),
      fenced("markdown", content),
      end,
    ].join("");
  },
};

/**
 * Returns the first line of a section. An unknown anchor in an address means line 1, because it may belong to the page around the
 * document.
 */
function startOf(document: Parameters<typeof lineOfSection>[0], section: string, isAnchor: boolean): number {
  try {
    return lineOfSection(document, section);
  } catch (error) {
    if (isAnchor && error instanceof ToolError) {
      return 1;
    }
    throw error;
  }
}

/** Returns the requested lines. `place` contains the lines that the path or the section names. */
function linesOf(given: Given, place: Lines | undefined, isSection: boolean): Lines {
  const start = place?.first ?? 1;
  // A number smaller than the section's first line counts from that line.
  const inFile = (line: number): number => (isSection && line < start ? start + line - 1 : line);
  const line = (name: string): number | undefined =>
    given[name] === undefined ? undefined : inFile(Math.max(1, within(given, name, FROM_LINES, 1)));
  const from = line("from_line");
  const to = given.to_line !== undefined && whole(given, "to_line") === -1 ? Number.POSITIVE_INFINITY : line("to_line");
  const first = from ?? start;
  const counted = countedLines(given.lines, first);
  const ofPlace = place?.last !== undefined && place.last >= first ? place.last : undefined;
  const { first: begin, last } = counted ?? { first, last: to ?? ofPlace };
  ensure(last === undefined || last >= begin, `line ${last} is before line ${begin}: pass the first line, then the last one`);
  return { first: begin, last: last === Number.POSITIVE_INFINITY ? undefined : last };
}

/** Returns the lines that an argument such as `40`, `100-140` or `[100, 140]` requests. `40` means 40 lines from `first`. */
function countedLines(given: unknown, first: number): Lines | undefined {
  if (given === undefined) {
    return undefined;
  }
  const text = (
    Array.isArray(given)
      ? given.join("-")
      : String(given)
          .trim()
          .replace(/^\[|\]$/g, "")
          .replaceAll(", ", "-")
  ).replace(/[-,:]-1$/, "-");
  if (/^-|^[^-–,:]*$/.test(text)) {
    const lines = within(named({ lines: text }, ["lines"], {}), "lines", LINES, 1);
    return { first, last: first + lines - 1 };
  }
  const range = lineRange(text.replaceAll(":", "-"));
  ensure(range !== undefined, `argument \`lines\`: ${JSON.stringify(text)} is neither a number of lines nor a range such as 100-140`);
  return range;
}
