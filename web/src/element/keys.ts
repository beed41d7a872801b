/** Keys that are not the box's: those of input methods. */

/** Whether an input method has the key. In Safari the Enter that ends a composition comes after its end: only the code tells. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
