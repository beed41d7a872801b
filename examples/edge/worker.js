// An edge function that answers /?q=… from a published bundle, without a file system and without a server. Cloudflare Workers and
// similar platforms import a `.wasm` file as a compiled module. On other platforms, pass `wasm: fetch("…/search.wasm")`.
import { open } from "nearfind/slim";
import wasm from "nearfind/search.wasm";

let search;

export default {
  async fetch(request, { BUNDLE }) {
    const text = new URL(request.url).searchParams.get("q") ?? "";
    try {
      // Opened by the first request, and kept for the next ones.
      search ??= open(BUNDLE, { wasm });
      const { hits } = await (await search).query(text, { limit: 5, signal: request.signal });
      return Response.json(hits.map(({ title, url, anchor, excerpt }) => ({ title, url, anchor, excerpt: excerpt.text })));
    } catch (error) {
      search = undefined;
      return Response.json({ error: error.message }, { status: error.code === "empty-query" ? 400 : 502 });
    }
  },
};
