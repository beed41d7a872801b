import type { DocumentText } from "../api.js";
import { ToolError } from "./arguments.js";
import { type Bundle, type Contents, placeName } from "./bundle.js";
import { projectNamed } from "./narrowing.js";

const MOST_NAMED = 8;
/** File name endings that addresses of pages leave out. */
const ENDINGS = ["", ".md", ".html", "/index.html", "/index.md"];

/** Returns the whole text of a document. */
export function textOfDocument({ sections }: DocumentText): string {
  return sections.map(({ text }) => text).join("");
}

/**
 * Returns the document that a name stands for: its id, path or address, with or without an ending. If there is none, the error
 * suggests similar documents.
 */
export async function documentNamed(bundle: Bundle, contents: Contents, name: string, project?: string): Promise<DocumentText> {
  const projects = project === undefined ? contents.projects.map((known) => known.name) : [projectNamed(contents, project)];
  for (const path of pathsOf(name)) {
    const whole = project === undefined ? await bundle.search.document(path) : null;
    if (whole) {
      return whole;
    }
    const found = (await Promise.all(projects.map((front) => bundle.search.document(`${front}/${path}`)))).filter((one) => one !== null);
    if (found.length === 1) {
      return found[0]!;
    }
    if (found.length > 1) {
      const names = found.slice(0, MOST_NAMED).map((one) => placeName(contents, one.project, one.path));
      throw new ToolError(`${found.length} documents are called ${JSON.stringify(name)}: ask for one of ${names.join(", ")}`);
    }
  }
  const where = project === undefined ? "" : ` in project ${projects[0]}`;
  const near = await nearNames(bundle, contents, name);
  const what = near.length > 0 ? `; did you mean ${near.join(", ")}?` : ": search finds documents by content, and grep finds lines in them";
  throw new ToolError(`there is no document ${JSON.stringify(name)}${where}${what}`);
}

/**
 * Returns the paths that a name may stand for, most likely first. An address may begin with folders that the path does not have.
 */
function pathsOf(name: string): string[] {
  const isAddress = name.includes("://");
  let path = name.trim();
  if (isAddress) {
    path = path.replace(/^[^:]*:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
    try {
      path = decodeURIComponent(path);
    } catch {
      // The path contains a literal percent sign.
    }
  }
  path = path
    .replaceAll("\\", "/")
    .replace(/^(\.?\/)+/, "")
    .replace(/\/+$/, "");
  const folders = path.split("/");
  const ends = isAddress ? folders.map((_, at) => folders.slice(at).join("/")) : [path];
  const stems = ends.flatMap((end) => (isAddress && /\.html?$/.test(end) ? [end, end.replace(/\.html?$/, "")] : [end]));
  return [...new Set(stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending)))].filter(Boolean);
}

/** Returns the names of documents that a search for the words in `name` finds. */
async function nearNames(bundle: Bundle, contents: Contents, name: string): Promise<string[]> {
  const words = name
    .split(/[^\p{L}\p{N}]+/u)
    .join(" ")
    .trim();
  if (words === "") {
    return [];
  }
  const { hits } = await bundle.search.query(words, { mode: "words", limit: 3 });
  return [...new Set(hits.map((hit) => placeName(contents, hit.project, hit.path)))];
}
