import type { FilterCounts, Search } from "../api.js";

/** An open bundle, as tools see it. */
export interface Bundle {
  search: Search;
  /** The addresses that relative addresses of documents start from, one for each bundle; missing if a bundle has none. */
  bases: readonly (URL | undefined)[];
}

/** What can be filtered by, with the kinds of documents that tools ask about. */
export interface Contents {
  projects: { name: string; documents: number }[];
  /** Facets with their values, sorted by name. */
  facets: { name: string; values: string[] }[];
  kinds: string[];
  hasCode: boolean;
  hasDocuments: boolean;
  /** Whether there is more than one project, or something to filter by. */
  hasChoices: boolean;
}

const KIND = "kind";
const CODE = "code";
/** Facets of source code, which tools ask for by arguments of their own. */
const OF_CODE = [KIND, "code_language", "class", "format"];

export async function contentsOf({ search }: Bundle): Promise<Contents> {
  const filters = await search.filters();
  const valuesOf = (name: string): FilterCounts["values"] => filters.find((filter) => filter.name === name)?.values ?? [];
  const byName = (a: string, b: string): number => (a < b ? -1 : 1);
  const projects = valuesOf("project").map(({ value, documents }) => ({ name: value, documents }));
  const kinds = valuesOf(KIND).map(({ value }) => value);
  const facets = filters.filter(({ name }) => name !== "project");
  return {
    projects: projects.sort((a, b) => byName(a.name, b.name)),
    facets: facets
      .map(({ name, values }) => ({ name, values: values.map(({ value }) => value).sort(byName) }))
      .sort((a, b) => byName(a.name, b.name)),
    kinds: kinds.sort(byName),
    hasCode: kinds.includes(CODE),
    hasDocuments: kinds.length === 0 || kinds.some((kind) => kind !== CODE),
    hasChoices: projects.length > 1 || facets.some(({ name }) => !OF_CODE.includes(name)),
  };
}

/** Returns the name of a document in answers: its path if there is one project, else its project and path. */
export function placeName({ projects }: Contents, project: string, path: string): string {
  return projects.length === 1 && projects[0]!.name === project ? path : `${project}/${path}`;
}

/** Returns the name of something by its id, which begins with its project. */
export function shortName({ projects }: Contents, id: string): string {
  const only = projects.length === 1 ? `${projects[0]!.name}/` : "";
  return id.startsWith(only) ? id.slice(only.length) : id;
}

/** Returns the whole address of a document. */
export function absolute(bundle: Bundle, number: number, url: string | null): string | undefined {
  if (url === null) {
    return undefined;
  }
  const base = bundle.bases[number];
  return base && URL.canParse(url, base) ? new URL(url, base).href : url;
}
