import { button, create } from "./create.js";
import type { Strings } from "./strings.js";

/** A sort order that readers can choose. */
export interface Order {
  label: string;
  by: string;
  descending: boolean;
}

/** Returns the sort orders in an attribute such as `Newest=-date&Title=title`. */
export function ordersOf(attribute: string): Order[] {
  return [...new URLSearchParams(attribute)].map(([label, by]) => ({ label, by: by.replace(/^-/, ""), descending: by.startsWith("-") }));
}

/** Creates a row of switches, one of which is on: relevance or a sort order. */
export function orders(
  offered: Order[],
  chosen: Order | undefined,
  strings: Strings,
  choose: (order: Order | undefined) => void,
): HTMLElement {
  const choice = (order: Order | undefined): HTMLElement =>
    button({ part: "choice", "aria-pressed": String(order === chosen) }, () => choose(order), order?.label ?? strings.relevance);
  return create(
    "div",
    { part: "facet orders", class: "facet", role: "group", "aria-label": strings.sort },
    create("span", { "aria-hidden": "true" }, strings.sort),
    choice(undefined),
    ...offered.map(choice),
  );
}
