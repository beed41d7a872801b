/**
 * Shows the page of a result beside the list. Few boxes have previews, so this is a separate file. It imports nothing, because
 * the build copies it unchanged.
 */
import type { ResultOption } from "./results.js";

const CSS = `
.preview{flex:1.2;min-width:0;border:0;border-inline-start:1px solid var(--line);background:#fff;min-height:55vh}
dialog:has(.preview){width:min(var(--nearfind-width,78em),100vw - 2em)}
.inline .preview{display:none}
@media (max-width:64em){.preview{display:none}}
@media (max-width:40em){dialog:has(.preview){width:100vw}}`;

/** How long a reader must stay on a result before its page is loaded. */
const STAYS_MS = 200;

/** Shows the page of an option, or nothing if there is no option. */
export type ShowPreview = (option: ResultOption | undefined) => void;

/**
 * Adds a preview to `body`. The preview is visible only in boxes that are wide enough, and shows only pages of this site, without
 * their scripts.
 */
export function preview(body: HTMLElement): ShowPreview {
  const frame = document.createElement("iframe");
  frame.part.add("preview");
  frame.className = "preview";
  frame.setAttribute("sandbox", "");
  frame.loading = "lazy";
  frame.hidden = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  // The box may have been rebuilt in the meantime.
  (body.getRootNode() as Partial<ShadowRoot>).adoptedStyleSheets?.push(sheet);
  body.append(frame);
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return (option) => {
    clearTimeout(waiting);
    const url = option?.url;
    if (!url || new URL(url).origin !== location.origin) {
      frame.hidden = true;
      return;
    }
    waiting = setTimeout(() => {
      frame.hidden = false;
      frame.title = option.hit.title;
      // Nothing is loaded if there is no room. Text fragments work only in a top-level window.
      const [page] = url.split(":~:");
      if (frame.getClientRects().length > 0 && frame.src !== page) {
        frame.src = page!;
      }
    }, STAYS_MS);
  };
}
