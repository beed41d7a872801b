import { useMDXComponents as themeComponents } from "nextra-theme-docs";

export const useMDXComponents = (components) => ({
  ...themeComponents(),
  // Plain links: some of these documents' lead to files of the repository, which Next.js would fetch in advance.
  a: "a",
  ...components,
});
