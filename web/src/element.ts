/**
 * The search box as a class, for pages that define the element themselves, perhaps under another name. `nearfind/define` defines
 * it as `<nearfind-search>`.
 *
 * @packageDocumentation
 */
export { NearfindSearch, type Display, type NearfindSearchEventMap } from "./element/search_element.js";
export type { Strings } from "./element/strings.js";
export type { Answer, Hit, Passage, Search } from "./api.js";
