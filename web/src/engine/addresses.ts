/** How an address begins that runs something, or may: with a scheme other than these. */
const UNSAFE = /^(?!https?:|file:)[^/?#]*:/i;

/** Takes from what was found the addresses that hosts must not make a link of: those with another scheme, also of metadata. */
export function linked<T extends { url: string | null; meta?: Record<string, string> } | null>(found: T): T {
  if (found && UNSAFE.test(found.url!)) {
    found.url = null;
  }
  if (found?.meta?.url && UNSAFE.test(found.meta.url)) {
    delete found.meta.url;
  }
  return found;
}
