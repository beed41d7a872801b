import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Suchen",
  placeholder: "In der Dokumentation suchen",
  close: "Schließen",
  clear: "Leeren",
  results: "Ergebnisse",
  recent: "Letzte Suchen",
  pin: "„{query}“ anheften",
  unpin: "„{query}“ lösen",
  forget: "„{query}“ vergessen",
  loading: "Suche wird geladen …",
  found: { one: "{n} Seite", other: "{n} Seiten" },
  nothing: "Nichts gefunden zu „{query}“.",
  instead: "Suchen nach:",
  unfiltered: "Ohne Filter suchen",
  corrected: "„{word}“ kommt nicht vor: gesucht wurde „{meant}“.",
  noPhrase: "„{phrase}“ kommt nicht vor: diese Seiten haben die Wörter.",
  more: "Mehr Ergebnisse",
  offline: "Die Suche ist nicht erreichbar. Sind Sie offline?",
  failed: "Die Suche funktioniert gerade nicht.",
  retry: "Noch einmal",
  by: ["nach Wörtern", "nach Wörtern und Bedeutung", "nach Wörtern und voller Bedeutung"],
  offer: "Mehr verstehen ({size} MB)",
  loadingModel: "Wird geladen: {percent} %",
  keys: ["bewegen", "öffnen", "schließen"],
};
export default strings;
