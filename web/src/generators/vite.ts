/**
 * The plugin for Vite and VitePress. It indexes the site after each build, and the development server serves the index of the
 * last build. In VitePress, the box replaces the theme's search.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { type DevelopmentServer, lastBuild } from "./last_build.js";
import { FOLDER, type NearfindSettings, SCRIPT } from "./settings.js";

/** The part of a VitePress site that the plugin uses. */
interface VitePressSite {
  outDir: string;
  site: { head: [tag: string, attributes: Record<string, string>][] };
  buildEnd?: (site: VitePressSite) => unknown;
}

/** The part of Vite's configuration that the plugin uses. */
export interface ViteConfig {
  base: string;
  command: "build" | "serve";
  root: string;
  build: { outDir: string; ssr?: unknown };
  vitepress?: VitePressSite;
}

/** The hooks that Vite calls. */
export interface VitePlugin {
  name: string;
  config(): object;
  configResolved(config: ViteConfig): void;
  configureServer(server: DevelopmentServer): void;
  closeBundle: { sequential: true; order: "post"; handler(): Promise<void> };
}

/** The search settings of a site built with Vite or VitePress. */
export interface ViteSettings extends NearfindSettings {
  /** Whether the box replaces VitePress's own search. Default `true`. */
  searchBar?: boolean;
}

/** The VitePress sites that have been set up. */
const known = new WeakSet<VitePressSite>();
const component = fileURLToPath(new URL("../../generators/vitepress/SearchBar.js", import.meta.url));
/** The component of the VitePress theme that the box replaces. */
const SEARCH_BAR = /^.*\/VPNavBarSearch\.vue$/;

/**
 * Creates the plugin. Use it as `plugins: [nearfind()]`. In a VitePress configuration, put `plugins` under `vite`.
 *
 * @example
 * ```ts
 * import nearfind from "nearfind/vite";
 * // vite.config.ts
 * export default { plugins: [nearfind({ attributes: { placeholder: "Search the docs" } })] };
 * ```
 */
export default function nearfind({ options = [], attributes = {}, searchBar = true }: ViteSettings = {}): VitePlugin {
  let [base, outDir, isWhole] = ["/", "dist", false];
  return {
    name: "nearfind",
    config: () => ({
      // Keeps the box's worker in a separate file.
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
        // VitePress passes the same site to each Vite configuration.
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
