import type { Answer, DocumentText, Hit, Mode, QueryOptions } from "../../api.js";
import { NearfindError } from "../../errors.js";
import { type Given, ToolError, ensure, flag, namedTexts, requiredText, textOf, textsOf, within } from "../arguments.js";
import { type Bundle, type Contents, absolute, contentsOf, placeName, shortName } from "../bundle.js";
import { kindsNamed, pathsNamed, projectNamed } from "../narrowing.js";
import { type Passage, passageOf } from "../passage.js";
import { RESPONSE_CHARS, beginning, charsOf, counted, fenced, fitting, notes, oneLine } from "../text.js";
import { textOfDocument } from "../whole_document.js";
import type { Tool } from "./tool.js";

const RESULTS = [1, 50] as const;
const OFFSETS = [0, 150] as const;
const CONTENT_CHARS = [100, 1_000_000] as const;
/** The maximum number of characters of all contents together, and of a single one, if the call sets no limit. */
const USUAL_CONTENTS = 11_000;
const USUAL_CONTENT = 10_000;
/**
 * The maximum number of characters of the best passage, which is shown if the call sets neither `content` nor
 * `max_content_chars`.
 */
const PASSAGE_CHARS = 700;
const MOST_NEAREST = 5;
const TRUNCATED = "\n\n[... content truncated, use content='full' for complete content]";
const CUT = "\n\n[...]\n\n";
const SIGNS_ALONE = "the question has symbols but no words: use grep, which searches exact text";

const MODES: Record<string, Mode> = {
  ...{ hybrid: "hybrid", auto: "hybrid", words: "words", keyword: "words", keywords: "words", lexical: "words", bm25: "words" },
  ...{ meaning: "meaning", semantic: "meaning", vector: "meaning", dense: "meaning" },
};

type Content = "truncated" | "chunk" | "full" | "none";

/** A document that was found, with the text to show. */
interface Found {
  hit: Hit;
  document: DocumentText | null;
  passage: Passage;
  shown: string;
  /** First and last line of the text to show, if it is the best passage. */
  part: string;
}

