/**
 * Declares `<nearfind-search>` and `<nearfind-ask>` for JSX in TypeScript. Add `import type {} from "nearfind/react"` to any file
 * in the project.
 */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { NearfindAsk } from "../dist/ask.js";
import type { NearfindSearch } from "../dist/element.js";
import type { NearfindAskAttributes, NearfindSearchAttributes } from "./attributes.js";

type Properties = Partial<Pick<NearfindSearch, "transform" | "render" | "strings">>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "nearfind-search": DetailedHTMLProps<HTMLAttributes<NearfindSearch>, NearfindSearch> & NearfindSearchAttributes & Properties;
      "nearfind-ask": DetailedHTMLProps<HTMLAttributes<NearfindAsk>, NearfindAsk> &
        NearfindAskAttributes &
        Partial<Pick<NearfindAsk, "strings">>;
    }
  }
}
