// Measuring maps against an object: the row of controls under the atlas, drawing on the stage, a score for each cell.

import { METRICS, centrePrior } from "./score.js";
import { Truth } from "./truth.js";
import { percent } from "./colour.js";

export class Measure {
  constructor(viewer) {
    this.viewer = viewer;
    this.truth = new Truth();
    this.metric = "energy";
    this.outline = true;
    this.tool = null; // "box" or "brush" while the hand draws the object instead of asking patches
    this.listen();
  }

  begin(payload) {
    this.truth.begin(payload);
    this.patches = payload.prefix.length;
    this.prior = centrePrior(payload.grid);
    this.question = payload.question;
    this.setTool(null);
  }

  get target() {
    return this.truth.target;
  }

  score(values) {
    return METRICS[this.metric](values, this.target);
  }

  // For the cells of the atlas: {table[row][column], best: {row, column}}; best among single heads. Null without an object.
  of(cells, heads) {
    if (!this.target) return null;
    const table = cells.map((row) => row.map((cell) => (cell ? this.score(cell.values.subarray(this.patches)) : null)));
    let best = null;
    table.forEach((row, r) => row.slice(0, heads).forEach((value, column) => {
      if (value !== null && (!best || value > table[best.row][best.column])) best = { row: r, column };
    }));
    return { table, best, text: (value) => this.short(value) };
  }

  short(value) {
    return this.metric === "lift" ? value.toFixed(1) : String(Math.round(100 * value));
  }

  long(value) {
    return this.metric === "lift" ? `${value.toFixed(1)} \u00d7` : this.metric === "auc" ? value.toFixed(2) : percent(value);
  }

  outlines() {
    return this.outline || this.tool ? this.truth.outlines : [];
  }

  // ---- the row of controls

  show(scores, { row, column }) {
    const { viewer } = this;
    for (const button of viewer.root.querySelectorAll("button[data-tool]")) button.setAttribute("aria-pressed", String(button.dataset.tool === this.tool));
    viewer.find("clear").disabled = !this.truth.isDrawn;
    viewer.find("outline").disabled = !this.target;
    viewer.find("metric").disabled = !this.target;
    viewer.find("canvas-box").dataset.drawing = this.tool ?? "";
    const text = this.tool && !this.drawing ? viewer.say(`draw_${this.tool}`) : this.sentence(scores, row, column);
    const question = this.question && !this.truth.isDrawn ? this.question : "";
    const box = viewer.find("score");
    if (box.textContent !== [question, text].join(" ").trim()) {
      const strong = document.createElement("b");
      strong.textContent = question;
      box.replaceChildren(...(question ? [strong, " "] : []), text);
    }
  }

  sentence(scores, row, column) {
    if (!scores) return this.viewer.say("score_none");
    const value = scores.table[row][column];
    if (value === null || value === undefined) return this.viewer.say("arriving");
    const { best } = scores;
    const said = { value: this.long(value), area: percent(this.target.area), prior: this.long(this.score(this.prior)) };
    const sentence = this.viewer.say(`score_${this.metric}`, said);
    return best ? `${sentence} ${this.viewer.say("score_best", { where: this.viewer.cellName(best), best: this.long(scores.table[best.row][best.column]) })}` : sentence;
  }

  setTool(tool) {
    this.tool = tool;
    this.drawing = false;
    if (tool) this.viewer.hovered = null;
  }

  // ---- hand

  listen() {
    const { viewer } = this;
    const canvas = viewer.find("picture");
    const whenReady = (react) => (event) => viewer.payload && react(event);
    const changed = () => viewer.paintSoon();
    for (const button of viewer.root.querySelectorAll("button[data-tool]")) {
      button.addEventListener("click", whenReady(() => {
        this.setTool(this.tool === button.dataset.tool ? null : button.dataset.tool);
        changed();
      }));
    }
    viewer.find("clear").addEventListener("click", whenReady(() => {
      this.truth.clear();
      changed();
    }));
    viewer.find("outline").addEventListener("change", whenReady((event) => {
      this.outline = event.target.checked;
      changed();
    }));
    viewer.find("metric").addEventListener("change", whenReady((event) => {
      this.metric = event.target.value;
      changed();
    }));
    canvas.addEventListener("pointerdown", whenReady((event) => {
      const point = this.tool && viewer.stage.pointAt(event);
      if (!point) return;
      canvas.setPointerCapture(event.pointerId);
      this.truth.start(this.tool, point);
      this.drawing = true;
      changed();
    }));
    canvas.addEventListener("pointermove", whenReady((event) => {
      if (!this.drawing) return;
      this.truth.move(viewer.stage.pointAt(event));
      changed();
    }));
    const end = whenReady(() => {
      if (!this.drawing) return;
      this.truth.end();
      this.drawing = false;
      this.drewAt = performance.now(); // the click that follows the release asks nothing
      if (this.tool === "box" && this.truth.isDrawn) this.setTool(null);
      changed();
    });
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
  }

  // Does the hand draw (or has just done), instead of asking patches?
  get isBusy() {
    return Boolean(this.tool) || performance.now() - (this.drewAt ?? -1e9) < 50;
  }
}
