// The viewer: what is chosen, and the maps that follow from it. No server call after the payload.

import { Payload } from "./payload.js";
import { Attention, fuseHeads } from "./attention.js";
import { ColourMap, largest } from "./colour.js";
import { Stage } from "./stage.js";
import { Atlas } from "./atlas.js";
import { Measure } from "./measure.js";
import { Captions } from "./captions.js";
import { Controls } from "./controls.js";
import { Hand } from "./hand.js";

export class Viewer {
  constructor(root, words, colourTables) {
    this.root = root;
    this.words = words;
    this.maps = Object.fromEntries(Object.entries(colourTables).map(([name, table]) => [name, new ColourMap(table)]));
    this.stage = new Stage(this.find("picture"));
    this.atlas = new Atlas(this.find("atlas"), words);
    this.payload = null;
    this.choice = {
      layer: 0, head: 0, heads: "mean", method: "attention", residual: 0.5, direction: "from",
      colours: "viridis", opacity: 0.8, byValue: true, smooth: false, grid: true, scale: "map", fixed: 0.05,
    };
    this.query = null; // what was chosen: a token or the name of a weighted query
    this.pinned = false;
    this.hovered = null; // [row, col] under the mouse on the stage
    this.hoveredCell = null; // {row, column} under the mouse on the atlas
    this.paints = 0;
    this.measure = new Measure(this);
    this.captions = new Captions(this);
    this.controls = new Controls(this);
    this.hand = new Hand(this);
    new ResizeObserver(() => this.paint()).observe(root);
    new MutationObserver(() => this.paint()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  find(name) {
    return this.root.querySelector(`.viz-${name}`);
  }

  say(key, values = {}) {
    return this.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  // ---- a new picture

  // `value` is what the server put into the component: {file: {url}, bytes}.
  async show(value) {
    if (!value?.file) return;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    const isStale = () => loading.signal.aborted;
    try {
      await Payload.load(value.file.url, value.bytes, {
        signal: loading.signal,
        onFirst: (payload) => this.begin(payload, isStale),
        onMore: (payload) => payload === this.payload && this.paintSoon(),
      });
      if (isStale()) return;
      await this.begun;
      this.paintSoon();
      if (this.payload.tokens <= 300) this.prepareRollout(); // quick enough to have ready before anybody asks
    } catch (error) {
      if (!isStale()) this.fail(error);
    }
  }

  begin(payload, isStale) {
    this.begun = this.stage.setPicture(payload, isStale).then(() => {
      if (isStale()) return;
      const sameShape = this.payload && this.payload.layers.length === payload.layers.length && String(this.payload.prefix) === String(payload.prefix);
      this.payload = payload;
      this.attention = new Attention(payload);
      this.isStale = isStale;
      if (!sameShape) {
        this.choice.layer = payload.layers.length - 1;
        this.choice.head = Math.min(this.choice.head, payload.layers[this.choice.layer].heads - 1);
      }
      this.setQuery(this.readout(), false);
      this.choice.direction = "from";
      this.atlas.layout(payload);
      this.measure.begin(payload);
      this.captions.begin();
      this.root.dataset.state = "ready";
      this.paint();
    });
  }

  fail(error) {
    this.find("status").textContent = this.say("load_failed", { reason: error.message });
  }

  readout() {
    const at = this.payload.prefix.indexOf(this.payload.readout);
    return at >= 0 ? at : this.payload.readout;
  }

  // ---- the query

  setQuery(query, pinned) {
    this.query = query;
    this.pinned = pinned;
  }

  // What is shown now: a hovered patch if nothing is pinned, else what was chosen.
  shownQuery() {
    return this.hovered && !this.pinned ? this.tokenOf(this.hovered) : this.query;
  }

  tokenOf([row, col]) {
    return this.payload.prefix.length + row * this.payload.grid[1] + col;
  }

  // [row, col] of a token; null for a prefix token or a weighted query.
  cellOf(query) {
    const patch = typeof query === "string" ? -1 : query - this.payload.prefix.length;
    return patch < 0 ? null : [Math.floor(patch / this.payload.grid[1]), patch % this.payload.grid[1]];
  }

  // ---- the numbers shown

  direction(query) {
    return typeof query === "string" ? "from" : this.choice.direction; // a mean of tokens has no column
  }

  // The map on the stage, one value per token; null while its numbers have not arrived.
  values(query = this.shownQuery(), { layer, head, heads, method } = this.choice) {
    const direction = this.direction(query);
    if (method === "rollout") {
      return this.attention.rollout(layer, query, direction, heads === "one" ? "mean" : heads, this.choice.residual);
    }
    if (!(direction === "from" ? this.attention.ready(layer, query) : this.payload.hasLayer(layer))) return null;
    if (heads === "one") {
      return direction === "to" ? this.attention.column(layer, head, query) : this.attention.row(layer, head, query);
    }
    return fuseHeads(this.attention.maps(layer, query, direction), heads);
  }

  // Every map of the atlas for the query: [row][column] -> {values, high}, null (not there yet), undefined (no such head).
  cells(query) {
    const direction = this.direction(query);
    const fusion = ["max", "min"].includes(this.choice.heads) ? this.choice.heads : "mean";
    const cells = this.payload.layers.map((_, layer) => {
      const ready = direction === "from" ? this.attention.ready(layer, query) : this.payload.hasLayer(layer);
      const maps = ready ? this.attention.maps(layer, query, direction) : Array(this.attention.heads(layer)).fill(null);
      const row = maps.map((values) => values && { values });
      while (row.length < this.atlas.heads) row.push(undefined);
      const rolled = this.attention.rollout(layer, query, direction, fusion, this.choice.residual);
      row.push(ready ? { values: fuseHeads(maps, fusion) } : null, rolled && { values: rolled });
      for (const cell of row) if (cell) cell.high = largest(cell.values, this.payload.onPicture) || 1e-12;
      return row;
    });
    this.shareScale(cells);
    return cells;
  }

  // Give the maps that are to be compared the same top value: heads with heads, fused with fused, rollout with rollout.
  shareScale(cells) {
    const { scale, fixed } = this.choice;
    if (scale === "map") return;
    const heads = this.atlas.heads;
    const kinds = [(row) => row.slice(0, heads), (row) => [row[heads]], (row) => [row[heads + 1]]];
    for (const kind of kinds) {
      const groups = scale === "layer" ? cells.map(kind) : [cells.flatMap(kind)];
      for (const group of groups) {
        const present = group.filter(Boolean);
        const high = scale === "fixed" ? fixed : Math.max(...present.map((cell) => cell.high));
        for (const cell of present) cell.high = high;
      }
    }
  }

  selectedCell() {
    const { layer, head, heads, method } = this.choice;
    const column = method === "rollout" ? this.atlas.heads + 1 : heads === "one" ? head : this.atlas.heads;
    return { row: layer, column };
  }

  // ---- painting

  paintSoon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.paint();
    });
  }

