// The viewer: what is chosen, and the maps that follow from it. No server call after the payload, unless a layer was too
// large for it.

import { Payload } from "./payload.js";
import { Asker } from "./asker.js";
import { fuseHeads } from "./fuse.js";
import { Attention } from "./attention.js";
import { ColourMap, largest } from "./colour.js";
import { Stage } from "./stage.js";
import { Atlas } from "./atlas.js";
import { Measure, REST, SLOW } from "./measure.js";
import { Captions } from "./captions.js";
import { Controls } from "./controls.js";
import { Hand } from "./hand.js";
import { Proof, tagged } from "./proof.js";
import { Sinks } from "./sinks.js";

const QUICK = 16e6; // values that all heads have: these are fused before anybody asks (300 tokens, 12 layers of 12 heads)

export class Viewer {
  // `server` is asked for maps of layers that were too large to be sent, see asker.js, for the proof of all maps, and for sinks.
  constructor(root, words, colourTables, server) {
    this.server = server;
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
    this.query = null; // what was chosen: a token of the present layer or the name of a weighted query
    this.pinned = false;
    this.anchor = null; // where on the picture the pinned patch was chosen: layers may have other patches there
    this.pointer = null; // the place on the picture under the mouse
    this.hoveredCell = null; // {row, column} under the mouse on the atlas
    this.paints = 0;
    this.measure = new Measure(this);
    this.captions = new Captions(this);
    this.controls = new Controls(this);
    this.hand = new Hand(this);
    this.proof = new Proof(this, server.proof);
    this.sinks = new Sinks(this, server.sinks);
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

  // `value` is what the server put into the component: {file: {url}, bytes, run}, or {refused}.
  async show(value) {
    if (value?.refused?.length) this.refuse(value.refused);
    if (!value?.file) return;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    const isStale = () => loading.signal.aborted;
    try {
      await Payload.load(value.file.url, value.bytes, {
        signal: loading.signal,
        onFirst: (payload) => this.begin(payload, isStale, value.run),
        onMore: (payload) => payload === this.payload && this.paintSoon(),
      });
      if (isStale()) return;
      await this.begun;
      this.paintSoon();
      if (this.attention.work <= QUICK) this.prepareRollout(); // quick enough to have ready before anybody asks
    } catch (error) {
      if (!isStale()) this.fail(error);
    }
  }

  // Another picture or model was chosen: what is shown is of the one before, until it has come or failed. A choice that
  // is taken back changes nothing.
  choose(choice) {
    this.wait(choice !== this.settled);
  }

  settle(choice) {
    this.settled = choice;
    this.wait(false);
    const stage = this.root.querySelector(".viz-stage").getBoundingClientRect();
    if (stage.height && stage.bottom < 0) this.root.scrollIntoView({ behavior: "smooth" }); // on a phone: chosen far below
  }

  wait(isWaiting) {
    this.root.dataset.waiting = Boolean(isWaiting);
    this.root.setAttribute("aria-busy", Boolean(isWaiting));
  }

  begin(payload, isStale, run) {
    this.begun = this.stage.setPicture(payload, isStale).then(() => {
      if (isStale()) return;
      const shapeOf = ({ layers, layouts }) => JSON.stringify([layers.length, layouts.map(({ prefix }) => prefix)]);
      const sameShape = this.payload && shapeOf(this.payload) === shapeOf(payload);
      this.payload = payload;
      this.attention = new Attention(payload, new Asker(payload, run, this.server.maps, () => payload === this.payload && this.paintSoon()));
      this.isStale = isStale;
      if (!sameShape) {
        this.choice.layer = payload.layers.length - 1;
        this.choice.head = Math.min(this.choice.head, payload.layers[this.choice.layer].heads - 1);
      }
      this.choice.layer = Math.min(this.choice.layer, payload.layers.length - 1);
      if (!payload.canRoll) this.choice.method = "attention";
      this.rollCost = 0;
      this.setQuery(this.readout(), false);
      this.choice.direction = "from";
      this.atlas.layout(payload);
      this.measure.begin(payload);
      this.captions.begin();
      this.sinks.begin(run);
      this.root.dataset.plain = payload.isPlain;
      if (this.root.dataset.state === "ready") this.bringIntoView();
      this.root.dataset.state = "ready";
      this.wait(false);
      this.paint();
      this.proof.begin(payload, run);
    });
  }

  // The maps would not be what the network computed: say so in their place.
  refuse([what, hint]) {
    this.loading?.abort();
    this.controls.stop();
    this.payload = this.attention = null;
    this.find("refusal").replaceChildren(...[this.say("refused"), what, this.say("refused_why"), hint].map((text) => tagged("p", text)));
    this.root.dataset.state = "refused";
    this.wait(false);
  }

  // On a phone the buttons that fill the stage are below it.
  bringIntoView() {
    this.find("canvas-box").scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  fail(error) {
    this.find("status").textContent = this.say("load_failed", { reason: error.message });
  }

  readout() {
    return this.named(this.payload.readout);
  }

  // The query with this name in the present layer: the index of its token if it is one.
  named(name, { queries } = this.layer) {
    const at = queries.prefix.indexOf(name);
    return at >= 0 ? at : name;
  }

  get layer() {
    return this.payload.layers[this.choice.layer];
  }

  // ---- the query

  setQuery(query, pinned) {
    this.query = query;
    this.pinned = pinned;
    const cell = pinned ? this.cellOf(query) : null;
    this.anchor = cell && this.layer.queries.centreOf(cell);
  }

  // [row, col] under the mouse: a patch to ask, or, if one is pinned, a patch of its map to read.
  get hovered() {
    return this.pointer && (this.pinned ? this.layoutShown() : this.layer.queries).cellAt(this.pointer);
  }

  // What is shown now: a hovered patch if nothing is pinned, else what was chosen.
  shownQuery() {
    return this.pointer && !this.pinned ? this.tokenOf(this.hovered) : this.query;
  }

  tokenOf(cell) {
    return this.layer.queries.tokenOf(cell);
  }

  // [row, col] of a query; null for a prefix token or a weighted query.
  cellOf(query) {
    return this.layer.queries.cellOf(query);
  }

  // A query of the present layer in another one: the token of this name, or the patch under the centre of the patch.
  queryIn(layer, query, here = this.layer.queries) {
    const there = this.payload.layers[layer].queries;
    if (here === there) return query;
    const cell = here.cellOf(query);
    if (!cell) return this.named(typeof query === "string" ? query : here.prefix[query], { queries: there });
    const isAnchored = this.anchor && String(here.cellAt(this.anchor)) === String(cell);
    return there.tokenOf(there.cellAt(isAnchored ? this.anchor : here.centreOf(cell)));
  }

  // ---- the numbers shown

  direction(query, { layer, method } = this.choice) {
    return typeof query === "string" || !this.hasColumns(layer, method) ? "from" : this.choice.direction; // a mean of tokens has no column
  }

  // Can one ask who looks at a token? Only where keys are what queries are, and of rollout only in plain networks.
  hasColumns(layer = this.choice.layer, method = this.choice.method) {
    const { queries, keys } = this.payload.layers[layer];
    return method === "rollout" ? this.payload.isPlain : queries === keys;
  }

  // What the values of the map on the stage stand for: keys, or queries where one asks who looks.
  layoutShown(query = this.query) {
    const { layer, choice, payload } = this;
    if (choice.method === "rollout") return payload.finest;
    return this.direction(query) === "to" ? layer.queries : layer.keys;
  }

  // The map on the stage, one value per token; null while its numbers have not arrived.
  values(query = this.shownQuery(), { layer, head, heads, method } = this.choice) {
    const direction = this.direction(query, { layer, method });
    if (method === "rollout") {
      return this.attention.rollout(layer, query, direction, heads === "one" ? "mean" : heads, this.choice.residual);
    }
    if (!this.attention.knows(layer, query) || !this.attention.ready(layer, query, direction)) return null;
    if (heads === "one") {
      return direction === "to" ? this.attention.column(layer, head, query) : this.attention.row(layer, head, query);
    }
    return fuseHeads(this.attention.maps(layer, query, direction), heads);
  }

  // Every map of the atlas for the query: [row][column] -> {values, layout, high}, null (not there yet), undefined (no
  // such head, or no such query in this layer).
  cells(query) {
    const direction = this.direction(query);
    const fusion = ["max", "min"].includes(this.choice.heads) ? this.choice.heads : "mean";
    const rolled = this.payload.canRoll ? this.rolledCells(query, direction, fusion) : [];
    const cells = this.payload.layers.map(({ queries, keys }, layer) => {
      const own = this.queryIn(layer, query);
      const isThere = this.attention.knows(layer, own) && (direction === "from" || queries === keys);
      const ready = isThere && this.attention.ready(layer, own, direction);
      const maps = ready ? this.attention.maps(layer, own, direction) : Array(this.attention.heads(layer)).fill(isThere ? null : undefined);
      const layout = direction === "to" ? queries : keys;
      const row = maps.map((values) => values && { values, layout });
      while (row.length < this.atlas.heads) row.push(undefined);
      row.push(ready ? { values: fuseHeads(maps, fusion), layout } : isThere ? null : undefined);
      if (this.payload.canRoll) row.push(rolled[layer]);
      for (const cell of row) if (cell) cell.high = largest(cell.values, this.sinks.counts(cell.layout)) || 1e-12;
      return row;
    });
    this.shareScale(cells);
    return cells;
  }

  // Rollout through each layer. Where it costs too much for each move of the hand, only what the stage shows is made then.
  rolledCells(query, direction, fusion) {
    clearTimeout(this.resting);
    const waits = this.rollCost > SLOW && !this.isResting;
    if (waits) {
      this.resting = setTimeout(() => {
        this.isResting = true;
        this.paint();
        this.isResting = false;
      }, REST);
    }
    const started = performance.now();
    const cells = this.payload.layers.map((_, layer) => {
      const own = this.queryIn(layer, query);
      if (!this.attention.knows(layer, own)) return undefined;
      if (waits && !(this.choice.method === "rollout" && layer === this.choice.layer)) return null;
      const values = this.attention.rollout(layer, own, direction, fusion, this.choice.residual);
      return values && { values, layout: this.payload.finest };
    });
    if (!waits && !this.payload.isPlain) this.rollCost += 0.3 * (performance.now() - started - this.rollCost);
    return cells;
  }

  // Give the maps that are to be compared the same top value: heads with heads, fused with fused, rollout with rollout, and
  // only those of layers with the same patches: a share of 49 patches is no share of 3136.
  shareScale(cells) {
    const { scale, fixed } = this.choice;
    if (scale === "map") return;
    const heads = this.atlas.heads;
    const { layers } = this.payload;
    const alike = [...new Set(layers.map(({ like }) => like))].map((one) => [...layers.keys()].filter((row) => layers[row].like === one));
    const kinds = [(row) => row.slice(0, heads), (row) => [row[heads]], (row) => [row[heads + 1]]];
    for (const kind of kinds) {
      const groups = scale === "layer" ? cells.map(kind) : alike.map((rows) => rows.flatMap((row) => kind(cells[row])));
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
    const cells = this.cells(query);
    const selected = this.selectedCell();
    const cell = cells[selected.row][selected.column];
    const values = cell ? cell.values : null;
    const layout = this.layoutShown(query);
    this.shown = { query, values, layout, high: cell ? cell.high : 1, reach: this.reach(query, cells[this.choice.layer]) };
    const scores = this.measure.of(cells, this.atlas.heads);
    const style = getComputedStyle(this.root);
    const map = this.maps[this.choice.colours];
    this.stage.draw({
      values, layout, queries: this.layer.queries, map, high: this.shown.high, reach: this.shown.reach, opacity: this.choice.opacity, byValue: this.choice.byValue,
      smooth: this.choice.smooth, showGrid: this.choice.grid, marks: this.marks(query),
      outlines: this.measure.outlines(), inputSize: this.payload.input,
    });
    this.atlas.draw({
      cells, map, selected, hovered: this.hoveredCell, scores,
      ink: style.color, accent: style.getPropertyValue("--color-accent") || "#f97316",
    });
    this.controls.show();
    this.captions.show(map);
    this.measure.show(scores, cells, this.hoveredCell ?? selected);
    this.paints += 1;
    this.paintTime = performance.now() - started;
  }

  marks(query) {
    const marks = this.sinks.marks(this.shown.layout);
    const { grid } = this.layer.queries;
    const cell = this.cellOf(query);
    if (cell) marks.push({ cell, grid, kind: this.pinned ? "pinned" : "query" });
    const read = this.shown.layout;
    if (this.pinned && this.hovered && (read.grid !== grid || String(this.hovered) !== String(cell))) {
      marks.push({ cell: this.hovered, grid: read.grid, kind: "read" });
    }
    return marks;
  }

  // For a patch in a layer that looks in windows: the tokens that it can see, 1 or 0 each; else null. What a mask hides in
  // a shifted window is not seen, though it stands in it.
  reach(query, cells) {
    if (!this.layer.windowed || this.choice.method === "rollout" || !this.cellOf(query)) return null;
    const maps = cells.slice(0, this.layer.heads).filter(Boolean);
    if (!maps.length) return null;
    const seen = new Uint8Array(maps[0].values.length);
    for (const { values } of maps) for (let i = 0; i < seen.length; i++) if (values[i] !== 0) seen[i] = 1;
    return seen;
  }

  // ---- changing things

  set(changes) {
    if (changes.method === "rollout" && this.payload && !this.payload.canRoll) return;
    const before = this.payload && this.layer.queries;
    Object.assign(this.choice, changes);
    if (this.payload) {
      const layers = this.payload.layers.length;
      this.choice.layer = Math.min(Math.max(0, this.choice.layer), layers - 1);
      this.query = this.queryIn(this.choice.layer, this.query, before);
      this.choice.head = Math.min(Math.max(0, this.choice.head), this.attention.heads(this.choice.layer) - 1);
    }
    if (this.choice.method === "rollout") this.prepareRollout();
    this.paint();
  }

  // Make the fused matrices that rollout of any query needs, if they are not there yet.
  async prepareRollout() {
    const { payload, attention, isStale } = this;
    if (!payload?.complete || !payload.canRoll) return;
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
