import { useMDXComponents as themeComponents } from "nextra-theme-docs";

export const useMDXComponents = (components) => ({
  ...themeComponents(),
  // Plain links, because some links of these documents lead to files of the repository, which Next.js would prefetch.
  a: "a",
  ...components,
});
