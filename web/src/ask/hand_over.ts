/** Hands the question and its passages to another assistant that the reader uses. */
import { create } from "../element/create.js";
import { webAddress } from "../element/destination.js";
import { linkedPrompt } from "./prompt.js";
import type { Source } from "./source.js";

/** An assistant: its name, and its address, which contains `{prompt}`. */
export interface Assistant {
  name: string;
  address: string;
}

const DEFAULTS = "ChatGPT=https://chatgpt.com/?q={prompt}&Claude=https://claude.ai/new?q={prompt}";
/**
 * Parses the assistants in an attribute value such as `Name=https://…{prompt}`, with `&` between assistants. For `none`, returns
 * no assistants.
 */
export function assistantsOf(given: string | null): Assistant[] {
  return (given ?? DEFAULTS)
    .split(/&(?=[^&=?]+=https?:)/)
    .map((entry) => {
      const [name = "", ...address] = entry.split("=");
      return { name, address: address.join("=") };
    })
    .filter(({ name, address }) => name && /^https?:/.test(address) && webAddress(address, location.href));
}

/** Returns the address that passes the question to an assistant, with links to the pages. */
export function addressOf({ address }: Assistant, question: string, sources: Source[]): string {
  return address.replace("{prompt}", () => encodeURIComponent(linkedPrompt(question, sources)));
}

/**
 * Copies a text and returns whether that succeeded. If the page may not copy, adds a field named `name` after `place`, so that
 * the reader can copy the text from it.
 */
export async function copy(text: string, place: HTMLElement, name: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const next = place.nextElementSibling;
    const field = next instanceof HTMLTextAreaElement ? next : create("textarea", { readonly: true, "aria-label": name });
    field.value = text;
    place.after(field);
    field.select();
    return false;
  }
}
