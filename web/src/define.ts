/**
 * Defines `<nearfind-search>`; does nothing where it is defined already.
 *
 * @packageDocumentation
 */
import { NearfindSearch } from "./element.js";

if (globalThis.customElements?.get("nearfind-search") === undefined) {
  globalThis.customElements?.define("nearfind-search", NearfindSearch);
}

export { NearfindSearch };
