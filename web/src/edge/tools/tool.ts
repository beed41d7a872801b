import type { Aliases, Given } from "../arguments.js";
import type { Bundle, Contents } from "../bundle.js";

/** A tool. Its description and its schema are in `descriptions.json`. */
export interface Tool {
  name: string;
  /** All of its arguments, in the order in which errors list them. */
  takes: readonly string[];
  aliases: Aliases;
  /** Whether a bundle with such contents has data for it. */
  isFor?(contents: Contents): boolean;
  /** Whether it needs the module that finds lines. */
  needsGrep?: boolean;
  /** Understands arguments that other tools have in a form of their own. */
  adapt?(given: Given): Given;
  /** Returns the answer as text. Errors are for the model and say what to do. */
  run(bundle: Bundle, given: Given): Promise<string>;
}
