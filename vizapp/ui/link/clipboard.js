// Copies what *Share* offers, even if the browser has no clipboard, as on a page without https or in a frame.

import { framed } from "./address.js";

export const COPIES = ".copy-link, .copy-frame"; // its buttons
const FOR = 2500; // milliseconds

/**
 * Copy a link, or the lines that show it in another page, and say so in the place of the button's words for some seconds.
 * @param {HTMLElement} button @param {string} link @param {boolean} isUpload whether its picture stays here
 * @param {Record<string, string>} words
 */
export async function copy(button, link, isUpload, words) {
  await copied(button.matches(".copy-frame") ? framed(link, document.title) : link, words.by_hand);
  const label = (button.dataset.words ??= button.textContent);
  button.textContent = words[isUpload ? "copied_upload" : "copied"];
  setTimeout(() => (button.textContent = label), FOR);
}

/** @param {string} text @param {string} byHand the label of a box from which the visitor can copy it, if nothing else works */
async function copied(text, byHand) {
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
