import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Поиск",
  placeholder: "Поиск по документации",
  close: "Закрыть",
  clear: "Очистить",
  results: "Результаты",
  recent: "Недавние запросы",
  pin: "Закрепить «{query}»",
  unpin: "Открепить «{query}»",
  forget: "Забыть «{query}»",
  loading: "Поиск загружается…",
  found: { one: "{n} страница", few: "{n} страницы", many: "{n} страниц", other: "{n} страницы" },
  nothing: "По запросу «{query}» ничего не найдено.",
  instead: "Искать:",
  unfiltered: "Искать без фильтров",
  corrected: "«{word}» не встречается: показаны результаты для «{meant}».",
  noPhrase: "«{phrase}» не встречается: на этих страницах есть её слова.",
  more: "Ещё результаты",
  offline: "Поиск недоступен. Нет соединения с сетью?",
  failed: "Поиск сейчас не работает.",
  retry: "Повторить",
  by: ["по словам", "по словам и смыслу", "по словам и полному смыслу"],
  offer: "Понимать больше ({size} МБ)",
  loadingModel: "Загрузка: {percent} %",
  keys: ["выбрать", "открыть", "закрыть"],
};
export default strings;
