import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Rechercher",
  placeholder: "Rechercher dans la documentation",
  close: "Fermer",
  clear: "Effacer",
  results: "Résultats",
  recent: "Recherches récentes",
  pin: "Épingler « {query} »",
  unpin: "Détacher « {query} »",
  forget: "Oublier « {query} »",
  loading: "Chargement de la recherche…",
  found: { one: "{n} page", other: "{n} pages" },
  nothing: "Aucun résultat pour « {query} ».",
  instead: "Rechercher :",
  unfiltered: "Rechercher sans filtres",
  corrected: "« {word} » n’apparaît nulle part : recherche de « {meant} ».",
  noPhrase: "« {phrase} » n’apparaît nulle part : ces pages contiennent ses mots.",
  more: "Plus de résultats",
  offline: "La recherche est injoignable. Êtes-vous hors ligne ?",
  failed: "La recherche ne fonctionne pas pour le moment.",
  retry: "Réessayer",
  by: ["par mots", "par mots et sens", "par mots et sens complet"],
  offer: "Mieux comprendre ({size} Mo)",
  loadingModel: "Chargement : {percent} %",
  keys: ["naviguer", "ouvrir", "fermer"],
};
export default strings;
