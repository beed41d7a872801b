import type { Strings } from "../texts.js";

/** English, which is always there. */
export const english: Strings = {
  search: "Search",
  placeholder: "Search the docs",
  close: "Close",
  clear: "Clear",
  results: "Results",
  recent: "Recent searches",
  pin: "Pin “{query}”",
  unpin: "Unpin “{query}”",
  forget: "Forget “{query}”",
  loading: "Loading the search…",
  found: { one: "{n} page", other: "{n} pages" },
  nothing: "Nothing found for “{query}”.",
  instead: "Search for:",
  unfiltered: "Search without filters",
  corrected: "Nobody wrote “{word}”: searched for “{meant}”.",
  noPhrase: "Nobody wrote “{phrase}”: these pages have its words.",
  more: "More results",
  offline: "The search cannot be reached. Are you offline?",
  failed: "The search does not work right now.",
  retry: "Try again",
  by: ["by words", "by words and meaning", "by words and full meaning"],
  offer: "Understand more ({size} MB)",
  loadingModel: "Loading: {percent} %",
  keys: ["move", "open", "close"],
};
