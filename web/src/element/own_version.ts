/** Returns the one of `versions` that the page is about: the one it declares for DocSearch, or else a folder of its address. */
export function ownVersion(versions: string[]): string | undefined {
  const said = document.querySelector<HTMLMetaElement>("meta[name='docsearch:version']")?.content ?? "";
  return [...said.split(","), ...location.pathname.split("/")].find((name) => versions.includes(name));
}
