/**
 * Whether a call of a module did not end as calls end: by a panic, or by an error of JavaScript that went through it. The errors
 * of modules are of the class `Error` and have a code, and those of hosts are of ours.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error && "code" in error) || error instanceof TypeError;
}
