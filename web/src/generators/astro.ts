/** The integration of Astro: indexes the site once it is built. The box is the component `nearfind/astro/Search.astro`. */
import { fileURLToPath } from "node:url";
import { index } from "../indexer.js";
import { FOLDER, type NearfindSettings } from "./settings.js";

/** What Astro asks an integration. */
export interface AstroIntegration {
  name: string;
  hooks: { "astro:build:done"(built: { dir: URL }): Promise<void> };
}

/** `integrations: [nearfind()]`, after others that write pages. */
export default function nearfind({ options = [] }: Pick<NearfindSettings, "options"> = {}): AstroIntegration {
  return {
    name: "nearfind",
    hooks: { "astro:build:done": ({ dir }) => index(fileURLToPath(dir), fileURLToPath(new URL(`${FOLDER}/`, dir)), options) },
  };
}
