export default {
  title: "nearfind",
  url: "http://127.0.0.1",
  baseUrl: process.env.BASE ?? "/",
  // These documents have links for readers of the repository.
  onBrokenLinks: "ignore",
  markdown: { format: "md", hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [["classic", { docs: { routeBasePath: "/", path: "docs", sidebarPath: undefined }, blog: false, pages: false }]],
  themes: [["nearfind/docusaurus", { options: ["--ship-model"] }]],
  themeConfig: { navbar: { title: "nearfind" } },
};
