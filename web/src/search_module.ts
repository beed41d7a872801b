/** The part of the module that a page waits for. */
export function firstModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_first.wasm", import.meta.url);
}

/** Its other part. */
export function laterModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_later.wasm", import.meta.url);
}
