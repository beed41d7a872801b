/**
 * Answers in a panel beside the page. This entry defines `<nearfind-ask>`, which loads everything else when a reader opens it. A
 * search box with the `ask` attribute imports this entry automatically.
 *
 * @packageDocumentation
 */
import { NearfindAsk } from "./ask/ask_element.js";
import type { Scope } from "./element/scope.js";

export { NearfindAsk, type NearfindAskEventMap } from "./ask/ask_element.js";
export type { AskStrings } from "./ask/strings.js";

// Like the box, a script next to an index finds that index by itself.
NearfindAsk.bundle = /^(.*\/)box\/ask\.js$/.exec(import.meta.url)?.[1] ?? NearfindAsk.bundle;
if (globalThis.customElements?.get("nearfind-ask") === undefined) {
  globalThis.customElements?.define("nearfind-ask", NearfindAsk);
}

/** The panels that boxes have opened. Boxes that search the same bundle share one panel. */
const panels = new Map<string, NearfindAsk>();

/**
 * Returns a search box's panel, which shares the box's search. Attributes of the box that begin with `ask-` become attributes of
 * the panel, and the value of `ask` becomes the endpoint.
 *
 * @example
 * ```ts
 * import { panelOf } from "nearfind/ask";
 * import "nearfind/define";
 * const box = document.querySelector("nearfind-search");
 * if (box) {
 *   await panelOf(box).show("How do I share data between threads?");
 * }
 * ```
 */
export function panelOf(box: HTMLElement & { readonly scope: Scope }): NearfindAsk {
  const key = JSON.stringify([box.getAttribute("bundle"), box.getAttribute("ask")]);
  const known = panels.get(key);
  if (known?.isConnected) {
    known.scope = () => box.scope;
    return known;
  }
  const panel = document.createElement("nearfind-ask");
  panels.set(key, panel);
  for (const { name, value } of box.attributes) {
    if (name.startsWith("ask-") || ["lang", "theme", "bundle", "model", "shortcuts"].includes(name)) {
      panel.setAttribute(name.replace("ask-", ""), value);
    }
  }
  panel.setAttribute("endpoint", box.getAttribute("ask") ?? "");
  panel.setAttribute("display", "none");
  panel.scope = () => box.scope;
  document.body.append(panel);
  return panel;
}
