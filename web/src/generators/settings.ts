/** Folder of the index in a site. */
export const FOLDER = "nearfind";
/** The script of the box, in the folder of the index. */
export const SCRIPT = "box/box.js";

/** What a site says of its search. */
export interface NearfindSettings {
  /** More options of `nearfind index`, such as `["--ship-model"]`. */
  options?: string[];
  /** Attributes of the search box, such as `{ placeholder: "Ask the docs" }`. */
  attributes?: Record<string, string>;
}
