// The page: answers by words at once, and by meaning as well as soon as the model is there.
import { open } from "./node_modules/nearfind/dist/browser.js";

const [form, input, status, results] = ["form", "#question", "#status", "#results"].map((selector) => document.querySelector(selector));
const search = await open("/bundle/");
let modelIsReady = false;
let current = new AbortController();

function show(answer) {
  results.replaceChildren(...answer.hits.map(item));
  const by = { words: "words", meaning: "meaning", hybrid: "words and meaning" }[answer.mode];
  status.textContent = `${answer.hits.length} pages by ${by} in ${answer.took_ms.toFixed(0)} ms`;
  results.dataset.mode = answer.mode;
  results.dataset.query = answer.query;
}

function item(hit) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = hit.url + (hit.anchor && `#${hit.anchor}`);
  link.textContent = hit.title;
  const section = document.createElement("div");
  section.className = "section";
  section.textContent = [hit.project, hit.section].filter(Boolean).join(" › ");
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
    show(await search.query(text, { mode: modelIsReady ? "hybrid" : "words", signal }));
  } catch (error) {
    if (!signal.aborted) {
      status.textContent = error.message;
    }
  }
}

form.addEventListener("submit", (event) => event.preventDefault());
input.addEventListener("input", ask);
input.value = new URLSearchParams(location.search).get("q") ?? "";
document.body.dataset.ready = "words";
await ask();

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
try {
  await search.loadModel((read, total) => {
    status.textContent = `loading the model for meaning: ${megabytes(read)} of ${megabytes(total)} MB`;
  });
  modelIsReady = true;
  document.body.dataset.ready = "hybrid";
  status.textContent = "words and meaning are ready";
  await ask();
} catch (error) {
  status.textContent = `words only: ${error.message}`;
}
