/** The theme for Docusaurus. It indexes each language of the site after a build, and replaces the search bar with the box. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { FOLDER, type NearfindSettings, SCRIPT } from "./settings.js";

/** The part of the Docusaurus context that the theme uses. */
export interface DocusaurusContext {
  baseUrl: string;
  outDir: string;
}

/** The methods that Docusaurus calls. */
export interface DocusaurusPlugin {
  name: string;
  getThemePath(): string;
  injectHtmlTags(): { headTags: { tagName: string; attributes: Record<string, string> }[] };
  contentLoaded(given: { actions: { setGlobalData(data: object): void } }): void;
  configureWebpack(): object;
  postBuild(built: { outDir: string }): Promise<void>;
}

/**
 * Creates the theme. Use it as `themes: ["nearfind/docusaurus"]`, or with settings: `[["nearfind/docusaurus", { options:
 * ["--ship-model"] }]]`.
 *
 * @example
 * ```ts
 * // docusaurus.config.ts
 * export default {
 *   themes: [["nearfind/docusaurus", { options: ["--ship-model"], attributes: { placeholder: "Search the docs" } }]],
 * };
 * ```
 */
export default function nearfind(
  { baseUrl, outDir }: DocusaurusContext,
  { options = [], attributes = {} }: NearfindSettings = {},
): DocusaurusPlugin {
  return {
    name: "nearfind",
    getThemePath: () => fileURLToPath(new URL("../../generators/docusaurus/theme", import.meta.url)),
    injectHtmlTags: () => ({ headTags: [{ tagName: "script", attributes: { type: "module", src: `${baseUrl}${FOLDER}/${SCRIPT}` } }] }),
    contentLoaded: ({ actions }) => actions.setGlobalData({ attributes }),
    // The development server serves the index of the last build.
    configureWebpack: () => ({ devServer: { static: [{ directory: join(outDir, FOLDER), publicPath: baseUrl + FOLDER, watch: false }] } }),
    postBuild: (built) => index(built.outDir, join(built.outDir, FOLDER), options, console.log),
  };
}
