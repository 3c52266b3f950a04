// Readings: numbers of the current view that a chapter's sentences name, as {patches} or {object}. A new one is a line here.

import { depthOf } from "./depth.js";
import { percent, times } from "./format.js";
import { METRICS } from "./score.js";

/**
 * @typedef {object} Seen what a reading is computed from
 * @property {any} view
 * @property {import("../words.js").Words} words
 * @property {[string, number][]} then the network's answer when the chapter was opened
 * @property {Record<string, string>} [found] readings that an exercise made itself
 */

const largest = ({ map: { values, layout } }) => values.subarray(layout.first).reduce((a, b) => Math.max(a, b), 0);
const energy = ({ map: { values, layout }, truth }, target = truth.targetOn(layout.grid)) =>
  target && METRICS.energy(values.subarray(layout.first), target);
const prefix = ({ map: { values, layout } }) => values.subarray(0, layout.first).reduce((a, b) => a + b, 0);
const ends = (view, key) => {
  const all = depthOf(view);
  return all && all[0][key] !== null ? [all[0][key], all.at(-1)[key]] : null;
};
// For each head of the layer shown, the number of tokens that it would look at if evenly (the exponential of its entropy).
const widths = ({ cells, layer, here }) =>
  cells[layer]
    .slice(0, here.heads)
    .map((cell) => cell && Math.exp(-cell.values.reduce((sum, p) => (p > 0 ? sum + p * Math.log(p) : sum), 0)));
const extreme = (view, isBetter) => {
  const all = widths(view);
  return all.includes(null) ? null : all.reduce((best, one, i) => (isBetter(one, all[best]) ? i : best), 0);
};
const some = (value, write) => (value === null || value === undefined ? null : write(value));

// The height and width of a patch; null where patches overlap or leave out some pixels, so that they are none of its cell.
const side = ({ payload: { input, grid, sees } }) => {
  const length = Math.round(input[0] / grid[0]);
  return sees?.some((one) => one !== length) ? null : length;
};

/** @type {Record<string, (seen: Seen) => string | number | null>} null if the current view has no such number */
export const READINGS = {
  model: ({ view }) => view.payload.model,
  rows: ({ view }) => view.payload.grid[0],
  columns: ({ view }) => view.payload.grid[1],
  patches: ({ view }) => view.payload.grid[0] * view.payload.grid[1],
  tokens: ({ view }) => view.here.keys.tokens,
  tokens_less: ({ view }) => view.here.keys.tokens - 1,
  side: ({ view }) => side(view),
  colours: ({ view }) => some(side(view), (length) => 3 * length ** 2),
  layers: ({ view }) => view.payload.layers.length,
  heads: ({ view }) => view.here.heads,
  layer: ({ view }) => view.layer + 1,
  head: ({ view }) => view.head + 1,
  row: ({ view }) => some(view.cell, ([row]) => row + 1),
  column: ({ view }) => some(view.cell, ([, column]) => column + 1),
  even: ({ view }) => some(view.even, (count) => percent(1 / count)),
  share: ({ view }) => percent(largest(view)),
  times: ({ view }) => some(view.even, (count) => times(largest(view) * count)),
  on_prefix: ({ view }) => percent(prefix(view)),
  on_patches: ({ view }) => percent(1 - prefix(view)),
  object: ({ view }) => some(energy(view), percent),
  area: ({ view }) => some(view.truth.target, ({ area }) => percent(area)),
  // If the picture has two things, or a tell-tale mark: the share on each.
  things: ({ view, words }) =>
    words.list(
      view.truth.parts.map(({ name, on }) =>
        words.say("score_part", { name, share: percent(energy(view, on(view.map.layout.grid)) ?? 0) }),
      ),
    ),
  object_first: ({ view }) => some(ends(view, "object"), ([first]) => percent(first)),
  object_last: ({ view }) => some(ends(view, "object"), ([, last]) => percent(last)),
  own_first: ({ view }) => some(ends(view, "own"), ([first]) => percent(first)),
  own_last: ({ view }) => some(ends(view, "own"), ([, last]) => percent(last)),
  wide_first: ({ view }) => some(ends(view, "entropy"), ([first]) => Math.round(Math.exp(first))),
  wide_last: ({ view }) => some(ends(view, "entropy"), ([, last]) => Math.round(Math.exp(last))),
  narrow_head: ({ view }) =>
    some(
      extreme(view, (a, b) => a < b),
      (head) => head + 1,
    ),
  narrow: ({ view }) =>
    some(
      extreme(view, (a, b) => a < b),
      (head) => Math.round(widths(view)[head]),
    ),
  wide_head: ({ view }) =>
    some(
      extreme(view, (a, b) => a > b),
      (head) => head + 1,
    ),
  wide: ({ view }) =>
    some(
      extreme(view, (a, b) => a > b),
      (head) => Math.round(widths(view)[head]),
    ),
  skip: ({ view }) => percent(view.skipWeight),
  label: ({ view }) => view.payload.top[0]?.[0] ?? null,
  sure: ({ view }) => some(view.payload.top[0]?.[1], percent),
  label_then: ({ then }) => then[0]?.[0] ?? null,
  sure_then: ({ then }) => some(then[0]?.[1], percent),
  // The share that the label of `then` has now, which is known if it is among the five likeliest.
  sure_now: ({ view, then, words }) => {
    const now = view.payload.top.find(([label]) => label === then[0]?.[0]);
    return now
      ? percent(now[1])
      : some(view.payload.top.at(-1)?.[1], (least) => words.say("book_less", { share: percent(least) }));
  },
  // The right option of a question.
  object_trend: ({ view }) =>
    some(ends(view, "object"), ([first, last]) => (last > 1.1 * first ? "more" : last < 0.9 * first ? "less" : "same")),
  heads_alike: ({ view }) =>
    some(
      extreme(view, (a, b) => a < b),
      () => (Math.max(...widths(view)) > 2 * Math.min(...widths(view)) ? "no" : "yes"),
    ),
  named: ({ view }) => view.payload.top[0]?.[0] ?? null,
};

/** A sentence with its readings, escaped; null if one of them is missing. @param {string} html @param {Seen} seen */
export function filled(html, seen) {
  let isWhole = true;
  const text = html.replace(/\{(\w+)\}/g, (_, name) => {
    const value = seen.found?.[name] ?? (Object.hasOwn(READINGS, name) ? READINGS[name](seen) : null);
    isWhole &&= value !== null;
    return String(value).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
  });
  return isWhole ? text : null;
}
