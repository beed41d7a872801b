/**
 * The two tools that ChatGPT's connectors and deep research expect: `search` returns ids with titles and addresses, and `fetch`
 * returns a document's text.
 */
import { ensure, requiredText } from "../arguments.js";
import { absolute, contentsOf } from "../bundle.js";
import { RESPONSE_CHARS, beginning } from "../text.js";
import { documentUri } from "../uris.js";
import { documentNamed, textOfDocument } from "../whole_document.js";
import { answerOf } from "./search.js";
import type { Tool } from "./tool.js";

const RESULTS = 10;

export const connectorSearch: Tool = {
  name: "search",
  takes: ["query"],
  aliases: { q: "query", question: "query" },
  async run(bundle, given) {
    const query = requiredText(given, "query");
    ensure(query.trim() !== "", "argument `query` is empty: say what to search for");
    const answer = await answerOf(bundle, query, { limit: RESULTS });
    const results = new Map<string, { id: string; title: string; url: string }>();
    for (const hit of answer?.hits ?? []) {
      const id = `${hit.project}/${hit.path}`;
      // Several pieces of one file count as one document.
      if (!results.has(id)) {
        const isCode = /^L\d+/.test(hit.anchor) && hit.document !== id;
        const url = absolute(bundle, hit.bundle, hit.url) ?? documentUri(hit.project, hit.path);
        results.set(id, { id, title: isCode ? hit.path : hit.title, url });
      }
    }
    return JSON.stringify({ results: [...results.values()] });
  },
};

export const fetchDocument: Tool = {
  name: "fetch",
  takes: ["id"],
  aliases: { path: "id", url: "id", document: "id" },
  async run(bundle, given) {
    const id = requiredText(given, "id");
    ensure(id.trim() !== "", "argument `id` is empty: use the id of a search result");
    const document = await documentNamed(bundle, await contentsOf(bundle), id);
    const { project, path, title } = document;
    const { start, isAll } = beginning(textOfDocument(document), RESPONSE_CHARS);
    return JSON.stringify({
      id: `${project}/${path}`,
      title,
      text: start,
      url: absolute(bundle, 0, document.url) ?? documentUri(project, path),
      metadata: { path, project, ...(!isAll && { truncated: "true" }) },
    });
  },
};
