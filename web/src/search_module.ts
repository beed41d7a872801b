/** Returns the address of the first part of the search module, which a page waits for. */
export function firstModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_first.wasm", import.meta.url);
}

/** Returns the address of the second part of the search module. */
export function laterModuleUrl(): URL {
  return new URL("../wasm/search/nearfind_search_later.wasm", import.meta.url);
}
