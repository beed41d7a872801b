/** Lets TypeScript know `<nearfind-search>` in templates: `import type {} from "nearfind/vue"` in any file of the project. */
import type { DefineComponent } from "vue";
import type { NearfindSearchAttributes } from "./attributes.js";

declare module "vue" {
  interface GlobalComponents {
    "nearfind-search": DefineComponent<NearfindSearchAttributes>;
  }
}
