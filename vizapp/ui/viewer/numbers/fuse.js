// Head fusion, and the rows of rollout's matrices.

/** @typedef {import("../../../vocabulary.js").Fusion} Fusion */

// Each fuses the rows of all heads into `out`, token by token, as `fuse_heads` does in Python.
/** @type {Record<Fusion, (rows: Float32Array[], out: Float32Array) => void>} */
const FUSE = {
  mean(rows, out) {
    out.fill(0);
    for (const row of rows) for (let j = 0; j < out.length; j++) out[j] += row[j] / rows.length;
  },
  max(rows, out) {
    out.set(rows[0]);
    for (const row of rows) for (let j = 0; j < out.length; j++) out[j] = Math.max(out[j], row[j]);
  },
  min(rows, out) {
    out.set(rows[0]);
    for (const row of rows) for (let j = 0; j < out.length; j++) out[j] = Math.min(out[j], row[j]);
  },
};

/** Fuse the rows of all heads into `out`. @param {Float32Array[]} rows @param {Fusion} fusion @param {Float32Array} out */
export function fuseInto(rows, fusion, out) {
  if (!Object.hasOwn(FUSE, fusion)) throw new Error(`'${fusion}' is no head fusion.`);
  FUSE[fusion](rows, out);
}

/** Fuse the rows of all heads into a new row. @param {Float32Array[]} rows @param {Fusion} fusion */
export function fuseHeads(rows, fusion) {
  const out = new Float32Array(rows[0].length);
  fuseInto(rows, fusion, out);
  return out;
}

/**
 * The factors of a row of skipWeight * I + (1 - skipWeight) * fused, divided by its sum: of what attention hands on, and of what stays.
 * All stays where neither has anything.
 * @param {number} sum of the fused row @param {number} skipWeight
 */
export function factorsOf(sum, skipWeight) {
  const total = skipWeight + (1 - skipWeight) * sum;
  return total > 0 ? [(1 - skipWeight) / total, skipWeight / total] : [0, 1];
}
