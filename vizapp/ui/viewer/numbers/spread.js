// Summarises where a map lies: how few patches hold most of it, and in which part of the picture they are.

import { ACROSS, DOWN } from "../../../vocabulary.js";

export const MOST = 0.8; // of what falls on patches of the picture
const LOOSE = 0.2; // of a side: patches whose places differ more than that (standard deviation) lie in no part of it

/**
 * @param {Float32Array} values a value per token of `layout`
 * @param {import("./layout.js").Layout} layout
 * @param {number} [most] the share that these patches hold together
 * @returns {{patches: number, all: number, part: string} | null} the number of patches, out of how many, and
 *   the part: "upper_left", or "lower_all" along the bottom. null for a map without a value above zero
 */
export function spread(values, layout, most = MOST) {
  const tokens = [...values.keys()].filter((token) => layout.onPicture[token]);
  const bright = tokens.filter((token) => values[token] > 0).sort((a, b) => values[b] - values[a]);
  const sum = bright.reduce((all, token) => all + values[token], 0);
  if (!sum) return null;
  const few = [];
  for (let [i, held] = [0, 0]; i < bright.length && held < most * sum * (1 - 1e-6); i++) {
    few.push(bright[i]);
    held += values[bright[i]];
  }
  const places = few.map((token) => layout.centreOf(/** @type {[number, number]} */ (layout.cellOf(token))));
  const weights = few.map((token) => values[token]);
  const [x, y] = [0, 1].map((axis) => {
    return part(
      places.map((place) => place[axis]),
      weights,
    );
  });
  return { patches: few.length, all: tokens.length, part: [DOWN[y], ACROSS[x]].join("_") };
}

// The third of a side in which places lie on average, 0 to 2; 3 if they are loose.
function part(places, weights) {
  const all = weights.reduce((a, b) => a + b, 0);
  const mean = places.reduce((sum, place, i) => sum + weights[i] * place, 0) / all;
  const square = places.reduce((sum, place, i) => sum + weights[i] * (place - mean) ** 2, 0) / all;
  return Math.sqrt(square) > LOOSE ? 3 : Math.min(2, Math.floor(3 * mean));
}
