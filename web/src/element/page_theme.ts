/** Attributes that sites use for their current theme. */
const NAMED = ["data-theme", "data-md-color-scheme", "data-bs-theme", "data-color-mode", "data-color-scheme", "data-mode"];
const DARK = /^(dark|slate|night|black|dim|mocha)$/;
const LIGHT = /^(light|default|white|latte)$/;

/**
 * Returns whether the page declares that it is dark or, if it declares no theme, has a dark background. Only the page counts,
 * because a header around the element may have any color.
 */
export function isDark(): boolean {
  const pages = [document.documentElement, document.body];
  const styles = pages.map((page) => getComputedStyle(page));
  const schemes = styles.map(({ colorScheme }) => colorScheme);
  const said = [
    ...schemes,
    ...pages.flatMap((page) => NAMED.map((name) => page.getAttribute(name) ?? "")),
    ...pages.flatMap((page) => [...page.classList].map((name) => name.replace(/^theme-|-theme$|-mode$/g, ""))),
  ].map((name) => name.replace(/^only | only$/, ""));
  const found = said.find((name) => DARK.test(name) || LIGHT.test(name));
  if (found) {
    return DARK.test(found);
  }
  for (const { backgroundColor } of styles.reverse()) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) {
      return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
    }
  }
  return schemes.some((scheme) => scheme.includes("dark")) && matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Calls `changed` when the theme of the page may have changed, until `signal` is aborted. */
export function watchTheme(changed: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(changed);
  for (const page of [document.documentElement, document.body]) {
    observer.observe(page, { attributes: true });
  }
  signal.addEventListener("abort", () => observer.disconnect());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, { signal });
}
