// The page: words answer while meaning is on its way; the full model is loaded when the reader asks for it.
import { open } from "./node_modules/nearfind/dist/browser.js";

const [form, input, status, results, more] = ["form", "#question", "#status", "#results", "#model"].map((selector) => document.querySelector(selector));
let current = new AbortController();
let search;

const BY = ["words", "words and meaning", "words and full meaning"];

function show(answer) {
  // What the reader is about to choose stays where it is: the list waits until pointer and focus have left it.
  if (results.dataset.query === answer.query && results.matches(":hover, :focus-within")) {
    results.addEventListener("pointerleave", () => show(answer), { once: true });
    return;
  }
  results.replaceChildren(...answer.hits.map(item));
  status.textContent = answer.hits.length === 0
    ? "Nothing found: try other words."
    : `${answer.hits.length} pages by ${BY[answer.tier]} in ${answer.took_ms.toFixed(0)} ms${answer.notice ? `; ${answer.notice}` : ""}`;
  results.dataset.tier = answer.tier;
  results.dataset.query = answer.query;
}

function item(hit) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = hit.url + (hit.anchor && `#${hit.anchor}`);
  link.textContent = hit.title;
  const section = document.createElement("div");
  section.className = "section";
  const found = hit.why.words?.rank ? (hit.why.meaning?.z > hit.why.words.z ? "by words, more by meaning" : "by words") : "by meaning";
  section.textContent = [hit.project, hit.section, found].filter(Boolean).join(" › ");
  const excerpt = document.createElement("p");
  excerpt.className = "excerpt";
  excerpt.append(...highlighted(hit.excerpt));
  entry.append(link, section, excerpt);
  entry.dataset.document = hit.document;
  return entry;
}

/** Text nodes and marks: what documents say never becomes markup. */
function* highlighted({ text, highlights }) {
  let at = 0;
  for (const [from, to] of highlights) {
    yield text.slice(at, from);
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    yield mark;
    at = to;
  }
  yield text.slice(at);
}

async function ask() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const text = input.value;
  if (!text.trim()) {
    results.replaceChildren();
    status.textContent = "";
    return;
  }
  try {
    show(await search.query(text, { signal, onPreview: (answer) => signal.aborted || show(answer) }));
  } catch (error) {
    if (!signal.aborted) {
      status.textContent = error.message;
    }
  }
}

form.addEventListener("submit", (event) => event.preventDefault());
try {
  search = await open("/bundle/");
  input.addEventListener("focus", () => search.prefetch());
  input.addEventListener("input", ask);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  document.body.dataset.ready = "";
  await ask();
} catch (error) {
  status.textContent = error.message;
}

more.addEventListener("click", async () => {
  more.disabled = true;
  const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
  try {
    const onProgress = (read, total) => { status.textContent = `loading the model: ${megabytes(read)} of ${megabytes(total)} MB`; };
    await search.loadModel({ onProgress, asked: true });
    more.hidden = true;
    await ask();
  } catch (error) {
    more.disabled = false;
    status.textContent = error.message;
  }
});
