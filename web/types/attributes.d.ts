/** The attributes of `<nearfind-search>`, see `NearfindSearch` of `nearfind/element`. */
export interface NearfindSearchAttributes {
  bundle?: string;
  display?: "button" | "modal" | "inline";
  placeholder?: string;
  limit?: number | string;
  filters?: string;
  facets?: string;
  sort?: string;
  preview?: boolean | "";
  shortcuts?: "none";
  param?: string;
  highlight?: "none";
  model?: string;
  theme?: "light" | "dark";
  lang?: string;
  language?: string;
  base?: string;
  agents?: "none";
  worker?: string;
  wasm?: string;
}
