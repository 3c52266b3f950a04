// Scores how well each map of the atlas finds the object.

import { Rest } from "./rest.js";
import { METRICS, centrePrior } from "./score.js";

export class Scores {
  constructor(payload, again) {
    this.grid = payload.grid;
    this.priors = new Map(); // grid -> a map that is bright in the middle, the baseline
    this.rest = new Rest(again);
    this.metric = "";
  }

  // {metric, table[row][column], best, isBest(row, column), priorOn(grid), evenOn(grid)}; `best` {row, column} is the first of
  // the best single heads. `isChance`: the best head does no better than maps that have not seen the picture (a uniform one, and
  // one that is bright in the middle), so none gets a star. Returns null without an object, and briefly while the mouse moves
  // faster than scores can be computed.
  of(cells, truth, metric, heads) {
    if (!Object.hasOwn(METRICS, metric)) throw new TypeError(`There is no metric '${metric}'.`);
    const score = METRICS[metric];
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
