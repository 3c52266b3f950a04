// Deletion and insertion: take patches away in the order of a map, or put them back, and watch the class. The twin of
// core/trust/faithfulness.py.

import { APART, FINE } from "../../vocabulary.js";
import { Patches } from "./patches.js";
import { probabilities } from "./probabilities.js";
import { Refused } from "./refused.js";
import { even } from "./rounding.js";

/**
 * @typedef {object} Curves probabilities of a class, or its score where the network has no probabilities
 * @property {number[]} share of the patches that are gone, or there
 * @property {number[]} deletion with that share of the most important patches gone
 * @property {number[]} insertion with that share of them there, and nothing else
 */

/**
 * @param {{net: import("./network.js").Network, pixels: Float32Array, target: number}} seen
 * @param {Float32Array | Float64Array} scores of the patches
 * @param {number[]} shares of the patches, at which the curves have a point
 * @returns {Generator<number, Curves>} yields the share that is done
 */
export function* curves({ net, pixels, target }, scores, shares = FINE) {
  if (!scores.every(Number.isFinite)) throw new Refused("networkNoNumbers");
  const patches = new Patches(net.header);
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]); // equal patches in reading order
  const rank = new Int32Array(order.length);
  order.forEach((patch, i) => (rank[patch] = i));
  const chosen = countsOf(shares, order.length);
  const nothing = patches.mean(pixels);
  const measured = (picture) => probabilities(net.forward(picture).logits, net.header.activation)[target];
  const [deletion, insertion] = [[], []];
  // The whole picture and the empty one end both curves.
  const total = 2 * chosen.length - 2;
  let done = 0;
  for (const count of chosen) {
    const isFirst = (patch) => rank[patch] < count;
    yield done++ / total;
    deletion.push(measured(patches.mixed(pixels, nothing, isFirst)));
    if (count === 0 || count === order.length) continue;
    yield done++ / total;
    insertion.push(measured(patches.mixed(nothing, pixels, isFirst)));
  }
  return {
    share: chosen.map((count) => count / order.length),
    deletion,
    insertion: [deletion.at(-1), ...insertion, deletion[0]],
  };
}

// How many patches each share is; points that are the same number are one.
const countsOf = (shares, patches) => [...new Set(shares.map((share) => even(share * patches)))];

/** The shares, of whole `patches`, at which random orders are measured. Rounded later, they might not be those of a curve.
 * @param {number} patches */
export function coarseOf(patches) {
  const shares = countsOf(FINE, patches).map((count) => count / patches);
  return coarse(shares).map((at) => shares[at]);
}

// The points that decide an area: the first, the last, and each that is `APART` from the last kept one.
function coarse(shares) {
  const kept = [0];
  for (let i = 1; i < shares.length - 1; i++) if (shares[i] - shares[kept.at(-1)] >= APART) kept.push(i);
  return [...kept, shares.length - 1];
}

/** Curves with the areas under them, and the areas by the points at which random orders are measured. @param {Curves} found */
export function withAreas(found) {
  const some = coarse(found.share);
  const by = (which, at) => area(at.map((i) => found.share[i]), at.map((i) => found[which][i])); // prettier-ignore
  const areas = (at) => ["deletion", "insertion"].map((which) => by(which, at));
  return { ...found, areas: areas([...found.share.keys()]), coarse: areas(some) };
}

/** Area under a curve by the trapezoid rule. @param {number[]} share @param {number[]} values */
export const area = (share, values) =>
  share.slice(1).reduce((sum, at, i) => sum + ((at - share[i]) * (values[i + 1] + values[i])) / 2, 0);
