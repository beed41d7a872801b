/**
 * The search box for a page without a bundler. `nearfind index` writes this script beside the bundle. It defines
 * `<nearfind-search>`, which finds that bundle by itself.
 *
 * @packageDocumentation
 */
import { NearfindSearch } from "./element.js";

NearfindSearch.bundle = new URL("..", import.meta.url).href;
if (customElements.get("nearfind-search") === undefined) {
  customElements.define("nearfind-search", NearfindSearch);
}
