import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { NearfindError } from "../errors.js";
import { ToolError, named } from "./arguments.js";
import { type Bundle, type Contents, contentsOf } from "./bundle.js";
import { instructions } from "./instructions.js";
import { NoSuchResource, RESOURCES, TEMPLATES, readResource } from "./resources.js";
import { oneLine } from "./text.js";
import { type Offer, descriptionOf, listedTools, toolsOf } from "./tools/index.js";

/** How long a client may cache the list of tools and the text of a resource. */
const TOOLS_TTL = { ttlMs: 600_000, cacheScope: "public" } as const;
const TEXTS_TTL = { ttlMs: 30_000, cacheScope: "public" } as const;
/** The maximum number of characters in an error message, which may repeat the request. */
const MOST_ERROR = 2000;
const MOST_NAME = 100;
/** The error code for a missing resource, for clients with protocol version 2025-11-25. */
const RESOURCE_NOT_FOUND = -32_002;

/** The data that a server needs to answer requests. */
export interface Served {
  offer: Offer;
  version: string;
  /** Runs a call against one version of the bundle. */
  use<T>(run: (bundle: Bundle) => Promise<T>): Promise<T>;
}

/** Creates the server for one request. It reads the bundle for instructions only if the method returns instructions. */
export async function newServer({ offer, version, use }: Served, isModern: boolean, method: unknown): Promise<Server> {
  let known: Promise<Contents | undefined> | undefined;
  // If the bundle cannot be read, only the calls that need it fail, not the connection.
  const contents = (): Promise<Contents | undefined> => (known ??= use(contentsOf).catch(() => undefined));
  const listed = async () => listedTools(offer, await contents());
  const introduces = method === "initialize" || method === "server/discover";
  const server = new Server(
    {
      name: "nearfind",
      version,
      title: "nearfind: search of documentation and source code",
      description: "Finds documents and source code by words and meaning, and reads them, from an index",
    },
    {
      capabilities: { tools: {}, resources: {} },
      ...(introduces && {
        instructions: instructions(
          await contents(),
          (await listed()).map(({ name }) => name),
        ),
      }),
    },
  );
  server.setRequestHandler("tools/list", async () => ({
    tools: (await listed()).map((tool) => descriptionOf(offer, tool)),
    ...TOOLS_TTL,
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = toolsOf(offer).find(({ name }) => name === params.name);
    if (!tool) {
      const names = (await listed()).map(({ name }) => name).join(", ");
      const asked = JSON.stringify(oneLine(params.name, MOST_NAME));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${asked}: use one of ${names}`);
    }
    try {
      const given = params.arguments ?? {};
      const read = named(tool.adapt?.(given) ?? given, tool.takes, tool.aliases);
      return { content: [{ type: "text", text: await use((bundle) => tool.run(bundle, read)) }] };
    } catch (error) {
      return { content: [{ type: "text", text: saidOf(error) }], isError: true };
    }
  });
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES, ...TEXTS_TTL }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES, ...TOOLS_TTL }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    try {
      return { contents: [await use((bundle) => readResource(bundle, uri))], ...TEXTS_TTL };
    } catch (error) {
      if (error instanceof NoSuchResource) {
        throw new ProtocolError(isModern ? ProtocolErrorCode.InvalidParams : RESOURCE_NOT_FOUND, error.message, { uri });
      }
      throw new ProtocolError(ProtocolErrorCode.InternalError, saidOf(error));
    }
  });
  return server;
}

/** Returns the message of an error for a model. Unexpected errors are also logged. */
function saidOf(error: unknown): string {
  if (error instanceof ToolError || error instanceof NearfindError) {
    return error.message.slice(0, MOST_ERROR);
  }
  console.error(error);
  return error instanceof Error ? error.message.slice(0, MOST_ERROR) : "the call failed";
}
