// An edge function that answers /?q=… from a published bundle: no file system, no server of ours. Cloudflare Workers and
// their like import a `.wasm` file compiled; elsewhere give `wasm: fetch("…/search.wasm")`.
import { open } from "nearfind/slim";
import wasm from "nearfind/search.wasm";

let search;

export default {
  async fetch(request, { BUNDLE }) {
    const text = new URL(request.url).searchParams.get("q") ?? "";
    try {
      // Opened by the first request, kept for the next ones.
      search ??= open(BUNDLE, { wasm });
      const { hits } = await (await search).query(text, { limit: 5, signal: request.signal });
      return Response.json(hits.map(({ title, url, anchor, excerpt }) => ({ title, url, anchor, excerpt: excerpt.text })));
    } catch (error) {
      search = undefined;
      return Response.json({ error: error.message }, { status: error.code === "empty-query" ? 400 : 502 });
    }
  },
};
