// How the attention of one query changes from layer to layer: how widely it looks, how scattered that is, how much stays on CLS,
// and how much lies on the object.

import { METRICS } from "./score.js";

/**
 * @typedef {object} Depth the measures of one layer; null where a measure is not defined
 * @property {number | null} entropy nats, the mean of the heads
 * @property {number | null} apart mean distance to the centre of attention, pixels of the network's input; the mean of the heads
 * @property {number | null} own the share that stays on CLS, in the mean of the heads
 * @property {number | null} object of what falls on patches, in the mean of the heads
 */

/**
 * The measures of each layer; null until all rows have arrived, or if the map shows who looks at the query instead.
 * @param {{cells: any[][], heads: number, payload: any, truth: any, direction: string}} view
 * @returns {Depth[] | null}
 */
export function depthOf({ cells, heads, payload, truth, direction }) {
  if (direction !== "from" || payload.layers.some((_, layer) => !cells[layer][heads])) return null;
  return payload.layers.map((layer, i) => {
    const rows = cells[i].slice(0, layer.heads).filter(Boolean);
    const { values, layout } = cells[i][heads];
    const cls = layout.prefix.indexOf("cls");
    const target = truth.targetOn(layout.grid);
    const mean = (measure) => rows.reduce((sum, row) => sum + measure(row.values, row.layout, payload.input), 0) / rows.length;
    return {
      entropy: rows.length ? mean(entropy) : null,
      apart: rows.length ? mean(apart) : null,
      own: cls < 0 ? null : values[cls],
      object: target && METRICS.energy(values.subarray(layout.first), target),
    };
  });
}

function entropy(values) {
  return values.reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0);
}

function apart(values, { first, grid: [rows, cols] }, [height, width]) {
  let [all, y, x] = [0, 0, 0];
  const each = (visit) => {
    for (let i = 0; i < rows * cols; i++) {
      visit(values[first + i], ((Math.floor(i / cols) + 0.5) / rows) * height, (((i % cols) + 0.5) / cols) * width);
    }
  };
  each((share, down, right) => {
    all += share;
    y += share * down;
    x += share * right;
  });
  if (!(all > 0)) return 0;
  let sum = 0;
  each((share, down, right) => (sum += share * Math.hypot(down - y / all, right - x / all)));
  return sum / all;
}
