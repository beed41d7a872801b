/** The theme of Docusaurus: indexes each language of the site once it is built, and puts the box where the search bar is. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { FOLDER, type NearfindSettings, SCRIPT } from "./settings.js";

/** What Docusaurus tells a plugin of the site. */
export interface DocusaurusContext {
  baseUrl: string;
  outDir: string;
}

/** What Docusaurus asks a plugin. */
export interface DocusaurusPlugin {
  name: string;
  getThemePath(): string;
  injectHtmlTags(): { headTags: { tagName: string; attributes: Record<string, string> }[] };
  contentLoaded(given: { actions: { setGlobalData(data: object): void } }): void;
  configureWebpack(): object;
  postBuild(built: { outDir: string }): Promise<void>;
}

/** `themes: ["nearfind/docusaurus"]`, or with settings `[["nearfind/docusaurus", { options: ["--ship-model"] }]]`. */
export default function nearfind(
  { baseUrl, outDir }: DocusaurusContext,
  { options = [], attributes = {} }: NearfindSettings = {},
): DocusaurusPlugin {
  return {
    name: "nearfind",
    getThemePath: () => fileURLToPath(new URL("../../generators/docusaurus/theme", import.meta.url)),
    injectHtmlTags: () => ({ headTags: [{ tagName: "script", attributes: { type: "module", src: `${baseUrl}${FOLDER}/${SCRIPT}` } }] }),
    contentLoaded: ({ actions }) => actions.setGlobalData({ attributes }),
    // While somebody writes, the index is the one of the last build.
    configureWebpack: () => ({ devServer: { static: [{ directory: join(outDir, FOLDER), publicPath: baseUrl + FOLDER, watch: false }] } }),
    postBuild: (built) => index(built.outDir, join(built.outDir, FOLDER), options, console.log),
  };
}
