import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Пошук",
  placeholder: "Пошук у документації",
  close: "Закрити",
  clear: "Очистити",
  results: "Результати",
  recent: "Недавні запити",
  pin: "Закріпити «{query}»",
  unpin: "Відкріпити «{query}»",
  forget: "Забути «{query}»",
  loading: "Пошук завантажується…",
  found: { one: "{n} сторінка", few: "{n} сторінки", many: "{n} сторінок", other: "{n} сторінки" },
  nothing: "За запитом «{query}» нічого не знайдено.",
  instead: "Шукати:",
  unfiltered: "Шукати без фільтрів",
  corrected: "«{word}» не трапляється: показано результати для «{meant}».",
  noPhrase: "«{phrase}» не трапляється: на цих сторінках є її слова.",
  more: "Більше результатів",
  offline: "Пошук недоступний. Немає з’єднання?",
  failed: "Пошук зараз не працює.",
  retry: "Спробувати ще",
  by: ["за словами", "за словами й змістом", "за словами й повним змістом"],
  offer: "Розуміти більше ({size} МБ)",
  loadingModel: "Завантаження: {percent} %",
  keys: ["вибрати", "відкрити", "закрити"],
};
export default strings;
