// Things taught by example, as in core/prototypes.py. A thing's prototype is the mean of its patches' features, and each patch
// gets the label of the nearest prototype.

import { TEMPERATURE } from "../../../vocabulary.js";

/** The mean of rows of features, each of length 1. @param {Float32Array[]} rows @returns {Float32Array} */
export function meanOf(rows) {
  const mean = new Float32Array(rows[0].length);
  for (const row of rows) for (let i = 0; i < mean.length; i++) mean[i] += row[i] / rows.length;
  return mean;
}

/**
 * Softmax over things of the cosine with each prototype / temperature.
 * @param {Float32Array} features (patch, feature), each of length 1
 * @param {Float32Array[]} prototypes (feature,) each
 * @param {number} [temperature]
 * @returns {Float32Array} (patch, thing)
 */
export function sharesOf(features, prototypes, temperature = TEMPERATURE) {
  const [things, width] = [prototypes.length, prototypes[0].length];
  const lengths = prototypes.map((one) => Math.max(Math.hypot(...one), 1e-12));
  const shares = new Float32Array((features.length / width) * things);
  for (let at = 0; at < shares.length; at += things) {
    const from = (at / things) * width;
    let highest = -Infinity;
    for (let k = 0; k < things; k++) {
      let dot = 0;
      for (let i = 0; i < width; i++) dot += features[from + i] * prototypes[k][i];
      shares[at + k] = dot / lengths[k] / temperature;
      highest = Math.max(highest, shares[at + k]);
    }
    let sum = 0;
    for (let k = 0; k < things; k++) sum += shares[at + k] = Math.exp(shares[at + k] - highest);
    for (let k = 0; k < things; k++) shares[at + k] /= sum;
  }
  return shares;
}

/** The likeliest thing of each patch, and its share. @param {Float32Array} shares (patch, thing) @returns {{thing: number, share: number}[]} */
export function nearest(shares, things) {
  return Array.from({ length: shares.length / things }, (_, patch) => {
    const own = shares.subarray(patch * things, (patch + 1) * things);
    const thing = own.indexOf(Math.max(...own));
    return { thing, share: own[thing] };
  });
}
