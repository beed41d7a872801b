import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Buscar",
  placeholder: "Buscar en la documentación",
  close: "Cerrar",
  clear: "Borrar",
  results: "Resultados",
  recent: "Búsquedas recientes",
  pin: "Fijar «{query}»",
  unpin: "Soltar «{query}»",
  forget: "Olvidar «{query}»",
  loading: "Cargando la búsqueda…",
  found: { one: "{n} página", other: "{n} páginas" },
  nothing: "No se encontró nada para «{query}».",
  instead: "Buscar:",
  unfiltered: "Buscar sin filtros",
  corrected: "«{word}» no aparece: se buscó «{meant}».",
  noPhrase: "«{phrase}» no aparece: estas páginas tienen sus palabras.",
  more: "Más resultados",
  offline: "No se puede acceder a la búsqueda. ¿Está sin conexión?",
  failed: "La búsqueda no funciona en este momento.",
  retry: "Reintentar",
  by: ["por palabras", "por palabras y significado", "por palabras y significado completo"],
  offer: "Entender más ({size} MB)",
  loadingModel: "Cargando: {percent} %",
  keys: ["mover", "abrir", "cerrar"],
};
export default strings;
