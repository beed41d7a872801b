import type { Answer, Excerpt, Hit, Passage } from "../api.js";
import { ICONS, create, icon } from "./create.js";
import { destination, webAddress } from "./destination.js";
import { documentFormat } from "./document_format.js";
import type { Strings } from "./strings.js";

/** The maximum number of characters in an excerpt. */
const MAX_SHOWN = 200;

/** The settings for showing hits. */
export interface ResultSettings {
  /** The base of relative addresses, per bundle. */
  bases: string[];
  /** Whether links let the page highlight the matches. */
  highlights: boolean;
  /** Whether hits name their project, which helps if there are several. */
  projects: boolean;
  strings: Strings;
  language: string;
  transform: ((hit: Hit) => Hit | null) | undefined;
  render: ((hit: Hit, option: HTMLElement, passage: Passage) => void) | undefined;
}

/** An option in the list, with its hit and passage. */
export interface ResultOption {
  hit: Hit;
  passage: Passage;
  url: string | null;
}

/**
 * Creates a group for each page, with an option for each of its passages, and adds the options to `options`. The content of
 * documents is always text and never becomes markup.
 */
export function results(answer: Answer, settings: ResultSettings, options: Map<Element, ResultOption>): HTMLElement[] {
  const groups: HTMLElement[] = [];
  const titles = answer.hits.map(({ title }) => title.toLowerCase());
  const isMixed = new Set(answer.hits.map(({ meta }) => meta.version)).size > 1;
  const isRepeated = ({ title }: Hit): boolean => titles.indexOf(title.toLowerCase()) !== titles.lastIndexOf(title.toLowerCase());
  for (const found of answer.hits) {
    const hit = settings.transform ? settings.transform(found) : found;
    if (!hit) {
      continue;
    }
    const group = create("div", { part: "page", role: "group", "aria-label": hit.title });
    [hit, ...hit.more].forEach((passage, at) => {
      const url =
        hit.url === null ? null : destination(hit.url, passage, settings.bases[hit.bundle]!, settings.highlights && !hit.meta.format);
      const option = create(url === null ? "div" : "a", {
        part: at === 0 ? "result" : "result section",
        class: at === 0 ? "option" : "option section",
        role: "option",
        "aria-selected": "false",
        tabindex: -1,
        href: url ?? undefined,
      });
      const format = documentFormat(hit, passage, settings.strings, settings.language);
      const headings = passage.section.split(" > ").filter((heading) => heading && heading !== hit.title);
      // Each row needs a distinct name, so the path distinguishes pages with the same title.
      const place =
        at > 0
          ? headings.length > 0
            ? headings
            : [hit.title]
          : [
              format,
              dateOf(hit, settings.language),
              settings.projects && hit.project,
              isMixed && hit.meta.version,
              isRepeated(hit) && placeOf(hit),
              ...headings,
            ];
      option.append(
        (at === 0 && imageOf(hit, settings)) || icon(at > 0 ? ICONS.section : format ? ICONS.file : ICONS.page),
        ...(at === 0 ? [create("span", { part: "title" }, hit.title)] : []),
        create("span", { part: "place" }, place.filter(Boolean).join(" › ")),
        create("span", { part: "excerpt" }, ...marked(passage.excerpt)),
      );
      settings.render?.(hit, option, passage);
      options.set(option, { hit, passage, url });
      group.append(option);
    });
    groups.push(group);
  }
  return groups;
}

/** Returns the folders and the name of a page, for readers. */
function placeOf({ path }: Hit): string {
  return path.replace(/(^|\/)index\.\w+$|\.\w+$/, "").replaceAll("/", " › ");
}

/** Returns the date that the page provides, in the reader's format. */
function dateOf({ meta: { date } }: Hit, language: string): string | undefined {
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}/.exec(date ?? "")?.[0] ?? "");
  return Number.isNaN(time) ? date : new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}

/** Creates the image that the page provides. */
function imageOf(hit: Hit, { bases }: ResultSettings): HTMLElement | undefined {
  const page = webAddress(hit.url ?? "", bases[hit.bundle]!);
  const url = hit.meta.image && page && webAddress(hit.meta.image, page.href);
  return url
    ? create("img", { part: "image", src: url.href, alt: hit.meta.image_alt ?? "", loading: "lazy", decoding: "async" })
    : undefined;
}

/** Yields text with marked matches, cut to the length of two lines, because browsers lay out hidden text as well. */
function* marked({ text, highlights }: Excerpt): Generator<Node | string> {
  const shown = text.slice(0, MAX_SHOWN);
  let at = 0;
  for (const [from, to] of highlights.filter(([, to]) => to <= MAX_SHOWN)) {
    yield shown.slice(at, from);
    yield create("mark", { part: "mark" }, shown.slice(from, to));
    at = to;
  }
  yield shown.slice(at) + (shown === text ? "" : "…");
}
