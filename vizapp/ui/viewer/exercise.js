// What an exercise of the textbook is, and whether this page understands it. See exercises/README.md.

/**
 * @typedef {object} Exercise
 * @property {string} kind as chapters say it
 * @property {(box: HTMLElement, given: Given) => Mounted} mount
 *
 * @typedef {object} Given
 * @property {any} spec the exercise as its chapter has it
 * @property {string} name of it: of its chapter, and its number there
 * @property {number} chapter its number; 0 is the drawing that opens the book
 * @property {import("./state.js").State} state
 * @property {import("./words.js").Words} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {(kind: import("../../vocabulary.js").Question, what?: any) => Promise<any>} ask the server, of the picture that is shown
 * @property {(link: string) => void} open another picture, as a link names it
 * @property {() => string} here the link of the current view
 * @property {(readings?: Record<string, string>) => void} done call it when the exercise is done, each time: shows the answer,
 *   with the readings that the exercise found itself
 * @property {import("./book.js").Book} book
 *
 * @typedef {object} Mounted
 * @property {(view: import("./panel.js").View) => void} [show] called for each paint
 * @property {() => void} [stop] called when the reader leaves the exercise
 */

export const LAST = "layer=last"; // the one `sets` that is not written as in a link
const BESIDE = ["picture", "model"]; // what `done` may ask for beside the state
const MET = ["changed", "any", "none"]; // values of `done` that any key may have

/**
 * The first part of an exercise that a page with this state does not understand; "" if it understands all of it.
 * @param {import("./state.js").State} state
 * @param {{sets?: string, done?: Record<string, any>}} spec
 */
export function notUnderstood(state, { sets = "", done = {} }) {
  for (const [key, written] of sets === LAST ? [] : new URLSearchParams(sets))
    if (state.read(key, written) === undefined) return `${key}=${written}`;
  const strange = Object.entries(done).find(([key, value]) => !isGoal(state, key, value));
  return strange ? strange.join(" = ") : "";
}

function isGoal(state, key, value) {
  if (BESIDE.includes(key)) return typeof value === "string";
  if (!Object.hasOwn(state.declared, key)) return false;
  if (MET.includes(value) || (key === "layer" && value === "last")) return true;
  return state.declared[key].fits(String(value).startsWith(">=") ? Number(value.slice(2)) : value);
}
