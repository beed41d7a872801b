// The search bar of the VitePress theme. The site's router opens results, so that no page is reloaded.
import { useRouter, withBase } from "vitepress";
import { defineComponent, h } from "vue";
import { showPassage } from "../passage.js";

export default defineComponent(() => {
  const router = useRouter();
  const follow = (event) => {
    const { url, hit } = event.detail;
    const to = new URL(url, location.href);
    // The browser opens other sites and files.
    if (url && to.origin === location.origin && to.pathname.startsWith(withBase("/")) && !hit.meta.format) {
      event.preventDefault();
      router.go(to.pathname + to.search + to.hash);
      if (event.target.getAttribute("highlight") !== "none") {
        void showPassage(event.detail.passage, to.pathname);
      }
    }
  };
  const style = "display: flex; flex: 1; align-items: center; padding-inline: 1.5rem";
  return () =>
    h("div", { class: "VPNavBarSearch", style }, h("nearfind-search", { ...__NEARFIND_ATTRIBUTES__, "onNearfind-select": follow }));
});