  paint() {
    if (!this.payload) return;
    const started = performance.now();
    const query = this.shownQuery();
    const first = this.payload.prefix.length;
    const cells = this.cells(query);
    const selected = this.selectedCell();
    const cell = cells[selected.row][selected.column];
    const values = cell ? cell.values : null;
    this.shown = { query, values, high: cell ? cell.high : 1 };
    const scores = this.measure.of(cells, this.atlas.heads);
    const style = getComputedStyle(this.root);
    const map = this.maps[this.choice.colours];
    this.stage.draw({
      values, first, map, high: this.shown.high, opacity: this.choice.opacity, byValue: this.choice.byValue,
      smooth: this.choice.smooth, showGrid: this.choice.grid, marks: this.marks(query),
      outlines: this.measure.outlines(), inputSize: this.payload.input,
    });
    this.atlas.draw({
      cells, first, map, selected, hovered: this.hoveredCell, scores,
      ink: style.color, accent: style.getPropertyValue("--color-accent") || "#f97316",
    });
    this.controls.show();
    this.captions.show(map);
    this.measure.show(scores, cells, this.hoveredCell ?? selected);
    this.paints += 1;
    this.paintTime = performance.now() - started;
  }

  marks(query) {
    const marks = [];
    const cell = this.cellOf(query);
    if (cell) marks.push({ cell, kind: this.pinned ? "pinned" : "query" });
    if (this.pinned && this.hovered && String(this.hovered) !== String(cell)) marks.push({ cell: this.hovered, kind: "read" });
    return marks;
  }

  // ---- changing things

  set(changes) {
    Object.assign(this.choice, changes);
    if (this.payload) {
      const layers = this.payload.layers.length;
      this.choice.layer = Math.min(Math.max(0, this.choice.layer), layers - 1);
      this.choice.head = Math.min(Math.max(0, this.choice.head), this.attention.heads(this.choice.layer) - 1);
    }
    if (this.choice.method === "rollout") this.prepareRollout();
    this.paint();
  }

  // Make the fused matrices that rollout of any query needs, if they are not there yet.
  async prepareRollout() {
    const { payload, attention, isStale } = this;
    if (!payload?.complete) return;
    const fusion = this.choice.heads === "one" ? "mean" : this.choice.heads;
    if (!attention.hasFused(fusion)) {
      await attention.fuseAll(fusion, (share) => {
        this.progress = share;
        if (attention === this.attention && this.choice.method === "rollout") this.captions.showStatus();
      }, isStale);
      if (attention !== this.attention) return;
      this.paintSoon();
    }
    await attention.joinAll(fusion, this.choice.residual, isStale); // changes nothing but the time that a hover takes
  }
}