export const search: Tool = {
  name: "search",
  takes: [
    ...["query", "project", "kind", "language", "class", "path", "path_regex", "content", "max_results", "max_content_chars"],
    ...["filters", "mode", "multi_hop", "offset"],
  ],
  aliases: {
    ...{ q: "query", question: "query", text: "query", search: "query", search_query: "query", topic: "query", keywords: "query" },
    ...{ prompt: "query", projects: "project", project_name: "project", package: "project", library: "project" },
    ...{ library_name: "project", library_id: "project", repo: "project", repository: "project", limit: "max_results" },
    ...{ top_k: "max_results", k: "max_results", n: "max_results", n_results: "max_results", num_results: "max_results" },
    ...{ count: "max_results", page_size: "max_results", max_chars: "max_content_chars", max_length: "max_content_chars" },
    ...{ include_content: "content", content_mode: "content", filter: "filters", path_filter: "path", glob: "path", file: "path" },
    ...{ folder: "path", target_directories: "path", include_pattern: "path", lang: "language", languages: "language" },
    ...{ type: "mode", search_type: "mode", start: "offset", skip: "offset" },
  },
  async run(bundle, given) {
    const query = requiredText(given, "query");
    ensure(query.trim() !== "", "argument `query` is empty: say what to search for");
    const limit = within(given, "max_results", RESULTS, 5);
    const offset = within(given, "offset", OFFSETS, 0);
    const fair = Math.min(Math.max(Math.floor(USUAL_CONTENTS / limit), CONTENT_CHARS[0]), USUAL_CONTENT);
    const mostChars = within(given, "max_content_chars", CONTENT_CHARS, fair);
    const content = contentOf(given);
    const isUsual = given.content === undefined && given.max_content_chars === undefined;
    const mode = modeOf(given);
    const contents = await contentsOf(bundle);
    const options: QueryOptions = { mode, filters: filtersOf(given, contents), texts: true, passages: 4 };
    const notices = flag(given, "multi_hop") ? ["multi_hop is not available here: the best answer to the question itself"] : [];
    const hasWords = /[\p{L}\p{N}]/u.test(query);
    let answer = hasWords && (await answerOf(bundle, query, { ...options, limit: offset + limit + 1 }));
    if (!answer) {
      return `0 results for ${quoted(query)}, by ${mode}\n${notes([...notices, SIGNS_ALONE])}${NOTHING}`;
    }
    const isFound = answer.hits.length > 0;
    if (!isFound && offset === 0) {
      // Show the nearest documents, although they may not answer the question.
      const { hits } = await bundle.search.query(query, { ...options, limit: Math.min(limit, MOST_NEAREST), unfit: true });
      answer = { ...answer, hits };
    }
    const hits = answer.hits.slice(offset, offset + limit);
    const read = async (hit: Hit): Promise<Found> => {
      const document = await bundle.search.document(`${hit.project}/${hit.path}`);
      const passage = passageOf(hit, document);
      const shown = isFound ? shownOf(hit, document, passage, content, mostChars, isUsual) : hit.excerpt.text;
      const isPassage = isFound && isUsual;
      const part = isPassage ? `${passage.line}-${passage.line + shown.trimEnd().split("\n").length - 1}` : "";
      return { hit, document, passage, shown, part };
    };
    const all = await Promise.all(hits.map(read));
    const found = all.slice(0, fitting(all.map(({ shown }) => shown)));
    const next = offset + found.length;
    const hasMore = isFound && (answer.hits.length > offset + limit || found.length < hits.length);
    return [
      `${counted(isFound ? found.length : 0, "result")} for ${quoted(query)}, by ${answer.mode}\n`,
      notes(answer.notice === undefined ? notices : [...notices, answer.notice]),
      ...answer.corrections.map(({ word, meant }) => `no document contains \`${word}\`: searched for \`${meant}\`\n`),
      ...answer.missingPhrases.map((phrase) => `no document contains the phrase "${oneLine(phrase)}": searched for its words\n`),
      isFound && found.length > 0 ? "" : found.length === 0 ? NOTHING : NEAREST,
      ...found.map((one, at) => entry(bundle, contents, at + 1, one)),
      hasMore && next <= OFFSETS[1] ? `\nthere are more: next_offset = ${next}\n` : "",
    ].join("");
  },
};

const NOTHING = "nothing found: try other words, or without project, path and filters\n";
const NEAREST = "nothing found that fits: try other words; these come nearest, and may not answer\n";

function quoted(text: string): string {
  return JSON.stringify(oneLine(text));
}

/** Returns the answer to a question; `undefined` if the question has no words. */
export async function answerOf(bundle: Bundle, query: string, options: QueryOptions): Promise<Answer | undefined> {
  try {
    return await bundle.search.query(query, options);
  } catch (error) {
    if (error instanceof NearfindError && error.code === "empty-query") {
      return undefined;
    }
    if (error instanceof NearfindError && ["bad-filter", "bad-query", "bad-limit"].includes(error.code)) {
      throw new ToolError(error.message);
    }
    throw error;
  }
}

function modeOf(given: Given): Mode {
  const name = textOf(given, "mode") ?? "hybrid";
  const mode = Object.hasOwn(MODES, name.toLowerCase()) ? MODES[name.toLowerCase()] : undefined;
  ensure(mode !== undefined, `argument \`mode\`: ${JSON.stringify(name)} is not hybrid, words or meaning; for exact text, use grep`);
  return mode;
}

function contentOf({ content = "truncated" }: Given): Content {
  const name = String(content).toLowerCase();
  const meant = { true: "truncated", false: "none" }[name] ?? name;
  ensure(
    ["truncated", "chunk", "full", "none"].includes(meant),
    `argument \`content\`: ${JSON.stringify(content)} is not truncated, chunk, full or none`,
  );
  return meant as Content;
}

