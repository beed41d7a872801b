// Shows how the hits of a question would be ordered with other weights of words and meaning. The evidence for each hit
// comes from the engine.
const form = document.querySelector("#weights");
const SHOWN = 10;
let hits = [];

const contribution = (list) => (list ? list.z * list.weight : 0);

function show() {
  const [words, meaning] = ["words", "meaning"].map((name) => Number(form.elements[name].value));
  form.elements.wordsTimes.value = words;
  form.elements.meaningTimes.value = meaning;
  const weighted = hits.map(({ title, section, url, why }, place) => {
    const [byWords, byMeaning] = [contribution(why.words) * words, contribution(why.meaning) * meaning];
    // A page may have more than the sum of both lists, because of its name.
    const more = why.fused - contribution(why.words) - contribution(why.meaning);
    return { title, section, url, place, byWords, byMeaning, sum: byWords + byMeaning + more };
  });
  weighted.sort((a, b) => b.sum - a.sum || a.place - b.place);
  const table = document.querySelector("#weighted");
  table.hidden = false;
  table.tBodies[0].replaceChildren();
  weighted.slice(0, SHOWN).forEach(({ title, section, url, place, byWords, byMeaning, sum }, at) => {
    const row = table.tBodies[0].insertRow();
    const link = document.createElement("a");
    link.textContent = section === "" ? title : `${title}: ${section.split(" > ").pop()}`;
    link.href = url;
    row.insertCell().append(link);
    const moved = place - at;
    row.insertCell().textContent = moved > 0 ? `▲ ${moved}` : moved < 0 ? `▼ ${-moved}` : "";
    for (const number of [byWords, byMeaning, sum]) {
      row.insertCell().textContent = number.toFixed(1);
    }
  });
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const box = document.createElement("nearfind-search");
    box.setAttribute("bundle", "../rust-book/");
    const search = await box.search;
    ({ hits } = await search.query(form.elements.question.value, { limit: 50, unfit: true }));
    show();
  } catch (error) {
    const table = document.querySelector("#weighted");
    table.hidden = false;
    table.tBodies[0].replaceChildren();
    table.tBodies[0].insertRow().insertCell().textContent = error.message;
  }
});
form?.addEventListener("input", ({ target }) => {
  if (target.type === "range" && hits.length > 0) {
    show();
  }
});
