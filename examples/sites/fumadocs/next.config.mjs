import { createMDX } from "fumadocs-mdx/next";

const withMDX = createMDX({ configPath: "source.config.js" });

export default withMDX({
  output: "export",
  // The path under which the site is published.
  basePath: (process.env.BASE ?? "/").replace(/\/$/, ""),
  trailingSlash: true,
  images: { unoptimized: true },
});
