/**
 * The plugin of Vite, and so of VitePress: indexes the site once it is built, and serves the index of the last build while somebody
 * writes. On pages of VitePress the box is where the theme has its search.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { type DevelopmentServer, lastBuild } from "./last_build.js";
import { FOLDER, type NearfindSettings, SCRIPT } from "./settings.js";

/** What VitePress tells of its site. */
interface VitePressSite {
  outDir: string;
  site: { head: [tag: string, attributes: Record<string, string>][] };
  buildEnd?: (site: VitePressSite) => unknown;
}

/** What Vite tells of a build, or of the server. */
export interface ViteConfig {
  base: string;
  command: "build" | "serve";
  root: string;
  build: { outDir: string; ssr?: unknown };
  vitepress?: VitePressSite;
}

/** What Vite asks a plugin. */
export interface VitePlugin {
  name: string;
  config(): object;
  configResolved(config: ViteConfig): void;
  configureServer(server: DevelopmentServer): void;
  closeBundle: { sequential: true; order: "post"; handler(): Promise<void> };
}

/** What a site says of its search, and of its place. */
export interface ViteSettings extends NearfindSettings {
  /** Whether the box takes the place of VitePress's own search; default `true`. */
  searchBar?: boolean;
}

/** Sites of VitePress that were set up. */
const known = new WeakSet<VitePressSite>();
const component = fileURLToPath(new URL("../../generators/vitepress/SearchBar.js", import.meta.url));
/** The component of VitePress's theme whose place the box takes. */
const SEARCH_BAR = /^.*\/VPNavBarSearch\.vue$/;

/** `plugins: [nearfind()]`; in the configuration of VitePress below `vite`. */
export default function nearfind({ options = [], attributes = {}, searchBar = true }: ViteSettings = {}): VitePlugin {
  let [base, outDir, isWhole] = ["/", "dist", false];
  return {
    name: "nearfind",
    config: () => ({
      // The worker of the box stays a file of its own.
      optimizeDeps: { exclude: ["nearfind"] },
      define: { __NEARFIND_ATTRIBUTES__: JSON.stringify(attributes) },
      resolve: { alias: searchBar ? [{ find: SEARCH_BAR, replacement: component }] : [] },
    }),
    configResolved(config) {
      const site = config.vitepress;
      base = config.base;
      outDir = site?.outDir ?? resolve(config.root, config.build.outDir);
      // VitePress bundles twice and writes its pages afterwards.
      isWhole = site === undefined && config.command === "build" && !config.build.ssr;
      if (site !== undefined && !known.has(site)) {
        // Each configuration of Vite has the same site.
        known.add(site);
        if (searchBar) {
          site.site.head.push(["script", { type: "module", src: `${base}${FOLDER}/${SCRIPT}` }]);
        }
        indexAtEnd(site, options);
      }
    },
    configureServer: ({ middlewares }) => void middlewares.use(lastBuild(base, outDir)),
    closeBundle: {
      sequential: true,
      order: "post",
      handler: async () => (isWhole ? index(outDir, join(outDir, FOLDER), options, console.log) : undefined),
    },
  };
}

function indexAtEnd(site: VitePressSite, options: readonly string[]): void {
  const { buildEnd } = site;
  site.buildEnd = async (built) => {
    await buildEnd?.(built);
    await index(built.outDir, join(built.outDir, FOLDER), options, console.log);
  };
}
