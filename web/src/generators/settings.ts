/** The folder of the index in a site. */
export const FOLDER = "nearfind";
/** The script of the box, in the folder of the index. */
export const SCRIPT = "box/box.js";

/** The search settings of a site. */
export interface NearfindSettings {
  /** Further options of `nearfind index`, such as `["--ship-model"]`. */
  options?: string[];
  /** Attributes of the search box, such as `{ placeholder: "Ask the docs" }`. */
  attributes?: Record<string, string>;
}
