/** The attributes of `<nearfind-search>`: see `NearfindSearch` in `nearfind/element`. */
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
  ask?: string | boolean;
  "ask-api"?: NearfindAskAttributes["api"];
  "ask-llm"?: string;
  "ask-ways"?: string;
  "ask-assistants"?: string;
  agents?: "none";
  worker?: string;
  wasm?: string;
}

/** The attributes of `<nearfind-ask>`: see `NearfindAsk` in `nearfind/ask`. */
export interface NearfindAskAttributes {
  endpoint?: string;
  api?: "chat" | "anthropic";
  llm?: string;
  ways?: string;
  assistants?: string;
  display?: "button" | "none";
  bundle?: string;
  base?: string;
  filters?: string;
  language?: string;
  model?: string;
  worker?: string;
  wasm?: string;
  shortcuts?: "none";
  theme?: "light" | "dark";
  lang?: string;
}
