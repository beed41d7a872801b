/** Matches the start of an address that may run code: any scheme except the listed ones. */
const UNSAFE = /^(?!https?:|file:)[^/?#]*:/i;

/** Removes addresses with an unsafe scheme from hits and their metadata, because hosts must not link to them. */
export function linked<T extends { url: string | null; meta?: Record<string, string> } | null>(found: T): T {
  if (found && UNSAFE.test(found.url!)) {
    found.url = null;
  }
  if (found?.meta?.url && UNSAFE.test(found.meta.url)) {
    delete found.meta.url;
  }
  return found;
}
