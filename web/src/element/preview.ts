import { create } from "./create.js";
import type { ResultOption } from "./results.js";

/** A page is loaded once a reader stays with it for so long. */
const STAYS_MS = 200;

/**
 * The page of a result beside the list, where the box is wide enough: the page itself, of this site alone, without its scripts.
 */
export class Preview {
  readonly root = create("iframe", { part: "preview", sandbox: "", loading: "lazy", hidden: true });
  #waiting: ReturnType<typeof setTimeout> | undefined;

  /** Shows the page of `option`; without one nothing. */
  show(option: ResultOption | null | undefined): void {
    clearTimeout(this.#waiting);
    const url = option?.url;
    if (!url || new URL(url).origin !== location.origin) {
      this.root.hidden = true;
      return;
    }
    this.#waiting = setTimeout(() => {
      this.root.hidden = false;
      this.root.title = option.hit.title;
      // Where there is no room nothing is loaded. What finds words on a page works in a window of its own alone.
      const [page] = url.split(":~:");
      if (this.root.getClientRects().length > 0 && this.root.src !== page) {
        this.root.src = page!;
      }
    }, STAYS_MS);
  }
}
