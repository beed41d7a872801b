/**
 * Recognizes keys that the box must not handle, because they belong to input methods or to a reader who writes elsewhere in the
 * page.
 */

/** Elements where readers write texts and Ctrl-K may create a link. The content of a frame is not visible to the page. */
const EDITORS = "textarea,iframe,object,embed,[role~=textbox]";
/** Elements where readers type words or choose by letters. These elements do not use Ctrl-K. */
const FIELDS = ",input,select,[role~=searchbox],[role~=combobox],[role~=spinbutton]";

/**
 * Returns whether an input method uses the key. In Safari, the Enter that ends a composition arrives after its end, so only the
 * key code reveals it.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * Returns whether the key is part of what a reader is writing. For a key combination, only editors count.
 *
 * The content of a closed shadow root is hidden, so its host may contain an editor. A host is a custom element, or an element
 * that has the focus although it is not focusable. Elements that scroll can have the focus as well, but they match
 * `:focus-visible`, and hosts do not.
 */
export function isWriting(event: KeyboardEvent, isCombination: boolean): boolean {
  const target = event.composedPath()[0] as HTMLElement & { editContext?: unknown };
  return Boolean(
    document.designMode === "on" ||
      target.isContentEditable ||
      target.editContext ||
      target.closest?.(EDITORS + (isCombination ? "" : FIELDS)) ||
      target.localName?.includes("-") ||
      (target.tabIndex < 0 && target.matches(":not(html,body,[tabindex],:focus-visible)")),
  );
}
