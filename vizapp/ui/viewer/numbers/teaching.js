// The things that a visitor teaches by example: a few marked patches of each, as places in the picture.

import { MOST_MARKS } from "../../../vocabulary.js";

export const COLOURS = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#f0e442"]; // Okabe and Ito's, which colour-blind people can tell apart

/** @typedef {{name: string, at: number[][]}} Thing `at`: the places of its patches */

/** Two things without names and marks. With only one, every patch would be labelled as it. @returns {Thing[]} */
export const begun = () => [
  { name: "", at: [] },
  { name: "", at: [] },
];

/**
 * The things after a click on a patch, which adds it to the chosen thing, or removes it if it was there.
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

/** The name of a thing, or "thing n" if it has none. @param {Thing[]} things @param {number} i */
export const nameIn = (things, i, words) => things[i].name.trim() || words.say("teach_thing", { n: i + 1 });

/** The marks as text, to compare them. @param {Thing[]} things */
export const marksOf = (things) => JSON.stringify(things.map(({ at }) => at));

/**
 * What a network was taught: the names of things, and for each the mean of its patches' features. Null for fewer than two.
 * @param {string} model
 * @returns {{names: string[], prototypes: Float32Array[]} | null}
 */
export function lessonOf(state, model, words) {
  const taught = state.get("taught");
  const things = state.get("things");
  if (taught?.model !== model || taught.these.some((i) => !things[i])) return null; // a link has replaced the things by fewer
  if (things.some(({ at }) => at.length) && marksOf(things) !== taught.marks) return null; // a link has brought other marks
  return { names: taught.these.map((i) => nameIn(things, i, words)), prototypes: taught.prototypes };
}
