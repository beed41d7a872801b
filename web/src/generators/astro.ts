/**
 * The integration of Astro: indexes the site once it is built, and serves the index of the last build while somebody writes. The box
 * is the component `nearfind/astro/Search.astro`.
 */
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { type DevelopmentServer, lastBuild } from "./last_build.js";
import { FOLDER, type NearfindSettings } from "./settings.js";

/** What Astro tells an integration of the site. */
interface AstroSetup {
  config: { base: string; outDir: URL };
  updateConfig(changed: object): unknown;
}

/** What Astro asks an integration. */
export interface AstroIntegration {
  name: string;
  hooks: {
    "astro:config:setup"(setup: AstroSetup): void;
    "astro:build:done"(built: { dir: URL }): Promise<void>;
  };
}

/** `integrations: [nearfind()]`, after others that write pages. */
export default function nearfind({ options = [] }: Pick<NearfindSettings, "options"> = {}): AstroIntegration {
  return {
    name: "nearfind",
    hooks: {
      "astro:config:setup": ({ config, updateConfig }) => {
        // A plugin of Vite comes before what answers for pages; what an integration adds to the server would come after.
        const configureServer = ({ middlewares }: DevelopmentServer) =>
          void middlewares.use(lastBuild(config.base, fileURLToPath(config.outDir)));
        updateConfig({ vite: { plugins: [{ name: "nearfind", configureServer }] } });
      },
      "astro:build:done": ({ dir }) => index(fileURLToPath(dir), fileURLToPath(new URL(`${FOLDER}/`, dir)), options, console.log),
    },
  };
}
