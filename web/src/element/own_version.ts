/**
 * Returns which of `versions` the page documents: the version that the page declares for DocSearch, or otherwise a version that
 * is a folder in the page's address.
 */
export function ownVersion(versions: string[]): string | undefined {
  const said = document.querySelector<HTMLMetaElement>("meta[name='docsearch:version']")?.content ?? "";
  return [...said.split(","), ...location.pathname.split("/")].find((name) => versions.includes(name));
}
