/** Keys that are not the box's: those of input methods, and of whoever writes elsewhere in the page. */

/** Where texts are written, in which Ctrl-K makes links. Of frames nothing else is seen. */
const EDITORS = "textarea,iframe,object,embed,[role~=textbox]";
/** Where words are written or chosen by their letters, which need no Ctrl-K. */
const FIELDS = ",input,select,[role~=searchbox],[role~=combobox],[role~=spinbutton]";

/** Whether an input method has the key. In Safari the Enter that ends a composition comes after its end: only the code tells. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * Whether the key is for somebody who writes; a combination of keys, for somebody in an editor.
 *
 * Of what is in a closed shadow root only the host is seen, which may hold an editor: a custom element, or one that has the
 * focus though it takes none. So do elements that scroll, but these are `:focus-visible`, and hosts are not.
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
