/** Lets TypeScript know `<nearfind-search>` and `<nearfind-ask>` in templates: `import type {} from "nearfind/vue"` in any file of the project. */
import type { DefineComponent } from "vue";
import type { NearfindAskAttributes, NearfindSearchAttributes } from "./attributes.js";

declare module "vue" {
  interface GlobalComponents {
    "nearfind-search": DefineComponent<NearfindSearchAttributes>;
    "nearfind-ask": DefineComponent<NearfindAskAttributes>;
  }
}
