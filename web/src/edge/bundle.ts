import type { FilterCounts, Search } from "../api.js";

/** An open bundle, as tools see it. */
export interface Bundle {
  search: Search;
  /** Base addresses for relative document addresses, one per bundle; `undefined` for a bundle that has none. */
  bases: readonly (URL | undefined)[];
}

/** The contents that tools can filter by, and the kinds of documents that the bundle has. */
export interface Contents {
  projects: { name: string; documents: number }[];
  /** Facets with their values, sorted by name. */
  facets: { name: string; values: string[] }[];
  kinds: string[];
  hasCode: boolean;
  hasDocuments: boolean;
  /** Whether there are several projects, or facets other than those of source code. */
  hasChoices: boolean;
}

const KIND = "kind";
const CODE = "code";
/** Facets of source code. Tools have separate arguments for them. */
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

/** Returns a document's name in answers: its path if there is one project, otherwise its project and path. */
export function placeName({ projects }: Contents, project: string, path: string): string {
  return projects.length === 1 && projects[0]!.name === project ? path : `${project}/${path}`;
}

/** Returns a name for an id, which begins with a project. If there is only one project, the name leaves it out. */
export function shortName({ projects }: Contents, id: string): string {
  const only = projects.length === 1 ? `${projects[0]!.name}/` : "";
  return id.startsWith(only) ? id.slice(only.length) : id;
}

/** Returns a document's absolute address. */
export function absolute(bundle: Bundle, number: number, url: string | null): string | undefined {
  if (url === null) {
    return undefined;
  }
  const base = bundle.bases[number];
  return base && URL.canParse(url, base) ? new URL(url, base).href : url;
}
