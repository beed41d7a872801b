/** The tools, in the order in which they are listed. */
import type { Contents } from "../bundle.js";
import DESCRIPTIONS from "./descriptions.json" with { type: "json" };
import { connectorSearch, fetchDocument } from "./connector.js";
import { getDocument } from "./get_document.js";
import { grep } from "./grep.js";
import { listProjects } from "./list_projects.js";
import { search } from "./search.js";
import type { Tool } from "./tool.js";

const USUAL = [search, getDocument, grep, listProjects];
const CONNECTOR = [connectorSearch, fetchDocument];

/** Which tools a server offers. */
export interface Offer {
  isConnector: boolean;
  /** Whether the module that finds lines is available. */
  hasGrep: boolean;
}

/** A tool as it is described to clients. */
export interface Description {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object" };
  annotations: Record<string, unknown>;
}

/** Returns the tools that calls may name. */
export function toolsOf({ isConnector, hasGrep }: Offer): Tool[] {
  return isConnector ? CONNECTOR : USUAL.filter(({ needsGrep }) => hasGrep || !needsGrep);
}

/**
 * Returns the tools that a bundle has data for. If the bundle cannot be read, returns all tools, so that a call reports the
 * reason.
 */
export function listedTools(offer: Offer, contents: Contents | undefined): Tool[] {
  return toolsOf(offer).filter(({ isFor }) => !contents || !isFor || isFor(contents));
}

/** Returns a tool's description for clients. The native server uses the same descriptions. */
export function descriptionOf({ isConnector }: Offer, { name }: Tool): Description {
  const all = (isConnector ? DESCRIPTIONS.connector : DESCRIPTIONS.usual) as unknown as Description[];
  return all.find((description) => description.name === name)!;
}
