/**
 * Declares `<nearfind-search>` and `<nearfind-ask>` for templates in TypeScript. Add `import type {} from "nearfind/vue"` to any
 * file in the project.
 */
import type { DefineComponent } from "vue";
import type { NearfindAskAttributes, NearfindSearchAttributes } from "./attributes.js";

declare module "vue" {
  interface GlobalComponents {
    "nearfind-search": DefineComponent<NearfindSearchAttributes>;
    "nearfind-ask": DefineComponent<NearfindAskAttributes>;
  }
}
