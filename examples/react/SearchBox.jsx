// A search box of your own with the library, and the ready-made one as an element.
import { open } from "nearfind";
import "nearfind/define";
import { createElement, useEffect, useState } from "react";

/** The ready-made box. React 19 passes properties such as `transform` to the element. */
export function ReadyBox({ bundle, ...properties }) {
  return createElement("nearfind-search", { bundle, ...properties });
}

/** Returns the answer to a text that changes on every keystroke. The answer to an older text is never shown. */
export function useSearch(bundle, text) {
  const [search, setSearch] = useState();
  const [answer, setAnswer] = useState();
  useEffect(() => {
    const opening = open(bundle);
    opening.then(setSearch, console.error);
    return () => void opening.then((opened) => opened.close(), () => {});
  }, [bundle]);
  useEffect(() => {
    if (!search || !text.trim()) {
      setAnswer(undefined);
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    search.query(text, { typing: true, signal, onPreview: setAnswer }).then(setAnswer, (error) => signal.aborted || console.error(error));
    return () => controller.abort();
  }, [search, text]);
  return answer;
}

export function SearchBox({ bundle }) {
  const [text, setText] = useState("");
  const answer = useSearch(bundle, text);
  return createElement("form", { role: "search", onSubmit: (event) => event.preventDefault() },
    createElement("input", { type: "search", "aria-label": "Search", value: text, onChange: (event) => setText(event.target.value) }),
    createElement("ul", null, answer?.hits.map(({ document, title, url, anchor }) => createElement("li", { key: document }, createElement("a", { href: `${url}${anchor && `#${anchor}`}` }, title)))));
}
