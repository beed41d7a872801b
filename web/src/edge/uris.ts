/** Addresses of resources: `nearfind://projects` and `nearfind://documents/PROJECT/PATH`. */

export const PROJECTS = "nearfind://projects";
export const DOCUMENTS = "nearfind://documents";

/** Escapes a name for use in an address. */
function escaped(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the address of a document. */
export function documentUri(project: string, path: string): string {
  return `${DOCUMENTS}/${escaped(project)}/${path.split("/").map(escaped).join("/")}`;
}

/** Returns the project and path of the document at an address; `undefined` if it is not the address of a document. */
export function documentAt(uri: string): { project: string; path: string } | undefined {
  const [, project, path] = uri.startsWith(`${DOCUMENTS}/`) ? (/^([^/]*)\/(.*)$/s.exec(uri.slice(DOCUMENTS.length + 1)) ?? []) : [];
  try {
    return project === undefined || path === undefined
      ? undefined
      : { project: decodeURIComponent(project), path: decodeURIComponent(path) };
  } catch {
    return undefined;
  }
}
