// Measures of one small map, by which the atlas can be sorted. They are those of vizapp/core/head_statistics.py, but for one
// query, where that file averages over all queries. Each is computed only when it is read.

// The numbers by which heads can be sorted; true sorts the smallest first.
/** @type {Record<Exclude<import("../../../vocabulary.js").AtlasOrder, "layers">, boolean>} */
const SMALLEST_FIRST = { entropy: true, distance: false, cls: false, sinks: false, score: false };

/**
 * @typedef {object} Measured null where a measure is not defined
 * @property {number | null} entropy in nats: 0 looks at one token, ln(tokens) at all alike
 * @property {number | null} distance from the centre of the query's patch to those it looks at, in pixels of the network's input
 * @property {number | null} cls the share that goes to CLS
 * @property {number | null} sinks the share that goes to sinks
 */

/**
 * @param {Float32Array} values shares of one query's attention, a value per token of `layout`
 * @param {import("./layout.js").Layout} layout
 * @param {{cell: number[] | null, grid: number[], input: number[], sinks: [number, number][]}} about the query's patch and its grid; (height,
 *   width) of the network's input; the patches of this layout that are sinks
 * @returns {Measured}
 */
export function measures(values, layout, { cell, grid, input, sinks }) {
  return {
    get entropy() {
      return entropy(values);
    },
    get distance() {
      return cell && distance(values, layout, [(cell[0] + 0.5) / grid[0], (cell[1] + 0.5) / grid[1]], input);
    },
    get cls() {
      return layout.prefix.includes("cls") ? values[layout.prefix.indexOf("cls")] : null;
    },
    get sinks() {
      return sinks.length ? sinks.reduce((sum, sink) => sum + values[layout.tokenOf(sink)], 0) : null;
    },
  };
}

function entropy(values) {
  let sum = 0;
  for (const share of values) {
    if (share < 0) return null; // heads that the network mixes linearly hold no shares
    if (share > 0) sum -= share * Math.log(share);
  }
  return sum;
}

/**
 * The mean distance, weighted by the attention to patches. Prefix tokens have no place and are left out.
 * @param {Float32Array} values @param {import("./layout.js").Layout} layout @param {number[]} from @param {number[]} input
 */
function distance(values, { first, grid: [rows, cols] }, [down, right], [height, width]) {
  let all = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const share = values[first + row * cols + col];
      all += share;
      sum += share * Math.hypot(((row + 0.5) / rows - down) * height, ((col + 0.5) / cols - right) * width);
    }
  }
  return all > 0 ? sum / all : null;
}

/**
 * Sort heads by a number of their maps. Of equal ones the earlier layer and head is first; what has no number stands at the end.
 * @param {number[][]} heads [row, column] of each
 * @param {(head: number[]) => number | null} figure
 * @param {keyof typeof SMALLEST_FIRST} by
 * @returns {number[][] | null} null where no head has a number
 */
export function ranked(heads, figure, by) {
  const numbers = new Map(heads.map((head) => [head, figure(head)]));
  if ([...numbers.values()].every((value) => value === null)) return null;
  const sign = SMALLEST_FIRST[by] ? 1 : -1;
  const value = (head) => numbers.get(head) ?? sign * Infinity;
  return [...heads].sort((a, b) => sign * (value(a) - value(b)) || a[0] - b[0] || a[1] - b[1]);
}
