/** The one of `versions` that the page is about: as it tells DocSearch, else as a folder of its address is called. */
export function ownVersion(versions: string[]): string | undefined {
  const said = document.querySelector<HTMLMetaElement>("meta[name='docsearch:version']")?.content ?? "";
  return [...said.split(","), ...location.pathname.split("/")].find((name) => versions.includes(name));
}
