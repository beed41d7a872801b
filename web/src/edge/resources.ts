/** Documents and projects as resources, at `nearfind://projects` and `nearfind://documents/PROJECT/PATH`. */
import { type Bundle, contentsOf } from "./bundle.js";
import { counted, oneLine } from "./text.js";
import { DOCUMENTS, PROJECTS, documentAt } from "./uris.js";
import { textOfDocument } from "./whole_document.js";

const MIME_TYPE = "text/markdown";

/** The listed resources. Clients find documents by search, and read them by address. */
export const RESOURCES = [
  {
    uri: PROJECTS,
    name: "projects",
    title: "All projects",
    description: "The projects of the index",
    mimeType: MIME_TYPE,
  },
];

/** The templates of addresses. */
export const TEMPLATES = [
  {
    uriTemplate: `${DOCUMENTS}/{project}/{+path}`,
    name: "document",
    title: "A document",
    description: "The whole text of a document, by its project and path from search",
    mimeType: MIME_TYPE,
  },
];

/** The error for an address without a resource. The message says why. */
export class NoSuchResource extends Error {}

/** Returns the text at an address. */
export async function readResource(bundle: Bundle, uri: string): Promise<{ uri: string; mimeType: string; text: string }> {
  return { uri, mimeType: MIME_TYPE, text: await textAt(bundle, uri) };
}

async function textAt(bundle: Bundle, uri: string): Promise<string> {
  if (uri === PROJECTS) {
    const { projects } = await contentsOf(bundle);
    return projects.map(({ name, documents }) => `- ${oneLine(name)}: ${counted(documents, "document")}\n`).join("");
  }
  const place = documentAt(uri);
  if (!place) {
    throw new NoSuchResource(`there is no resource ${oneLine(uri)}: ${PROJECTS} lists them`);
  }
  const document = await bundle.search.document(`${place.project}/${place.path}`);
  if (!document) {
    const [path, project] = [place.path, place.project].map((name) => JSON.stringify(oneLine(name)));
    throw new NoSuchResource(`there is no document ${path} in project ${project}`);
  }
  return textOfDocument(document);
}
