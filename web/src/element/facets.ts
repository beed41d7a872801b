import type { FilterCounts } from "../api.js";
import { button, create } from "./create.js";
import { formatName } from "./document_format.js";
import { orElse, type Strings } from "./strings.js";

/** The maximum number of values to offer for a property: those with the most documents. */
const MOST = 12;

/**
 * Creates a row of switches for each property with several values. `chosen` contains the active values, and `choose` toggles a
 * value.
 */
export function facets(
  counts: FilterCounts[],
  chosen: Record<string, string[]>,
  language: string,
  strings: Strings,
  choose: (name: string, value: string) => void,
): HTMLElement[] {
  const languages = new Intl.DisplayNames([language], { type: "language" });
  const shown = (name: string, value: string): string =>
    name === "language" ? orElse(() => languages.of(value)!, value) : name === "format" ? formatName(value, strings) : value;
  return counts.map(({ name, values }) => {
    const isOn = (value: string): boolean => chosen[name]?.includes(value) ?? false;
    const offered = values
      .filter(({ value, documents }) => documents > 0 || isOn(value))
      .sort((a, b) => b.documents - a.documents)
      .slice(0, MOST);
    const label = name.replaceAll("_", " ");
    const row = create("div", { part: "facet", role: "group", "aria-label": label }, create("span", { "aria-hidden": "true" }, label));
    row.append(
      ...offered.map(({ value, documents }) =>
        button(
          { part: "choice", "aria-pressed": String(isOn(value)) },
          () => choose(name, value),
          shown(name, value),
          " ",
          create("small", {}, String(documents)),
        ),
      ),
    );
    row.hidden = offered.length < 2 && !offered.some(({ value }) => isOn(value));
    return row;
  });
}
