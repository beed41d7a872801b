import DefaultTheme from "vitepress/theme";
import { useRouter, withBase } from "vitepress";
import { defineComponent, h } from "vue";
import "nearfind/define";

/** The box, whose results are followed by the site's router: no page is loaded anew. */
const SearchBox = defineComponent(() => {
  const router = useRouter();
  const follow = (event) => {
    if (event.detail.url) {
      event.preventDefault();
      router.go(event.detail.url.replace(location.origin, ""));
    }
  };
  return () => h("nearfind-search", { bundle: withBase("/nearfind/"), style: "margin-inline: auto 1rem", "onNearfind-select": follow });
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-before": () => h(SearchBox) }),
};
