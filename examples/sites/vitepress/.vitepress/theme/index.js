import DefaultTheme from "vitepress/theme";
import { withBase } from "vitepress";
import { h } from "vue";
import "nearfind/define";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-before": () => h("nearfind-search", { bundle: withBase("/search/"), style: "margin-inline: auto 1rem" }) }),
};
