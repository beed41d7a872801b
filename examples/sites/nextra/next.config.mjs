import nextra from "nextra";

const withNextra = nextra({
  // Without this, Nextra tells every search to leave code out.
  search: { codeblocks: true },
  staticImage: false,
});

export default withNextra({
  output: "export",
  // Below which path the site is published.
  basePath: (process.env.BASE ?? "/").replace(/\/$/, ""),
  trailingSlash: true,
  images: { unoptimized: true },
});