/** Returns a call's filters, from separate arguments and from `filters`. */
function filtersOf(given: Given, contents: Contents): Record<string, string[]> {
  const { project = [], path = [], path_regex = [], code_language = [], ...others } = namedTexts(given, "filters");
  const paths = pathsNamed(contents, [...textsOf(given, "path"), ...path], [...textsOf(given, "path_regex"), ...path_regex]);
  const projects = [...textsOf(given, "project"), ...project].map((name) => projectNamed(contents, name));
  const all = {
    ...others,
    project: projects.length > 0 ? projects : (paths?.projects ?? []),
    kind: [...kindsNamed(contents, textOf(given, "kind")), ...(others.kind ?? [])],
    code_language: [...textsOf(given, "language"), ...code_language],
    class: [...textsOf(given, "class"), ...(others.class ?? [])],
    path_regex: paths ? [paths.expression] : [],
  };
  checkFilters(all, contents);
  return Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0));
}

/** If a filter or its value does not exist, throws an error that lists the existing ones. */
function checkFilters(filters: Record<string, string[]>, { facets }: Contents): void {
  for (const [name, values] of Object.entries(filters)) {
    if (values.length === 0 || ["project", "path_regex", "area", "sub_area", "since", "until"].includes(name)) {
      continue;
    }
    const known = facets.find((facet) => facet.name === name)?.values;
    const own = facets.length > 0 ? `, ${facets.map((facet) => facet.name).join(", ")}` : "";
    ensure(known !== undefined, `there is no filter \`${name}\`: filter by project, area, sub_area, path, path_regex, since, until${own}`);
    for (const value of values) {
      ensure(known.includes(value), `no document has ${name} \`${value}\`: use one of ${known.slice(0, 50).join(", ")}`);
    }
  }
}

/** Returns as much of a document's text as the call requests. */
function shownOf(hit: Hit, document: DocumentText | null, passage: Passage, content: Content, most: number, isUsual: boolean): string {
  const budget = Math.floor((RESPONSE_CHARS * 4) / 5);
  if (content === "none") {
    return hit.excerpt.text;
  }
  if (isUsual) {
    return beginning(passage.text, PASSAGE_CHARS).start;
  }
  if (content === "chunk" || !document) {
    return beginning(passage.text, budget).start;
  }
  const whole = textOfDocument(document);
  if (content === "full") {
    return shortened(whole, document, budget);
  }
  if (charsOf(whole) <= Math.min(most, budget)) {
    return whole;
  }
  const passages = [passage.text, ...hit.more.map(({ excerpt }) => excerpt.text)].join(CUT);
  return beginning(passages, Math.min(most, budget) - TRUNCATED.length).start + TRUNCATED;
}

/** Returns the start of a text, with the call that reads the rest if there is more. */
function shortened(text: string, { path, project }: DocumentText, most: number): string {
  const { start, isAll } = beginning(text, most);
  const call = `get_document(path=${JSON.stringify(path)}, project=${JSON.stringify(project)}, offset=${charsOf(start)})`;
  return isAll ? text : `${start}\n\n[... there is more: ${call}]`;
}

/** Returns a document as text. */
function entry(bundle: Bundle, contents: Contents, number: number, { hit, document, passage, shown, part }: Found): string {
  const url = absolute(bundle, hit.bundle, hit.url);
  const [, first, last] = /^L(\d+)(?:-L(\d+))?$/.exec(hit.anchor) ?? [];
  const isCode = first !== undefined && hit.document !== `${hit.project}/${hit.path}`;
  const lines = `${first}-${last ?? first}`;
  const facts = {
    // The title names what a piece of source code defines, and the passage begins with its signature.
    section: isCode ? "" : hit.section,
    about: document?.description,
    url: url && hit.anchor !== "" ? `${url}#${hit.anchor}` : url,
    versions: hit.versions.map(({ version }) => version).join(", "),
  };
  return [
    `\n## ${number}. ${oneLine(hit.title)}\n`,
    isCode
      ? `code: ${oneLine(placeName(contents, hit.project, hit.path))}:${lines}${part !== "" && part !== lines ? `, here ${part}` : ""}\n`
      : `document: ${oneLine(shortName(contents, hit.document))} (line ${passage.line})\n`,
    ...Object.entries(facts).map(([name, value]) => (value ? `${name}: ${oneLine(value)}\n` : "")),
    fenced(isCode ? "" : "markdown", shown),
  ].join("");
}
