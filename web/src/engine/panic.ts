/**
 * Whether a call of a module ended by a panic, or by an error of JavaScript that went through it. The module's own errors have
 * the class `Error` and a code, and errors of hosts have our class.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error && "code" in error) || error instanceof TypeError;
}
