import nearfind from "nearfind/vite";

export default {
  title: "nearfind",
  srcDir: "docs",
  base: process.env.BASE ?? "/",
  ignoreDeadLinks: true,
  themeConfig: {
    nav: [
      { text: "Architecture", link: "/ARCHITECTURE" },
      { text: "Format", link: "/FORMAT" },
    ],
    sidebar: ["README", "ARCHITECTURE", "FORMAT", "PACKAGE", "CHANGELOG"].map((page) => ({
      text: page[0] + page.slice(1).toLowerCase(),
      link: `/${page}`,
    })),
  },
  vite: { plugins: [nearfind({ options: ["--ship-model"] })] },
};
