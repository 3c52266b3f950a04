// What of a link is not understood here, in one sentence: which keys, and what is shown instead.

const MOST = 4; // keys that are named; of more, only the number is told

// What stands for a value, by the key; of a key that is not here, nothing does.
const INSTEAD = {
  layer: "instead_layer",
  head: "instead_head",
  method: "instead_method",
  token: "instead_token",
  step: "instead_step",
  chapter: "instead_chapter",
  fit: "instead_fit",
  model: "instead_model",
  tab: "instead_tab",
};
const NEAREST = { place: "nearest_place", moment: "nearest_moment" }; // of a value that only another network has

// A link comes from anybody, so a key that is unknown here is shortened, and shown without what is no letter.
const nameOf = (key) => key.replace(/\W/g, "\u00b7").slice(0, 20) || "\u00b7";

/**
 * @param {import("./words.js").Words} words
 * @param {string[]} unread keys that are unknown, or whose values are no values of theirs
 * @param {Record<string, any>} fitted what stands for values that only another network has, see Selectors.fitted
 * @param {Record<string, any>} shown what is on the stage
 * @returns {string} "" if all was understood
 */
export function strangeSaid(words, unread, fitted, shown) {
  const keys = [...new Set([...unread, ...Object.keys(fitted)])];
  if (!keys.length) return "";
  const each = keys.slice(0, MOST).map((key) => {
    const isNear = (fitted[key] ?? null) !== null && Object.hasOwn(NEAREST, key);
    const instead = isNear ? NEAREST[key] : Object.hasOwn(INSTEAD, key) ? INSTEAD[key] : "left_out";
    const values = { layer: shown.layer + 1, head: shown.head + 1 };
    return words.say("strange_key", { key: nameOf(key), instead: words.say(instead, values) });
  });
  if (keys.length > MOST) each.push(words.say("strange_more", { n: keys.length - MOST }));
  return words.say("strange", { what: words.list(each) });
}
