import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Zoeken",
  placeholder: "Zoeken in de documentatie",
  close: "Sluiten",
  clear: "Wissen",
  results: "Resultaten",
  recent: "Recente zoekopdrachten",
  pin: "‘{query}’ vastzetten",
  unpin: "‘{query}’ losmaken",
  forget: "‘{query}’ vergeten",
  loading: "Zoeken wordt geladen…",
  found: { one: "{n} pagina", other: "{n} pagina’s" },
  nothing: "Niets gevonden voor ‘{query}’.",
  instead: "Zoek naar:",
  unfiltered: "Zoeken zonder filters",
  corrected: "‘{word}’ komt niet voor: gezocht naar ‘{meant}’.",
  noPhrase: "‘{phrase}’ komt niet voor: deze pagina’s hebben de woorden.",
  more: "Meer resultaten",
  offline: "Het zoeken is niet bereikbaar. Bent u offline?",
  failed: "Het zoeken werkt op dit moment niet.",
  retry: "Opnieuw proberen",
  by: ["op woorden", "op woorden en betekenis", "op woorden en volledige betekenis"],
  offer: "Meer begrijpen ({size} MB)",
  loadingModel: "Laden: {percent} %",
  keys: ["bewegen", "openen", "sluiten"],
};
export default strings;
