// Highlights the passage of a result on a page that a router has displayed, because routers drop text fragments.

/** Delays between the attempts to find the passage, in milliseconds. A router may take a while, and pages may be long. */
const TRIES = [0, 50, 100, 200, 400, 800, 1600];
/** The number of letters that suffice to find a passage. */
const ENOUGH = 80;
const NAME = "nearfind-passage";

const isLetter = (character) => /[\p{L}\p{N}]/u.test(character);

/** Returns a path in a form that does not depend on how a site writes the addresses of its pages. */
const nameOf = (path) => path.replace(/(\.html|\/)$/, "");

/** Highlights a passage as soon as the page at `path` contains it, until the reader's next action. */
export async function showPassage({ excerpt }, path) {
  if (!globalThis.Highlight) {
    return;
  }
  // Find the part that contains the match, because the parts of an excerpt may be far apart on the page.
  const [[from = 0] = []] = excerpt.highlights;
  const start = excerpt.text.lastIndexOf(" · ", from) + 1;
  const wanted = [
    ...excerpt.text
      .slice(start && start + 2)
      .split(" · ")[0]
      .toLowerCase(),
  ]
    .filter(isLetter)
    .join("")
    .slice(0, ENOUGH);
  for (const delay of wanted ? TRIES : []) {
    await new Promise((resolve) => setTimeout(resolve, delay));
    const range = nameOf(location.pathname) === nameOf(path) && rangeOf(wanted);
    if (range) {
      mark(range);
      return;
    }
  }
}

/** Returns the range of these letters in the page's content. */
function rangeOf(wanted) {
  const texts = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
  let letters = "";
  const places = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    for (let at = 0; at < node.data.length; at++) {
      const letter = node.data[at].toLowerCase();
      if (letter.length === 1 && isLetter(letter)) {
        letters += letter;
        places.push([node, at]);
      }
    }
  }
  const at = letters.indexOf(wanted);
  if (at < 0) {
    return null;
  }
  const range = new Range();
  const [last, end] = places[at + wanted.length - 1];
  range.setStart(...places[at]);
  range.setEnd(last, end + 1);
  return range;
}

function mark(range) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(${NAME}) { background-color: Mark; color: MarkText }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  CSS.highlights.set(NAME, new Highlight(range));
  const end = new AbortController();
  const clear = () => {
    end.abort();
    CSS.highlights.delete(NAME);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((known) => known !== sheet);
  };
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, clear, { signal: end.signal, capture: true });
  }
}
