/** Finds locations in documents by the names that answers use, such as `guide.md:12-40` or `guide.md#colors`. */
import type { DocumentText } from "../api.js";
import { ToolError } from "./arguments.js";

const MOST_NAMED = 12;

/** Lines of a document, starting at 1. If `last` is missing, the lines extend to the end. */
export interface Lines {
  first: number;
  last?: number | undefined;
}

/** A name, split into the document and the lines or section that follow it. */
export interface NamedPlace {
  name: string;
  lines?: Lines;
  place?: string;
  /** Whether `place` is the anchor of an address. Such an anchor may belong to the web page instead of the document. */
  isAnchor?: boolean;
}

/** Splits a name. */
export function placeNamed(text: string): NamedPlace {
  const name = text.trim();
  const isAddress = name.includes("://");
  const [, before, behind] = /^(.+)#([^#]+)$/s.exec(name) ?? [];
  if (before !== undefined && behind !== undefined && behind.trim() !== "") {
    const lines = /^l\d/i.test(behind) ? lineRange(behind) : undefined;
    const path = (isAddress ? undefined : linesBehind(before)?.name) ?? before;
    return lines ? { name: path.trim(), lines } : { name: path.trim(), place: behind.trim(), isAnchor: isAddress };
  }
  return (isAddress ? undefined : linesBehind(name)) ?? { name };
}

function linesBehind(name: string): NamedPlace | undefined {
  const [, path, behind] = /^(.+):([^:]*)$/s.exec(name) ?? [];
  const lines = path === undefined ? undefined : lineRange(behind!);
  return lines && { name: path!, lines };
}

/** Returns the lines that `12`, `12-40`, `L12-L40` or `12-` stand for. Line 0 means line 1. */
export function lineRange(text: string): Lines | undefined {
  const isToEnd = /[-–]$/.test(text.trim());
  const parts = text
    .trim()
    .replace(/[-–]$/, "")
    .split(/[,\-–]/)
    .map((part) => /^\s*[Ll]?(\d{1,9})\s*$/.exec(part)?.[1]);
  if (parts.some((part) => part === undefined)) {
    return undefined;
  }
  const numbers = parts.map((part) => Math.max(1, Number(part)));
  return { first: Math.min(...numbers), last: isToEnd ? undefined : Math.max(...numbers) };
}

/** Returns the first line of the section with this name. If there is none, the error lists the existing sections. */
export function lineOfSection(document: DocumentText, place: string): number {
  const wanted = plain(place).replace(/^#/, "");
  let best = { likeness: 0, line: 1 };
  let line = 1;
  for (const { section, anchor, text } of document.sections) {
    const likeness = likenessOf(plain(section), plain(anchor), wanted);
    if (likeness > best.likeness) {
      best = { likeness, line };
    }
    line += text.split("\n").length - 1;
  }
  if (best.likeness === 0) {
    const known = document.sections.map(({ section, anchor }) => section || anchor).filter(Boolean);
    const names = [...new Set(known)];
    const more = names.length > MOST_NAMED ? ", …" : "";
    throw new ToolError(`${document.path} has no ${JSON.stringify(place)}: it has ${names.slice(0, MOST_NAMED).join("; ")}${more}`);
  }
  return best.line;
}

/** Returns how well a section matches the wanted name; 0 if it does not match. */
function likenessOf(title: string, anchor: string, wanted: string): number {
  const [, page] = /^(?:page|p\.)?\s*(\d+)$/.exec(wanted) ?? [];
  const last = title.split(" > ").at(-1)!;
  if (title === wanted || anchor === wanted || last === wanted) {
    return 4;
  }
  if (page !== undefined) {
    return anchor === `page=${page}` ? 3 : 0;
  }
  if ([": ", ", "].some((end) => last.startsWith(wanted + end))) {
    return 2;
  }
  return wanted.length > 2 && title.includes(wanted) ? 1 : 0;
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
