import { ensure } from "./arguments.js";

/**
 * The maximum number of repetitions, options and groups of alternatives. Each may multiply the time by up to the length of a
 * line.
 */
const MOST_REPETITIONS = 3;
/** The maximum number of combinations of the alternatives in all groups. */
const MOST_CHOICES = 1000;

/**
 * Checks a caller's regular expression and returns it. The platform tries every way to match, so one caller could keep the server
 * busy for hours. Nested repetitions, repeated alternatives, many of either in a row, and backreferences are therefore refused.
 */
export function safeExpression(source: string): string {
  let isValid = true;
  try {
    new RegExp(source, "u");
  } catch {
    isValid = false;
  }
  ensure(isValid, `${JSON.stringify(source)} is not a valid regular expression`);
  const tooSlow = `${JSON.stringify(source)} may take too long here: use at most ${MOST_REPETITIONS} of *, +, ?, {n,m} and (a|b), none inside another, few alternatives, and no backreferences`;
  // Whether repeating the current group may take long, and the number of its alternatives.
  let group = { isSlow: false, alternatives: 1 };
  const outer: (typeof group)[] = [];
  let [repetitions, choices, wasSlow] = [0, 1, false];
  for (const [token] of source.matchAll(/\\k<|\\[1-9]|\\.|\[(?:\\.|[^\]\\])*\]|\(\??|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu)) {
    ensure(!/^\\(?:k<|[1-9])/.test(token), tooSlow);
    if (token.startsWith("(")) {
      outer.push(group);
      group = { isSlow: false, alternatives: 1 };
    } else if (token === ")") {
      choices *= group.alternatives;
      wasSlow = group.isSlow;
      group = outer.pop() ?? group;
      group.isSlow ||= wasSlow;
      continue;
    } else if (token === "|") {
      // Alternatives of the whole expression are tried one after the other, and nothing follows them.
      repetitions += group.alternatives === 1 && outer.length > 0 ? 1 : 0;
      group.alternatives += 1;
      group.isSlow = true;
    } else if (/^(?:[*+?]|\{\d)/.test(token)) {
      ensure(token.startsWith("?") || !wasSlow, tooSlow);
      repetitions += /^\{(\d+)(?:,\1)?\}/.test(token) ? 0 : 1;
      group.isSlow = true;
    }
    wasSlow = false;
  }
  ensure(repetitions <= MOST_REPETITIONS && choices <= MOST_CHOICES, tooSlow);
  return source;
}
