/**
 * Recognizes keys that the box must not take, because they belong to input methods or to a reader who writes elsewhere in the
 * page.
 */

/** Elements in which readers write texts, where Ctrl-K may create a link. The content of a frame is not visible to the page. */
const EDITORS = "textarea,iframe,object,embed,[role~=textbox]";
/** Elements in which readers type words or choose by letters. They do not need Ctrl-K. */
const FIELDS = ",input,select,[role~=searchbox],[role~=combobox],[role~=spinbutton]";

/**
 * Returns whether an input method uses the key. In Safari the Enter that ends a composition arrives after its end, so only the
 * key code reveals it.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * Returns whether the key belongs to a reader who writes. A key combination belongs only to a reader in an editor.
 *
 * The content of a closed shadow root is hidden, so its host may contain an editor. A host is a custom element, or an element
 * that has the focus although it is not focusable. Elements that scroll can have the focus as well, but they are
 * `:focus-visible`, and hosts are not.
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
