// Copy a text, also where the browser offers no clipboard: on a page without https, in a frame.

/** @param {string} text @param {string} byHand what a box says from which it can be copied, if nothing else works */
export async function copied(text, byHand) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    if (!isDone) prompt(byHand, text);
  }
}
