import { IdAttributePlugin, InputPathToUrlTransformPlugin } from "@11ty/eleventy";

export default (config) => {
  // Headings get anchors, so that results lead to them.
  config.addPlugin(IdAttributePlugin);
  // Links to Markdown files lead to their pages.
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.addPassthroughCopy("docs/**/*.png");
  config.addGlobalData("layout", "default.html");
};

export const config = {
  dir: { input: "docs", includes: "../_includes", output: "_site" },
  // Below which path the site is published.
  pathPrefix: process.env.BASE ?? "/",
  // These documents hold braces that are no template.
  markdownTemplateEngine: false,
};
