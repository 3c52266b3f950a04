// Measuring maps against an object: the row of controls under the atlas, a score for each cell, and what it means in words.

import { METRICS, centrePrior } from "./score.js";
import { Truth } from "./truth.js";
import { Pen } from "./pen.js";
import { percent } from "./colour.js";

export const SLOW = 8; // milliseconds: what takes longer waits until the hand rests
export const REST = 150; // milliseconds without a new map

export class Measure {
  constructor(viewer) {
    this.viewer = viewer;
    this.truth = new Truth();
    this.pen = new Pen(viewer, this.truth, () => this.viewer.paintSoon());
    this.metric = "energy";
    this.outline = true;
    this.cost = 0; // milliseconds that the scores of all cells take
    this.listen();
  }

  begin(payload) {
    this.truth.begin(payload);
    this.pen.choose(null);
    this.patches = payload.prefix.length;
    this.prior = centrePrior(payload.grid);
    this.priors = new Map([[String(payload.grid), this.prior]]); // in each grid of the network
    this.question = payload.question;
    this.cost = 0;
  }

  get target() {
    return this.truth.target;
  }

  score(values, target = this.target) {
    return METRICS[this.metric](values, target);
  }

  scoreOf({ values, layout }) {
    return this.score(values.subarray(layout.first), this.truth.targetOn(layout.grid));
  }

  priorOn(grid) {
    if (!this.priors.has(String(grid))) this.priors.set(String(grid), centrePrior(grid));
    return this.score(this.priors.get(String(grid)), this.truth.targetOn(grid));
  }

  // For the cells of the atlas: {table[row][column], best, isBest(row, column), text(value)}, `best` {row, column} being the
  // first of the best single heads. Null without an object, and for a moment while the hand moves faster than scores are made.
  of(cells, heads) {
    clearTimeout(this.resting);
    if (!this.target) return null;
    if (this.cost > SLOW && !this.isResting) {
      this.resting = setTimeout(() => {
        this.isResting = true;
        this.viewer.paint();
        this.isResting = false;
      }, REST);
      return null;
    }
    const started = performance.now();
    const scores = this.scoresOf(cells, heads);
    this.cost += 0.3 * (performance.now() - started - this.cost);
    return scores;
  }

  scoresOf(cells, heads) {
    const table = cells.map((row) => row.map((cell) => (cell ? this.scoreOf(cell) : null)));
    let best = null;
    table.forEach((row, r) => row.slice(0, heads).forEach((value, column) => {
      if (value !== null && (!best || value > table[best.row][best.column])) best = { row: r, column };
    }));
    const isBest = (row, column) => column < heads && table[row][column] === table[best.row][best.column];
    return { table, best, isBest, text: (value) => this.short(value) };
  }

  // ---- in words

  // As it stands in a small map.
  short(value) {
    if (this.isYesOrNo(value)) return value ? "\u2713" : "\u2013";
    return this.metric === "lift" ? value.toFixed(1) : String(Math.round(100 * value));
  }

  long(value) {
    if (this.isYesOrNo(value)) return this.viewer.say(value ? "yes" : "no");
    return this.metric === "lift" ? `${value.toFixed(1)} \u00d7` : this.metric === "auc" ? value.toFixed(2) : percent(value);
  }

  isYesOrNo(value) {
    return this.metric.startsWith("pointing") && (value === 0 || value === 1);
  }

  outlines() {
    return this.outline || this.pen.tool ? this.truth.parts : [];
  }

  show(scores, cells, { row, column }) {
    const { viewer, truth, pen } = this;
    pen.show();
    viewer.find("outline").disabled = !this.target;
    viewer.find("metric").disabled = !this.target;
    const question = truth.isDrawn ? "" : this.question;
    const told = pen.tool && !truth.isDrawn ? "" : this.sentence(scores, cells, row, column);
    const text = [told, pen.tool ? viewer.say(`draw_${pen.tool}`) : ""].filter(Boolean).join(" ");
    const box = viewer.find("score");
    if (box.textContent !== [question, text].join(" ").trim()) {
      const strong = document.createElement("b");
      strong.textContent = question;
      box.replaceChildren(...(question ? [strong, " "] : []), text);
    }
  }

  sentence(scores, cells, row, column) {
    const { viewer } = this;
    if (!this.target) return viewer.say("score_none");
    if (!scores) return viewer.say("score_rests");
    const value = scores.table[row][column];
    if (value === null || value === undefined) return viewer.say("arriving");
    const parts = this.metric === "energy" ? this.shareOfParts(cells[row][column]) : { objects: "", marks: [] };
    const sentence = viewer.say(`score_${this.metric}`, {
      where: viewer.captions.cell({ row, column }),
      value: this.long(value),
      parts: parts.objects,
      area: percent(this.target.area),
      prior: this.long(this.priorOn(cells[row][column].layout.grid)),
    });
    return [sentence, ...parts.marks, this.bestHead(scores)].filter(Boolean).join(" ");
  }

  // Where there is more than one thing: how much of the map lies on each.
  shareOfParts(cell) {
    const { values, layout } = cell;
    const shares = this.truth.parts.map(({ name, object, on }) => {
      const target = on(layout.grid);
      return { name, object, area: percent(target.area), share: percent(METRICS.energy(values.subarray(layout.first), target)) };
    });
    const objects = shares.filter((one) => one.object);
    return {
      objects: objects.length > 1 ? ` (${objects.map(({ name, share }) => `${name} ${share}`).join(", ")})` : "",
      marks: shares.filter((one) => !one.object).map((one) => this.viewer.say("score_mark", one)),
    };
  }

  bestHead({ table, best, isBest }) {
    if (!best) return "";
    const value = this.long(table[best.row][best.column]);
    const n = table.reduce((sum, row, r) => sum + row.filter((_, column) => isBest(r, column)).length, 0);
    return n > 1 ? this.viewer.say("score_best_many", { n, value }) : this.viewer.say("score_best", { where: this.viewer.captions.cell(best), value });
  }

  listen() {
    const { viewer } = this;
    const on = (name, react) => viewer.find(name).addEventListener("change", (event) => {
      if (!viewer.payload) return;
      react(event.target);
      viewer.paintSoon();
    });
    on("outline", (box) => (this.outline = box.checked));
    on("metric", (list) => {
      this.metric = list.value;
      this.cost = 0;
    });
  }
}
