/**
 * Reads tool arguments as models write them: names that models invent are understood, and numbers and flags may be text. Errors
 * say how to write the next call. The native server reads arguments in the same way.
 */
import { charsOf } from "./text.js";

/** An error from a tool. Its message is for the model that called the tool. */
export class ToolError extends Error {}

/** Arguments as the client sent them. */
export type Given = Record<string, unknown>;
/** Argument names that models invent, each with our own name for it. */
export type Aliases = Record<string, string>;

/** The maximum number of characters in a text: more than any question has. */
const MOST_CHARS = 2_000;
const MOST_NAME_CHARS = 100;

/** Converts a name to snake case: `maxResults` and `max-results` become `max_results`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[- ]/g, "_")
    .toLowerCase();
}

/** Returns a tool's arguments under our names, without those that are `null`. `known` lists our names. */
export function named(given: Given, known: readonly string[], aliases: Aliases): Given {
  const read: Given = {};
  for (const [name, value] of Object.entries(given)) {
    const plain = snakeCase(name);
    // Some clients have an argument where the model says why it calls a tool.
    if (value === null || value === undefined || plain === "explanation") {
      continue;
    }
    const ours = Object.hasOwn(aliases, plain) ? aliases[plain]! : plain;
    ensure(name.length <= MOST_NAME_CHARS, `the name of an argument has ${name.length} characters: shorten it`);
    checkLength(ours, value);
    ensure(!Object.hasOwn(read, ours), `argument \`${ours}\` is given twice, once as \`${name}\``);
    ensure(known.includes(ours), `argument \`${ours}\`: unknown field \`${ours}\`, ${expected(known)}`);
    read[ours] = value;
  }
  return read;
}

function expected(known: readonly string[]): string {
  if (known.length === 0) {
    return "there are no fields";
  }
  const names = known.map((name) => `\`${name}\``);
  return names.length > 2 ? `expected one of ${names.join(", ")}` : `expected ${names.join(" or ")}`;
}

function checkLength(name: string, value: unknown): void {
  if (typeof value === "string") {
    if (value.length > MOST_CHARS) {
      const isList = /^\s*[[{]/.test(value) && typeof parsed(value) === "object";
      if (isList) {
        ensure(value.length <= 10 * MOST_CHARS, `argument \`${name}\` is too long: shorten it`);
        return;
      }
      const chars = charsOf(value);
      ensure(chars <= MOST_CHARS, `argument \`${name}\` has ${chars} characters: shorten it to ${MOST_CHARS} at most`);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) checkLength(name, inner);
  }
}

/** Throws an error for the model unless a condition holds. */
export function ensure(holds: boolean, message: string): asserts holds {
  if (!holds) {
    throw new ToolError(message);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a text argument; `undefined` if it is missing. */
export function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  if (value === undefined) {
    return undefined;
  }
  ensure(typeof value !== "object", `argument \`${name}\`: invalid type: ${Array.isArray(value) ? "sequence" : "map"}, expected a string`);
  return String(value);
}

/** Returns a required text argument. */
export function requiredText(given: Given, name: string): string {
  const text = textOf(given, name);
  ensure(text !== undefined, `missing field \`${name}\``);
  return text;
}

/** Returns an argument with one or more texts. A string may contain a JSON list. */
export function textsOf(given: Given, name: string): string[] {
  const value = given[name];
  if (value === undefined) {
    return [];
  }
  const list = typeof value === "string" && value.trimStart().startsWith("[") ? parsed(value) : value;
  const texts = Array.isArray(list) ? list : [list ?? value];
  return texts.map((text) => {
    ensure(text !== null && typeof text !== "object", `argument \`${name}\`: ${JSON.stringify(text)} is not text`);
    return String(text);
  });
}

/** Returns an argument that maps names to one or more texts. A string may contain a JSON object. */
export function namedTexts(given: Given, name: string): Record<string, string[]> {
  const value = given[name];
  if (value === undefined || (typeof value === "string" && value.trim() === "")) {
    return {};
  }
  const object = typeof value === "string" ? parsed(value) : value;
  ensure(
    typeof object === "object" && object !== null && !Array.isArray(object),
    `argument \`${name}\`: ${JSON.stringify(value)} is not an object: give each name a value or a list of values`,
  );
  return Object.fromEntries(Object.keys(object).map((key) => [key, textsOf(object as Given, key)]));
}

/** Returns a flag argument, which may be written as text. */
export function flag(given: Given, name: string): boolean | undefined {
  const text = textOf(given, name)?.trim().toLowerCase();
  ensure(
    text === undefined || text === "true" || text === "false",
    `argument \`${name}\`: ${JSON.stringify(given[name])} is neither true nor false`,
  );
  return text === undefined ? undefined : text === "true";
}

/** Returns a whole-number argument, which may be written as text. */
export function whole(given: Given, name: string): number | undefined {
  const text = textOf(given, name)?.trim();
  const number = text === undefined ? undefined : text === "" ? Number.NaN : Number(text);
  ensure(number === undefined || Number.isInteger(number), `argument \`${name}\`: ${JSON.stringify(text)} is not a whole number`);
  return number;
}

/** Returns a whole-number argument from `least` to `most`; `standard` if it is missing. */
export function within(given: Given, name: string, [least, most]: readonly [number, number], standard: number): number {
  const number = whole(given, name) ?? standard;
  ensure(number >= least && number <= most, `argument \`${name}\` is ${number}: use ${least} to ${most}`);
  return number;
}
