/** Whether the page around `element` is dark: by its background where it has one, as switches of sites change that alone. */
export function isDark(element: Element): boolean {
  for (let at: Element | null = element; at; at = at.parentElement ?? ((at.getRootNode() as Partial<ShadowRoot>).host ?? null)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) {
      return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
    }
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme.startsWith("dark") || (scheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches);
}
