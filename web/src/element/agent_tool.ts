/**
 * A tool that lets agents in the reader's browser search the site instead of reading its pages. Few browsers have an interface
 * for agents (https://webmachinelearning.github.io/webmcp/), so this is a separate file. It imports nothing, because the build
 * copies it unchanged.
 */
import type { destination } from "./destination.js";
import type { Scope } from "./scope.js";

const NAME = "search_documentation";
/** The maximum number of pages to return to an agent. */
const MOST = 20;

interface Tool {
  name: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean };
  execute(given: { query?: unknown; limit?: unknown }): Promise<{ content: { type: "text"; text: string }[]; isError?: boolean }>;
}

interface ModelContext {
  registerTool(tool: Tool, options: { signal: AbortSignal }): unknown;
  /** For browsers where a signal does not remove a tool. */
  unregisterTool?(name: string): unknown;
}

/** Offers the tool until `signal` is aborted. Each tool call reads `scope`, and `leads` returns the address of a passage. */
export function offerAgentTool(scope: () => Scope, leads: typeof destination, signal: AbortSignal): void {
  const context = (navigator as { modelContext?: ModelContext }).modelContext;
  if (!context?.registerTool || signal.aborted) {
    return;
  }
  const tool: Tool = {
    name: NAME,
    description: `Searches the documentation of ${location.host} by words and meaning. Returns titles, addresses and the passages that answer, best first.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: 'A question or some words; "phrases" and -exclusions work' },
        limit: { type: "integer", minimum: 1, maximum: MOST, default: 5 },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ query, limit }) => {
      try {
        return { content: [{ type: "text", text: await answer(scope(), leads, String(query ?? ""), Number(limit) || 5) }] };
      } catch (error) {
        return { content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }], isError: true };
      }
    },
  };
  const register = async (): Promise<void> => {
    await context.registerTool(tool, { signal });
    signal.addEventListener("abort", () => context.unregisterTool?.(NAME), { once: true });
  };
  // Another box on the page may have offered the tool, or a changed interface may reject it. Neither concerns the reader.
  register().catch(() => {});
}

async function answer(
  { search, filters, language, bases }: Scope,
  leads: typeof destination,
  query: string,
  limit: number,
): Promise<string> {
  const opened = await search;
  const { hits } = await opened.query(query, {
    filters,
    ...(language && { language }),
    limit: Math.min(Math.max(Math.floor(limit), 1), MOST),
    passages: 3,
  });
  const pages = hits.map((hit, at) => {
    const passages = [hit, ...hit.more].map((passage) => {
      const address = hit.url === null ? null : leads(hit.url, passage, bases[hit.bundle]!, false);
      return [passage.section || hit.title, address ?? hit.path, passage.excerpt.text].join("\n");
    });
    return `${at + 1}. ${hit.title}\n${passages.join("\n\n")}`;
  });
  return pages.join("\n\n") || "no page fits";
}
