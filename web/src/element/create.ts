/** Values of attributes: `true` sets an empty attribute, `false` and `undefined` leave it out. */
type Attributes = Record<string, string | number | boolean | undefined>;

/**
 * Creates an element with attributes and children. Its class is the name of its part, unless the attributes set another. Document
 * text enters a page only through this function, as a text node.
 */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, { class: attributes.part, ...attributes });
  element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

/**
 * Replaces text direction marks with a visible, harmless character, so that document text cannot look like something else. In
 * right-to-left text, this applies only to marks that override the direction of letters.
 */
function visible(text: string): string {
  return text.replace(/[\u0590-\u08ff]/.test(text) ? /[\u202d\u202e]/g : /[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** Creates a button that calls `act` when clicked. */
export function button(attributes: Attributes, act: (event: MouseEvent) => void, ...children: (Node | string)[]): HTMLButtonElement {
  const made = create("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", act);
  return made;
}

/** Creates an icon from a single path in a 24-by-24 box. */
export function icon(path: string): SVGSVGElement {
  const [svg, stroke] = (["svg", "path"] as const).map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag)) as [
    SVGSVGElement,
    SVGPathElement,
  ];
  set(svg, { viewBox: "0 0 24 24", "aria-hidden": "true" });
  stroke.setAttribute("d", path);
  svg.append(stroke);
  return svg;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** The paths of icons, by their meaning. */
export const ICONS = {
  search: "M15.5 15.5 21 21M10.5 17.5a7 7 0 1 1 0-14 7 7 0 0 1 0 14",
  close: "M6 6l12 12M18 6 6 18",
  recent: "M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  page: "M7 3h7l4 4v14H7zM14 3v4h4",
  section: "M5 9h14M5 15h14M10 4 8 20M16 4l-2 16",
} as const;
