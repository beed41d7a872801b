// The search bar of the Docusaurus theme. The site's router opens results, so that no page is reloaded.
import { useHistory } from "@docusaurus/router";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { usePluginData } from "@docusaurus/useGlobalData";
import { createElement, useEffect, useRef } from "react";
import { showPassage } from "../../passage.js";

export default function SearchBar() {
  const box = useRef(null);
  const history = useHistory();
  const { baseUrl } = useDocusaurusContext().siteConfig;
  const { attributes } = usePluginData("nearfind");
  useEffect(() => {
    const { current } = box;
    const follow = (event) => {
      const url = new URL(event.detail.url, location.href);
      // Other languages and versions may be separate sites, and the browser opens files.
      if (event.detail.url && url.origin === location.origin && url.pathname.startsWith(baseUrl) && !event.detail.hit.meta.format) {
        event.preventDefault();
        history.push(url.pathname + url.search + url.hash);
        if (current.getAttribute("highlight") !== "none") {
          void showPassage(event.detail.passage, url.pathname);
        }
      }
    };
    current.addEventListener("nearfind-select", follow);
    return () => current.removeEventListener("nearfind-select", follow);
  }, [baseUrl, history]);
  return createElement("nearfind-search", { ...attributes, ref: box });
}
