/**
 * Defines `<nearfind-search>`, unless it is already defined.
 *
 * @packageDocumentation
 */
import { NearfindSearch } from "./element.js";

if (globalThis.customElements?.get("nearfind-search") === undefined) {
  globalThis.customElements?.define("nearfind-search", NearfindSearch);
}

export { NearfindSearch };
