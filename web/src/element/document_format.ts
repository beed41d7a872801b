import type { Hit, Passage } from "../api.js";
import { fill, type Strings } from "./strings.js";

/**
 * Describes a file that is not a page, and the position of a passage in it: "PDF · page 34 · 1.4 MB", or "src/a.py:120" for
 * source code. Empty for pages.
 */
export function documentFormat({ meta, path }: Hit, { anchor }: Passage, strings: Strings, language: string): string {
  const { format, size } = meta;
  if (!format) {
    return "";
  }
  if (format === "code") {
    const line = /^L(\d+)/.exec(anchor)?.[1];
    return line ? `${path}:${line}` : path;
  }
  const page = /^page=(\d+)$/.exec(anchor)?.[1];
  const megabytes = Number(size) / 1e6;
  const unit = megabytes < 1 ? "kilobyte" : "megabyte";
  const amount = megabytes < 1 ? Math.ceil(megabytes * 1e3) : megabytes;
  return [
    formatName(format, strings),
    page && fill(strings.atPage, { n: page }),
    amount > 0 && new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(amount),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Returns the common name of a format. */
export function formatName(format: string, { formats }: Strings): string {
  return (Object.hasOwn(formats, format) && formats[format]) || format;
}
