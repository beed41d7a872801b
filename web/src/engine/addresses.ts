/** The start of an address that may run code: a scheme other than these. */
const UNSAFE = /^(?!https?:|file:)[^/?#]*:/i;

/** Removes addresses that hosts must not link to from hits and their metadata: those with another scheme. */
export function linked<T extends { url: string | null; meta?: Record<string, string> } | null>(found: T): T {
  if (found && UNSAFE.test(found.url!)) {
    found.url = null;
  }
  if (found?.meta?.url && UNSAFE.test(found.meta.url)) {
    delete found.meta.url;
  }
  return found;
}
