// Asks some questions and shows the cost of each, as reported by the engine.
const form = document.querySelector("#cost");
const OTHERS = ["stop a value from being copied", "borrow checker", "run code when a value is dropped", "Vec::push", "test that a function panics"];

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const table = document.querySelector("#costs");
  table.hidden = false;
  const body = table.querySelector("tbody");
  body.replaceChildren();
  const box = document.createElement("nearfind-search");
  box.setAttribute("bundle", "../rust-book/");
  try {
    const search = await box.search;
    for (const question of [new FormData(form).get("question"), ...OTHERS]) {
      const began = performance.now();
      const { hits, cost } = await search.query(question);
      const milliseconds = Math.round(performance.now() - began);
      const bytes = Object.values(cost.bytes).reduce((sum, some) => sum + some, 0);
      const cells = [question, hits[0]?.title ?? "nothing fits", `${milliseconds} ms`, `${Math.round(bytes / 1000)} KB`, cost.rounds];
      const row = body.insertRow();
      cells.forEach((text) => { row.insertCell().textContent = text; });
    }
  } catch (error) {
    body.insertRow().insertCell().textContent = error.message;
  }
});
