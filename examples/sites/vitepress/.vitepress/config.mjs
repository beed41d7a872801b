import { index } from "nearfind/indexer";

export default {
  title: "nearfind",
  srcDir: "docs",
  base: process.env.BASE ?? "/",
  ignoreDeadLinks: true,
  buildEnd: ({ outDir }) => index(outDir, `${outDir}/nearfind`, ["--ship-model"]),
  themeConfig: {
    nav: [{ text: "Architecture", link: "/ARCHITECTURE" }, { text: "Format", link: "/FORMAT" }],
    sidebar: ["README", "ARCHITECTURE", "FORMAT", "PACKAGE", "CHANGELOG"].map((page) => ({ text: page[0] + page.slice(1).toLowerCase(), link: `/${page}` })),
  },
  // The element is not a component of Vue, and its worker stays a file of its own while developing.
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "nearfind-search" } } },
  vite: { optimizeDeps: { exclude: ["nearfind"] } },
};
