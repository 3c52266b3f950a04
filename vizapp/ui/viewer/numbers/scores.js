// How well the maps of the atlas find the object.

import { Rest } from "./rest.js";
import { METRICS, centrePrior } from "./score.js";

export class Scores {
  constructor(payload, again) {
    this.grid = payload.grid;
    this.priors = new Map(); // grid -> a blob in the middle, which any map must beat
    this.rest = new Rest(again);
    this.metric = "";
  }

  // {metric, table[row][column], best, isBest(row, column), priorOn(grid), evenOn(grid)}, `best` {row, column} being the first of
  // the best single heads. It `isChance` where that does no better than maps that have not seen the picture: an even one, and
  // one that is bright in the middle; then none has a star. Null without an object, and for a moment while the hand moves faster than scores are made.
  of(cells, truth, metric, heads) {
    const score = METRICS[metric] ?? METRICS.energy;
    if (this.metric !== metric) this.rest.cost = 0;
    this.metric = metric;
    this.rest.stop();
    if (!truth.target || this.rest.waits()) return null;
    return this.rest.time(() => {
      const of = ({ values, layout }) => score(values.subarray(layout.first), truth.targetOn(layout.grid));
      const table = cells.map((row) => row.map((cell) => (cell ? of(cell) : null)));
      const best = bestOf(table, heads);
      const priorOn = (grid) => score(this.prior(grid), truth.targetOn(grid));
      const evenOn = (grid) => score(new Float32Array(grid[0] * grid[1]).fill(1), truth.targetOn(grid));
      const top = best && table[best.row][best.column];
      const grid = best && cells[best.row][best.column].layout.grid;
      const isChance = best !== null && top <= Math.max(priorOn(grid), evenOn(grid));
      const isBest = (row, column) => !isChance && column < heads && table[row][column] === top;
      return { table, best, isBest, isChance, priorOn, evenOn };
    });
  }

  prior(grid) {
    if (!this.priors.has(String(grid))) this.priors.set(String(grid), centrePrior(grid));
    return this.priors.get(String(grid));
  }
}

function bestOf(table, heads) {
  let best = null;
  table.forEach((row, r) => {
    row.slice(0, heads).forEach((value, column) => {
      if (value !== null && (!best || value > table[best.row][best.column])) best = { row: r, column };
    });
  });
  return best;
}
