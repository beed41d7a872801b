import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import nearfind from "nearfind/astro";

export default defineConfig({
  base: process.env.BASE ?? "/",
  telemetry: false,
  integrations: [
    starlight({
      title: "nearfind",
      // nearfind replaces Starlight's own search.
      pagefind: false,
      components: { Search: "nearfind/astro/Search.astro" },
      sidebar: ["readme", "architecture", "format", "package", "changelog"],
    }),
    nearfind({ options: ["--ship-model"] }),
  ],
});
