// Arranges the small maps of the atlas. Layers are rows. If it makes the maps clearly larger, blocks of layers stand side by
// side, and a layer of many heads takes several lines. Sorted, single heads follow the order of a number.

export const LEAST = 40; // css pixels: smaller maps tell little, so the atlas grows rather than shrink them further
const MOST = 110;
const GUTTER = 20; // left of a block: the numbers of its layers
const HEADER = 18; // above: the numbers of the heads
const AIR = 12; // between blocks
const BREATH = 5; // before each fused column
const GROWN = 1.8; // times the available height to which the atlas may grow; beyond it the maps shrink
const CLEARLY = 1.12; // times as large: an additional block or line must make the maps at least this much larger

/**
 * @typedef {object} Arrangement
 * @property {number} step css pixels from one map to the next, across; down it is `step * aspect`
 * @property {number} height of all, css pixels
 * @property {({x: number, y: number} | undefined)[][]} spots [row][column] -> the upper left corner
 * @property {Label[]} labels
 *
 * @typedef {object} Label
 * @property {number} x its middle
 * @property {number} y
 * @property {number} room the width that it has
 * @property {{layer?: number, head?: number, fused?: number}} of what it names; a layer and a head: the first of a further line
 */

/**
 * Arrange the maps of layers with `heads[row]` heads each and `fused` more columns in a room of width x height css pixels.
 * `aspect` is a map's height over its width.
 * @param {{heads: number[], fused: number, width: number, height: number, aspect: number}} room
 * @returns {Arrangement}
 */
export function arrange({ heads, fused, width, height, aspect }) {
  const most = Math.max(...heads);
  const plans = [];
  for (let folds = 1; folds <= Math.min(4, most); folds++) {
    for (let blocks = 1; blocks <= Math.min(4, heads.length); blocks++) {
      plans.push(plan({ heads, fused, per: Math.ceil(most / folds), blocks }));
    }
  }
  const stepIn = (high, { columns, lines, blocks }) => {
    const rest = width - blocks * (GUTTER + fused * BREATH) - (blocks - 1) * AIR;
    return Math.min(rest / columns, (high - HEADER) / lines / aspect, MOST);
  };
  let [best, step] = largest(plans, (one) => stepIn(height, one));
  if (step < LEAST) {
    // Let it grow, but not beyond what makes the maps large enough.
    [best, step] = largest(plans, (one) => Math.min(LEAST, stepIn(GROWN * height, one)));
  }
  return placed(best, { heads, fused, step, aspect });
}

/**
 * The same maps' heads alone, in this order: [row, column] each, the first in the upper left corner.
 * @param {{order: [number, number][], rows: number, width: number, height: number, aspect: number}} room
 * @returns {Arrangement}
 */
export function inOrder({ order, rows, width, height, aspect }) {
  const fits = (columns, high) => Math.min(width / columns, high / Math.ceil(order.length / columns) / aspect, MOST);
  const counts = order.map((_, i) => i + 1);
  let [columns, step] = largest(counts, (count) => fits(count, height), 1);
  if (step < LEAST) [columns, step] = largest(counts, (count) => Math.min(LEAST, fits(count, GROWN * height)), 1);
  const spots = Array.from({ length: rows }, () => []);
  order.forEach(([row, column], i) => {
    spots[row][column] = { x: (i % columns) * step, y: Math.floor(i / columns) * step * aspect };
  });
  return { step, height: Math.ceil(order.length / columns) * step * aspect, spots, labels: [] };
}

// The plan whose maps are largest; a later one must be clearly better.
function largest(plans, stepOf, clearly = CLEARLY) {
  let best = plans[0];
  let step = stepOf(best);
  for (const one of plans.slice(1)) {
    const other = stepOf(one);
    if (other > step * clearly) [best, step] = [one, other];
  }
  return [best, step];
}

// `per` heads on a line, layers in `blocks`, so that the longest block is as short as can be.
function plan({ heads, fused, per, blocks }) {
  const lines = heads.map((count) => Math.ceil(count / per));
  let high = Math.max(Math.ceil(sum(lines) / blocks), ...lines);
  let parts = split(lines, high);
  while (parts.length > blocks) parts = split(lines, ++high);
  const columns = parts.map((rows) => Math.max(...rows.map((row) => Math.min(per, heads[row]))) + fused);
  return { per, parts, blocks: parts.length, wide: columns, columns: sum(columns), lines: high };
}

function split(lines, high) {
  const parts = [[]];
  let used = 0;
  lines.forEach((count, row) => {
    if (used + count > high) {
      parts.push([]);
      used = 0;
    }
    parts.at(-1).push(row);
    used += count;
  });
  return parts;
}

function placed({ per, parts, wide, lines }, { heads, fused, step, aspect }) {
  const high = step * aspect;
  const spots = heads.map(() => []);
  const labels = [];
  let left = 0;
  parts.forEach((rows, block) => {
    const x = left + GUTTER;
    const single = wide[block] - fused; // columns of heads
    const across = (column) => x + column * step + Math.max(0, column - single + 1) * BREATH;
    for (let column = 0; column < wide[block]; column++) {
      const of = column < single ? { head: column } : { fused: column - single };
      labels.push({ x: across(column) + step / 2, y: HEADER / 2, room: step, of });
    }
    let y = HEADER;
    for (const row of rows) {
      labels.push({ x: left + GUTTER / 2, y: y + high / 2, room: GUTTER, of: { layer: row } });
      for (let head = 0; head < heads[row]; head++) {
        const line = Math.floor(head / per);
        spots[row][head] = { x: across(head % per), y: y + line * high };
        if (line && head % per === 0)
          labels.push({ x: left + GUTTER / 2, y: y + (line + 0.5) * high, room: GUTTER, of: { layer: row, head } });
      }
      for (let i = 0; i < fused; i++) spots[row][Math.max(...heads) + i] = { x: across(single + i), y };
      y += Math.ceil(heads[row] / per) * high;
    }
    left = x + wide[block] * step + fused * BREATH + AIR;
  });
  return { step, height: HEADER + lines * high, spots, labels };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
