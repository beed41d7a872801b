import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

export default defineConfig({
  base: process.env.BASE ?? "/",
  telemetry: false,
  integrations: [
    starlight({
      title: "nearfind",
      // Its own search is switched off, and its place taken.
      pagefind: false,
      components: { Search: "./src/components/Search.astro" },
      sidebar: ["readme", "architecture", "format", "package", "changelog"],
    }),
  ],
});
