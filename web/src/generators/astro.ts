/**
 * The integration for Astro. It indexes the site after each build, and the development server serves the index of the last build.
 * The box is the component `nearfind/astro/Search.astro`.
 */
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { type DevelopmentServer, lastBuild } from "./last_build.js";
import { FOLDER, type NearfindSettings } from "./settings.js";

/** The part of Astro's setup that the integration uses. */
interface AstroSetup {
  config: { base: string; outDir: URL };
  updateConfig(changed: object): unknown;
}

/** The hooks that Astro calls. */
export interface AstroIntegration {
  name: string;
  hooks: {
    "astro:config:setup"(setup: AstroSetup): void;
    "astro:build:done"(built: { dir: URL }): Promise<void>;
  };
}

/**
 * Creates the integration. Use it as `integrations: [nearfind()]`, after other integrations that write pages.
 *
 * @example
 * ```ts
 * import nearfind from "nearfind/astro";
 * // astro.config.mjs
 * export default { integrations: [nearfind({ options: ["--ship-model"] })] };
 * ```
 */
export default function nearfind({ options = [] }: Pick<NearfindSettings, "options"> = {}): AstroIntegration {
  return {
    name: "nearfind",
    hooks: {
      "astro:config:setup": ({ config, updateConfig }) => {
        // A Vite plugin runs before the handler for pages. A hook of the integration would run after that handler.
        const configureServer = ({ middlewares }: DevelopmentServer) =>
          void middlewares.use(lastBuild(config.base, fileURLToPath(config.outDir)));
        updateConfig({ vite: { plugins: [{ name: "nearfind", configureServer }] } });
      },
      "astro:build:done": ({ dir }) => index(fileURLToPath(dir), fileURLToPath(new URL(`${FOLDER}/`, dir)), options, console.log),
    },
  };
}
