// The search box, with the whole query at once or, with `?typed=10`, with ten keys per second.
import "/nearfind/dist/define.js";

const typed = Number(new URL(import.meta.url).searchParams.get("typed"));
const box = document.createElement("nearfind-search");
box.setAttribute("bundle", "/bundle/");
box.setAttribute("param", "none");
document.body.append(box);
while (!box.shadowRoot.querySelector("input")) await new Promise((resolve) => setTimeout(resolve));
await window.mark("ready");

const list = box.shadowRoot.querySelector("[role=listbox]");
new MutationObserver(() => { if (list.querySelector("[role=option]")) window.mark("first"); }).observe(list, { childList: true });

const answered = (query) => new Promise((resolve) => {
  box.addEventListener("nearfind-query", function hear({ detail }) {
    if (detail.query === query) {
      box.removeEventListener("nearfind-query", hear);
      resolve(detail.answer);
    }
  });
});

/** Opens the box, like a reader before typing. */
export const show = () => box.show();

export async function ask(query) {
  const answer = answered(query);
  if (typed) {
    box.show();
    const field = box.shadowRoot.querySelector("input");
    for (let end = 1; end <= query.length; end += 1) {
      field.value = query.slice(0, end);
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 1000 / typed));
    }
  } else {
    box.show(query);
  }
  const { hits, tier } = await answer;
  await window.mark("first");
  await window.mark("ten");
  return { hits: hits.length, tier };
}

export async function hot(query) {
  return (await (await box.search).query(query, { limit: 10 })).tookMs;
}
