/** Returns the address of the search module's first part, which pages wait for. */
export function firstModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_first.wasm", import.meta.url);
}

/** Returns the address of the search module's second part. */
export function laterModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_later.wasm", import.meta.url);
}
