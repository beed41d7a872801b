import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Cerca",
  placeholder: "Cerca nella documentazione",
  close: "Chiudi",
  clear: "Cancella",
  results: "Risultati",
  recent: "Ricerche recenti",
  pin: "Fissa «{query}»",
  unpin: "Sblocca «{query}»",
  forget: "Dimentica «{query}»",
  loading: "Caricamento della ricerca…",
  found: { one: "{n} pagina", other: "{n} pagine" },
  nothing: "Nessun risultato per «{query}».",
  instead: "Cerca:",
  unfiltered: "Cerca senza filtri",
  corrected: "«{word}» non compare: cercato «{meant}».",
  noPhrase: "«{phrase}» non compare: queste pagine ne hanno le parole.",
  more: "Altri risultati",
  offline: "La ricerca non è raggiungibile. Sei offline?",
  failed: "La ricerca al momento non funziona.",
  retry: "Riprova",
  by: ["per parole", "per parole e significato", "per parole e significato completo"],
  offer: "Capire di più ({size} MB)",
  loadingModel: "Caricamento: {percent} %",
  keys: ["muovi", "apri", "chiudi"],
};
export default strings;
