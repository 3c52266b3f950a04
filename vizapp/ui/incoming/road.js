// Hands a file to one of Gradio's upload boxes, as if it had been chosen there. This is the only way for files into the page.

const STEP = 50; // milliseconds between two checks
const LONGEST = 60000; // milliseconds to wait for an upload that is already running

/**
 * @param {string} box selector of the box: "#picture"
 * @param {File} file
 * @param {() => boolean} isWanted whether it still is: another one may be chosen while an upload is running
 * @returns {Promise<boolean>} whether it was handed over
 */
export async function hand(box, file, isWanted = () => true) {
  const input = await inputOf(box);
  if (!input || !isWanted()) return false;
  const bag = new DataTransfer();
  bag.items.add(file);
  input.files = bag.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

/** Whether the box is free, because the last file has arrived or was refused. @param {string} box */
export const isFree = (box) => Boolean(find(box));

/** @param {string} box @returns {HTMLInputElement | null} */
const find = (box) => document.querySelector(`${box} input[type=file]:not(:disabled)`);

async function inputOf(box) {
  for (let waited = 0; waited < LONGEST; waited += STEP) {
    const input = find(box);
    if (input) return input;
    await new Promise((done) => setTimeout(done, STEP));
  }
  return null;
}
