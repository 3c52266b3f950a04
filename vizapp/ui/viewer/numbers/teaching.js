// What is marked while things are taught: a few patches of each, as places in the picture.

export const MOST_THINGS = 5; // more colours are hard to tell apart
const MOST_MARKS = 9;
export const COLOURS = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#f0e442"]; // Okabe and Ito's, for every kind of eye

/** @typedef {{name: string, at: number[][]}} Thing `at`: places of its patches */

/** Two things that nobody has named or marked: with one alone every patch would be it. @returns {Thing[]} */
export const begun = () => [
  { name: "", at: [] },
  { name: "", at: [] },
];

/**
 * The things after a patch was touched: it is one of the chosen thing, or, where it was that already, of none.
 * @param {{things: Thing[], thing: number, patchAt: (place: number[]) => number[] | null}} view
 * @param {number[]} place
 */
export function touched({ things, thing, patchAt }, place) {
  const all = things.length ? things : begun();
  const chosen = Math.min(thing, all.length - 1);
  const is = (other) => String(patchAt(other)) === String(patchAt(place));
  const had = all[chosen].at.some(is);
  const left = all.map(({ name, at }) => ({ name, at: at.filter((other) => !is(other)) }));
  if (!had && left[chosen].at.length < MOST_MARKS) left[chosen].at.push(place);
  return left;
}

/** The name of a thing, also where nobody gave it one. @param {Thing[]} things @param {number} i */
export const nameIn = (things, i, words) => things[i].name.trim() || words.say("teach_thing", { n: i + 1 });

/** What was marked, to be compared. @param {Thing[]} things */
export const marksOf = (things) => JSON.stringify(things.map(({ at }) => at));

/**
 * What was taught to a network: things by name, and of each the mean of its patches' features. Null if it was not taught two.
 * @param {string} model
 * @returns {{names: string[], prototypes: Float32Array[]} | null}
 */
export function lessonOf(state, model, words) {
  const taught = state.get("taught");
  const things = state.get("things");
  if (taught?.model !== model || taught.these.some((i) => !things[i])) return null; // a link may have come without them
  if (things.some(({ at }) => at.length) && marksOf(things) !== taught.marks) return null; // or with others
  return { names: taught.these.map((i) => nameIn(things, i, words)), prototypes: taught.prototypes };
}
