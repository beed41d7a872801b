/**
 * Returns whether a call to a module ended with a panic, or with a JavaScript error that passed through the module. The module's
 * own errors have the class `Error` and a code, and errors from hosts have the class `NearfindError`.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error && "code" in error) || error instanceof TypeError;
}
