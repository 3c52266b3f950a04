// The one road into the page: a file is handed to a box for uploads that Gradio has put there, as if it had been chosen in it.

const STEP = 50; // milliseconds between two looks
const LONGEST = 60000; // an upload that is on its way comes first

/**
 * @param {string} box what it stands in: "#picture"
 * @param {File} file
 * @param {() => boolean} isWanted still? Another one may be chosen while an upload is on its way
 * @returns {Promise<boolean>} was it handed over?
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

/** Is there room for another one, so that the last has arrived or was refused? @param {string} box */
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
