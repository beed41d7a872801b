/** The plugin of Vite, and so of VitePress: indexes the site once it is built, and serves the index of the last build while somebody writes. */
import { join, resolve } from "node:path";
import { index } from "../indexer.js";
import { type DevelopmentServer, lastBuild } from "./last_build.js";
import { FOLDER, type NearfindSettings } from "./settings.js";

/** What VitePress tells of its site. */
interface VitePressSite {
  outDir: string;
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

/** `plugins: [nearfind()]`; in the configuration of VitePress below `vite`. */
export default function nearfind({ options = [] }: Pick<NearfindSettings, "options"> = {}): VitePlugin {
  let [base, outDir, isWhole] = ["/", "dist", false];
  return {
    name: "nearfind",
    // The worker of the box stays a file of its own.
    config: () => ({ optimizeDeps: { exclude: ["nearfind"] } }),
    configResolved(config) {
      const site = config.vitepress;
      base = config.base;
      outDir = site?.outDir ?? resolve(config.root, config.build.outDir);
      // VitePress bundles twice and writes its pages afterwards.
      isWhole = site === undefined && config.command === "build" && !config.build.ssr;
      if (site !== undefined) {
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

/** Sites that are indexed at their end already: each configuration of Vite has the same site. */
const indexed = new WeakSet<VitePressSite>();

function indexAtEnd(site: VitePressSite, options: readonly string[]): void {
  if (indexed.has(site)) {
    return;
  }
  indexed.add(site);
  const { buildEnd } = site;
  site.buildEnd = async (built) => {
    await buildEnd?.(built);
    await index(built.outDir, join(built.outDir, FOLDER), options, console.log);
  };
}
