import type { Aliases, Given } from "../arguments.js";
import type { Bundle, Contents } from "../bundle.js";

/** A tool. Its description and its schema are in `descriptions.json`. */
export interface Tool {
  name: string;
  /** All its arguments, in the order in which errors list them. */
  takes: readonly string[];
  aliases: Aliases;
  /** Whether a bundle with these contents has data for the tool. */
  isFor?(contents: Contents): boolean;
  /** Whether the tool needs the module that finds lines. */
  needsGrep?: boolean;
  /** Converts arguments that similar tools write in other forms. */
  adapt?(given: Given): Given;
  /** Returns the answer as text. Errors are for the model and say what to do. */
  run(bundle: Bundle, given: Given): Promise<string>;
}
