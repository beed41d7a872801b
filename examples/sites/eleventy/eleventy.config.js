import { IdAttributePlugin, InputPathToUrlTransformPlugin } from "@11ty/eleventy";

export default (config) => {
  // Gives headings anchors, so that results can lead to them.
  config.addPlugin(IdAttributePlugin);
  // Converts links to Markdown files into links to their pages.
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.addPassthroughCopy("docs/**/*.png");
  config.addGlobalData("layout", "default.html");
};

export const config = {
  dir: { input: "docs", includes: "../_includes", output: "_site" },
  // The path under which the site is published.
  pathPrefix: process.env.BASE ?? "/",
  // The braces in these documents are not templates.
  markdownTemplateEngine: false,
};
