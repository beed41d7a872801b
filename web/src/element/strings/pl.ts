import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Szukaj",
  placeholder: "Szukaj w dokumentacji",
  close: "Zamknij",
  clear: "Wyczyść",
  results: "Wyniki",
  recent: "Ostatnie wyszukiwania",
  pin: "Przypnij „{query}”",
  unpin: "Odepnij „{query}”",
  forget: "Zapomnij „{query}”",
  loading: "Wczytywanie wyszukiwarki…",
  found: { one: "{n} strona", few: "{n} strony", many: "{n} stron", other: "{n} strony" },
  nothing: "Brak wyników dla „{query}”.",
  instead: "Szukaj:",
  unfiltered: "Szukaj bez filtrów",
  corrected: "„{word}” nie występuje: szukano „{meant}”.",
  noPhrase: "„{phrase}” nie występuje: te strony mają jego słowa.",
  more: "Więcej wyników",
  offline: "Wyszukiwarka jest nieosiągalna. Czy jesteś offline?",
  failed: "Wyszukiwarka teraz nie działa.",
  retry: "Spróbuj ponownie",
  by: ["według słów", "według słów i znaczenia", "według słów i pełnego znaczenia"],
  offer: "Rozumiej więcej ({size} MB)",
  loadingModel: "Wczytywanie: {percent} %",
  keys: ["przesuń", "otwórz", "zamknij"],
};
export default strings;
