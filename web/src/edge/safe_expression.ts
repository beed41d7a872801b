import { ensure } from "./arguments.js";

/** The maximum number of repetitions without an end. Each multiplies the time by the length of a line. */
const MOST_REPETITIONS = 3;

/**
 * Returns a regular expression of a caller. The platform tries every way to match, so one caller could keep the server busy for
 * hours: repetition within repetition, alternatives that are repeated and references back are refused.
 */
export function safeExpression(source: string): string {
  let isValid = true;
  try {
    new RegExp(source, "u");
  } catch {
    isValid = false;
  }
  ensure(isValid, `${JSON.stringify(source)} is not a valid regular expression`);
  const tooSlow = `${JSON.stringify(source)} may take too long here: use at most ${MOST_REPETITIONS} of *, + and {n,}, none within another, and no references back`;
  // For each group that is open, whether repeating it may take long.
  const groups = [false];
  let [repetitions, wasSlow] = [0, false];
  for (const [token] of source.matchAll(/\\k<|\\[1-9]|\\.|\[(?:\\.|[^\]\\])*\]|[*+]|\{\d+(?:,\d*)?\}|[()|?]|./gsu)) {
    ensure(!/^\\(?:k<|[1-9])/.test(token), tooSlow);
    if (token === "(") {
      groups.push(false);
    } else if (token === ")") {
      wasSlow = groups.pop() ?? false;
      groups[groups.length - 1] ||= wasSlow;
      continue;
    } else if (token === "|") {
      groups[groups.length - 1] = true;
    } else if (/^[*+{]./.test(token) || token === "*" || token === "+") {
      ensure(!wasSlow, tooSlow);
      repetitions += /^\{\d+(?:,\d+)?\}$/.test(token) ? 0 : 1;
      groups[groups.length - 1] = true;
    }
    wasSlow = false;
  }
  ensure(repetitions <= MOST_REPETITIONS, tooSlow);
  return source;
}
