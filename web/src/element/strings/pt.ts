import type { Strings } from "../texts.js";

const strings: Strings = {
  search: "Pesquisar",
  placeholder: "Pesquisar na documentação",
  close: "Fechar",
  clear: "Limpar",
  results: "Resultados",
  recent: "Pesquisas recentes",
  pin: "Fixar “{query}”",
  unpin: "Desafixar “{query}”",
  forget: "Esquecer “{query}”",
  loading: "Carregando a pesquisa…",
  found: { one: "{n} página", other: "{n} páginas" },
  nothing: "Nada encontrado para “{query}”.",
  instead: "Pesquisar:",
  unfiltered: "Pesquisar sem filtros",
  corrected: "“{word}” não aparece: pesquisou-se “{meant}”.",
  noPhrase: "“{phrase}” não aparece: estas páginas têm as palavras.",
  more: "Mais resultados",
  offline: "Não foi possível acessar a pesquisa. Você está offline?",
  failed: "A pesquisa não funciona no momento.",
  retry: "Tentar de novo",
  by: ["por palavras", "por palavras e significado", "por palavras e significado completo"],
  offer: "Entender mais ({size} MB)",
  loadingModel: "Carregando: {percent} %",
  keys: ["mover", "abrir", "fechar"],
};
export default strings;
