import nextra from "nextra";

const withNextra = nextra({
  // Without this, Nextra tells all search engines to leave out code.
  search: { codeblocks: true },
  staticImage: false,
});

export default withNextra({
  output: "export",
  // The path under which the site is published.
  basePath: (process.env.BASE ?? "/").replace(/\/$/, ""),
  trailingSlash: true,
  images: { unoptimized: true },
});
