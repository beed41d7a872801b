import { contentsOf } from "../bundle.js";
import { counted, oneLine } from "../text.js";
import type { Tool } from "./tool.js";

/** The maximum number of values to show per facet. */
const MOST_VALUES = 50;

export const listProjects: Tool = {
  name: "list_projects",
  takes: [],
  aliases: {},
  isFor: ({ hasChoices }) => hasChoices,
  async run(bundle) {
    const { projects, facets } = await contentsOf(bundle);
    const rows = projects.map(({ name, documents }) => `- ${oneLine(name)}: ${counted(documents, "document")}\n`);
    const filters = facets.map(({ name, values }) => `filter ${oneLine(name)}: ${oneLine(values.slice(0, MOST_VALUES).join(", "))}\n`);
    return [...rows, ...filters].join("");
  },
};
