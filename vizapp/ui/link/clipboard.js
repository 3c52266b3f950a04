// Copies a text even if the browser offers no clipboard, as on a page without https or in a frame.

/** @param {string} text @param {string} byHand the label of a box from which the visitor can copy it, if nothing else works */
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

const FOR = 2500; // milliseconds

/** Say something in the place of a button's words, for some seconds. @param {HTMLElement} button @param {string} text */
export function said(button, text) {
  const words = (button.dataset.words ??= button.textContent);
  button.textContent = text;
  setTimeout(() => (button.textContent = words), FOR);
}
