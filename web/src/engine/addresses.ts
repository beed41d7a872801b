/** How an address begins that runs something, or may: with a scheme other than these. */
const UNSAFE = /^(?!https?:|file:)[^/?#]*:/i;

/** Takes from what was found an address that hosts must not make a link of: one with another scheme. */
export function linked<T extends { url: string | null } | null>(found: T): T {
  if (found && UNSAFE.test(found.url!)) {
    found.url = null;
  }
  return found;
}
