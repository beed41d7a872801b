/**
 * Arguments of tools as models write them: names that they invent are understood, and numbers and flags may be text. An error says
 * how to write the next call. The native server reads them in the same way.
 */
import { charsOf } from "./text.js";

/** An error of a tool. Its message is for the model that called it. */
export class ToolError extends Error {}

/** Arguments as they were given. */
export type Given = Record<string, unknown>;
/** Argument names that models invent, each with ours. */
export type Aliases = Record<string, string>;

/** The maximum number of characters of a text: more than any question has. */
const MOST_CHARS = 2_000;
const MOST_NAME_CHARS = 100;

/** `maxResults` and `max-results` as `max_results`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[- ]/g, "_")
    .toLowerCase();
}

/** Returns the arguments of a tool by our names, without those that are `null`. `known` lists our names. */
export function named(given: Given, known: readonly string[], aliases: Aliases): Given {
  const read: Given = {};
  for (const [name, value] of Object.entries(given)) {
    const plain = snakeCase(name);
    // Some clients let their model say why it calls a tool.
    if (value === null || value === undefined || plain === "explanation") {
      continue;
    }
    const ours = Object.hasOwn(aliases, plain) ? aliases[plain]! : plain;
    ensure(name.length <= MOST_NAME_CHARS, `the name of an argument has ${name.length} characters`);
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

/** Returns a text; `undefined` if it is not given. */
export function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  if (value === undefined) {
    return undefined;
  }
  ensure(typeof value !== "object", `argument \`${name}\`: invalid type: ${Array.isArray(value) ? "sequence" : "map"}, expected a string`);
  return String(value);
}

/** Returns a text that a call must have. */
export function requiredText(given: Given, name: string): string {
  const text = textOf(given, name);
  ensure(text !== undefined, `missing field \`${name}\``);
  return text;
}

/** Returns one text or several. A string may contain a JSON list. */
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

/** Returns names with one text or several each. A string may contain a JSON object. */
export function namedTexts(given: Given, name: string): Record<string, string[]> {
  const value = given[name];
  if (value === undefined || (typeof value === "string" && value.trim() === "")) {
    return {};
  }
  const object = typeof value === "string" ? parsed(value) : value;
  ensure(
    typeof object === "object" && object !== null && !Array.isArray(object),
    `argument \`${name}\`: ${JSON.stringify(value)} is not an object: write names with a value or a list each`,
  );
  return Object.fromEntries(Object.keys(object).map((key) => [key, textsOf(object as Given, key)]));
}

/** Returns a flag, which may be written as text. */
export function flag(given: Given, name: string): boolean | undefined {
  const text = textOf(given, name)?.trim().toLowerCase();
  ensure(
    text === undefined || text === "true" || text === "false",
    `argument \`${name}\`: ${JSON.stringify(given[name])} is neither true nor false`,
  );
  return text === undefined ? undefined : text === "true";
}

/** Returns a whole number, which may be written as text. */
export function whole(given: Given, name: string): number | undefined {
  const text = textOf(given, name)?.trim();
  const number = text === undefined ? undefined : text === "" ? Number.NaN : Number(text);
  ensure(number === undefined || Number.isInteger(number), `argument \`${name}\`: ${JSON.stringify(text)} is not a whole number`);
  return number;
}

/** Returns a whole number from `least` to `most`; `standard` if it is not given. */
export function within(given: Given, name: string, [least, most]: readonly [number, number], standard: number): number {
  const number = whole(given, name) ?? standard;
  ensure(number >= least && number <= most, `argument \`${name}\` is ${number}: use ${least} to ${most}`);
  return number;
}
