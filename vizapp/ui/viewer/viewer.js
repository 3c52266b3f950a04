// The viewer: what is chosen, what is shown, and how hand, mouse and keyboard change it. No server call after the payload.

import { Payload } from "./payload.js";
import { Attention, fuseHeads } from "./attention.js";
import { ColourMap, largest, percent, times } from "./colour.js";
import { Stage } from "./stage.js";
import { Atlas } from "./atlas.js";
import { Measure } from "./measure.js";

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
    this.listen();
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
      this.buildChips();
      this.showPrediction();
      this.showNotes();
      this.find("layer").max = payload.layers.length;
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

  nameOf(query) {
    const cell = this.cellOf(query);
    if (cell) return this.say("patch_name", { row: cell[0] + 1, col: cell[1] + 1 });
    const name = typeof query === "string" ? query : this.payload.prefix[query];
    if (name === "cls" && name === this.payload.readout && this.payload.top.length) return this.say("name_readout");
    const register = /^reg(\d+)$/.exec(name);
    return register ? this.say("name_reg", { n: Number(register[1]) + 1 }) : this.say(`name_${name}`);
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
    this.showControls();
    this.showLegend(map);
    this.showChips();
    this.showStatus();
    this.measure.show(scores, this.hoveredCell ?? selected);
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

  // ---- words around the maps

  buildChips() {
    const box = this.find("chips");
    box.replaceChildren();
    this.chips = [...this.payload.prefix.keys(), ...this.payload.named.filter((name) => !this.payload.prefix.includes(name))].map((query) => {
      const chip = document.createElement("button");
      const name = typeof query === "string" ? query : this.payload.prefix[query];
      const register = /^reg(\d+)$/.exec(name);
      chip.innerHTML = "<b></b> <span></span><i></i>";
      chip.firstChild.textContent = register ? this.say("chip_reg", { n: Number(register[1]) + 1 }) : this.say(`chip_${name}`);
      chip.title = this.say(register ? "chip_reg_help" : `chip_${name}_help`);
      chip.onclick = () => {
        const release = this.pinned && this.query === query;
        this.setQuery(query, !release);
        this.paint();
      };
      box.append(chip);
      return { chip, query };
    });
  }

  showChips() {
    for (const { chip, query } of this.chips) {
      chip.setAttribute("aria-pressed", String(this.shown.query === query));
      chip.dataset.pinned = String(this.pinned && this.query === query);
      const share = typeof query === "number" && this.shown.values ? this.shown.values[query] : null;
      write(chip.children[1], share === null ? "" : percent(share));
      chip.children[2].style.width = share === null ? "0" : `${Math.min(100, 100 * share)}%`;
    }
  }

  showLegend(map) {
    if (this.legend !== map) {
      this.legend = map;
      const context = this.find("bar").getContext("2d");
      for (let i = 0; i < 256; i++) {
        context.fillStyle = map.css(i / 255);
        context.fillRect(i, 0, 1, 1);
      }
    }
    const { high } = this.shown;
    write(this.find("high"), this.say(`legend_${this.kind()}`, { share: percent(high), times: times(high * this.payload.tokens) }));
  }

  showStatus() {
    const { values, query } = this.shown;
    const status = this.find("status");
    if (!values) {
      const share = this.progress ?? 0;
      status.textContent = this.choice.method === "rollout" && this.payload.complete ? this.say("rolling", { share: percent(share) }) : this.say("arriving");
      return;
    }
    const kind = this.kind();
    const cell = this.pinned && this.hovered;
    const token = cell ? this.tokenOf(cell) : this.strongest(values);
    const sentence = this.say(`${cell ? "read" : "status"}_${kind}`, {
      where: this.cellName(this.selectedCell()),
      name: this.nameOf(query),
      other: this.nameOf(token),
      share: percent(values[token]),
      times: times(values[token] * this.payload.tokens),
    });
    write(status, `${sentence} ${this.pinned ? this.say("is_pinned") : this.onPrefix(values)}`);
    this.find("picture").setAttribute("aria-label", sentence);
  }

  // What the numbers are: shares of the query's attention ("from"), of the others' ("to"), or of what rollout follows.
  kind() {
    const direction = this.direction(this.shown.query);
    if (this.choice.method === "attention") return direction;
    return direction === "to" ? "rollout_to" : "rollout";
  }

  // The share that the picture does not show. Only rows have one, and not when their heads were fused by max or min.
  onPrefix(values) {
    const { prefix } = this.payload;
    const whole = !this.kind().endsWith("to") && (this.choice.method === "rollout" || !["max", "min"].includes(this.choice.heads));
    if (!whole || !prefix.length) return "";
    const share = values.subarray(0, prefix.length).reduce((a, b) => a + b, 0);
    return this.say(prefix.join() === "cls" ? "on_cls" : "on_prefix", { share: percent(share) });
  }

  // The patch of the picture with the largest value.
  strongest(values) {
    let best = this.payload.onPicture.indexOf(1);
    for (let i = best; i < values.length; i++) if (this.payload.onPicture[i] && values[i] > values[best]) best = i;
    return best;
  }

  showPrediction() {
    const box = this.find("prediction");
    const { top, model } = this.payload;
    const line = document.createElement("p");
    line.textContent = this.say(top.length ? "prediction" : "no_prediction", { model });
    box.replaceChildren(line);
    for (const [label, share] of top) {
      const row = document.createElement("div");
      row.innerHTML = "<i></i><span></span><span></span>";
      row.children[0].style.width = `${100 * share}%`;
      row.children[1].textContent = label;
      row.children[2].textContent = percent(share);
      box.append(row);
    }
  }

  showNotes() {
    const notes = this.find("notes");
    notes.textContent = notes.title = this.payload.notes.join(" ");
  }

  showControls() {
    const { choice, payload } = this;
    const rollout = choice.method === "rollout";
    this.find("layer").value = choice.layer + 1;
    write(this.find("layer-value"), this.say("of", { n: choice.layer + 1, all: payload.layers.length }));
    this.find("head").max = this.attention.heads(choice.layer);
    this.find("head").value = choice.head + 1;
    this.find("head").disabled = rollout;
    write(this.find("head-value"), choice.heads === "one" && !rollout ? this.say("of", { n: choice.head + 1, all: this.attention.heads(choice.layer) }) : this.say("all"));
    this.find("residual-box").hidden = !rollout;
    write(this.find("residual-value"), percent(choice.residual));
    this.find("fixed-box").hidden = choice.scale !== "fixed";
    for (const button of this.root.querySelectorAll("button[data-set]")) {
      const { set, value } = button.dataset;
      const shown = { ...choice, direction: this.direction(this.shown.query) };
      if (rollout && choice.heads === "one") shown.heads = "mean";
      const current = shown[set];
      button.setAttribute("aria-pressed", String(current === value));
      button.disabled = (set === "heads" && value === "one" && rollout) || (value === "to" && typeof this.shown.query === "string");
    }
    const play = this.find("play");
    play.setAttribute("aria-pressed", String(Boolean(this.playing)));
    write(play, this.playing ? "\u2016" : "\u25B6");
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
        if (attention === this.attention && this.choice.method === "rollout") this.showStatus();
      }, isStale);
      if (attention !== this.attention) return;
      this.paintSoon();
    }
    await attention.joinAll(fusion, this.choice.residual, isStale); // changes nothing but the time that a hover takes
  }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = null;
    } else {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.playing = setInterval(() => this.set({ layer: (this.choice.layer + 1) % this.payload.layers.length }), calm ? 1500 : 600);
      this.set({ layer: 0 });
    }
    this.showControls();
  }

  pickCell({ row, column }) {
    const name = this.atlas.columns[column];
    if (typeof name === "number") {
      if (name < this.attention.heads(row)) this.set({ layer: row, head: name, heads: "one", method: "attention" });
    } else if (name === "mean") {
      this.set({ layer: row, heads: this.choice.heads === "one" ? "mean" : this.choice.heads, method: "attention" });
    } else {
      this.set({ layer: row, heads: this.choice.heads === "one" ? "mean" : this.choice.heads, method: "rollout" });
    }
  }

  // ---- hand, mouse, keyboard

  listen() {
    const whenReady = (react) => (event) => this.payload && react(event);
    const on = (name, type, react) => this.find(name).addEventListener(type, whenReady(react));

    on("picture", "pointermove", (event) => {
      if (event.pointerType === "touch" || this.measure.tool) return; // a finger taps; it does not hover
      const cell = this.stage.patchAt(event);
      if (String(cell) === String(this.hovered)) return;
      this.hovered = cell;
      this.paintSoon();
    });
    on("picture", "pointerleave", () => {
      this.hovered = null;
      this.paintSoon();
    });
    on("picture", "click", (event) => {
      if (this.measure.isBusy) return;
      const cell = this.stage.patchAt(event);
      if (!cell) return;
      const token = this.tokenOf(cell);
      if (this.pinned && this.query === token) this.setQuery(this.readout(), false);
      else this.setQuery(token, true);
      this.paint();
    });
    on("atlas", "pointermove", (event) => {
      const cell = this.atlas.cellAt(event);
      if (cell?.row === this.hoveredCell?.row && cell?.column === this.hoveredCell?.column) return;
      this.hoveredCell = cell;
      this.find("atlas").title = cell ? this.cellName(cell) : "";
      this.paintSoon();
    });
    on("atlas", "pointerleave", () => {
      this.hoveredCell = null;
      this.paintSoon();
    });
    on("atlas", "click", (event) => {
      const cell = this.atlas.cellAt(event);
      if (cell) this.pickCell(cell);
    });

    on("layer", "input", (event) => this.set({ layer: event.target.value - 1 }));
    on("head", "input", (event) => this.set({ head: event.target.value - 1, heads: "one" }));
    on("residual", "input", (event) => this.set({ residual: Number(event.target.value) }));
    on("scale", "change", (event) => this.set({ scale: event.target.value }));
    on("fixed", "input", (event) => this.set({ fixed: Math.max(0.001, event.target.value / 100) }));
    on("colours", "change", (event) => this.set({ colours: event.target.value }));
    on("opacity", "input", (event) => this.set({ opacity: Number(event.target.value) }));
    on("by-value", "change", (event) => this.set({ byValue: event.target.checked }));
    on("smooth", "change", (event) => this.set({ smooth: event.target.checked }));
    on("grid", "change", (event) => this.set({ grid: event.target.checked }));
    on("play", "click", () => this.play());
    for (const button of this.root.querySelectorAll("button[data-set]")) {
      button.addEventListener("click", whenReady(() => this.set({ [button.dataset.set]: button.dataset.value })));
    }
    this.root.addEventListener("keydown", whenReady((event) => this.key(event)));
  }

  cellName({ row, column }) {
    const name = this.atlas.columns[column];
    if (typeof name === "number") return this.say("where_head", { layer: row + 1, head: name + 1 });
    if (name === "rollout") return this.say("where_rollout", { layer: row + 1 });
    return this.say("where_fused", { layer: row + 1, fusion: this.say(this.choice.heads === "one" ? "mean" : this.choice.heads).toLowerCase() });
  }

  key(event) {
    // On many keyboards [ and ] are typed with AltGr, which is Ctrl + Alt in Windows and Alt (Option) on a Mac.
    const typed = "[]".includes(event.key) && event.altKey;
    if (event.target.matches("input, select") || event.metaKey || ((event.ctrlKey || event.altKey) && !typed)) return;
    const { layer, head, heads, method } = this.choice;
    const oneHead = heads === "one" && method === "attention";
    const act = {
      "[": () => this.set({ layer: layer - 1 }),
      "]": () => this.set({ layer: layer + 1 }),
      ",": () => this.set({ head: oneHead ? head - 1 : head, heads: "one", method: "attention" }),
      ".": () => this.set({ head: oneHead ? head + 1 : head, heads: "one", method: "attention" }),
      Escape: () => (this.measure.tool ? this.dropTool() : this.moveTo(null)),
      ArrowLeft: () => this.step(0, -1),
      ArrowRight: () => this.step(0, 1),
      ArrowUp: () => this.step(-1, 0),
      ArrowDown: () => this.step(1, 0),
      " ": () => this.play(),
    }[event.key];
    if (!act || (event.key === " " && event.target.matches("button"))) return;
    event.preventDefault();
    act();
  }

  // Move the pinned patch by one; start in the middle.
  step(down, right) {
    const [rows, cols] = this.payload.grid;
    const cell = this.cellOf(this.query);
    this.moveTo(cell ? [Math.min(rows - 1, Math.max(0, cell[0] + down)), Math.min(cols - 1, Math.max(0, cell[1] + right))] : [rows >> 1, cols >> 1]);
  }

  dropTool() {
    this.measure.setTool(null);
    this.paint();
  }

  moveTo(cell) {
    this.hovered = null;
    this.setQuery(cell ? this.tokenOf(cell) : this.readout(), cell !== null);
    this.paint();
  }
}

// Writing the same text again would make the browser lay out the page again.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
