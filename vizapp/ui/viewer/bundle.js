// Made by `npm run build` from the modules of this folder: change those.
var vizapp = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name2 in all)
      __defProp(target, name2, { get: all[name2], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // panels
  var panels_exports = {};
  __export(panels_exports, {
    mount: () => mount2,
    newState: () => newState
  });

  // dom.js
  function write(element, text3) {
    const { firstChild: only } = element;
    if (element.textContent === text3) return;
    if (text3 && only?.nodeType === 3 && only === element.lastChild) only.nodeValue = text3;
    else element.textContent = text3;
  }
  var isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  function intoView(element, block = "start") {
    element.scrollIntoView({ block, behavior: isStill() ? "auto" : "smooth" });
  }
  function put(element, values) {
    for (const [name2, value] of Object.entries(values)) {
      const before = name2.includes("-") ? element.getAttribute(name2) : element[name2];
      if (String(before) === String(value)) continue;
      if (name2.includes("-")) element.setAttribute(name2, String(value));
      else element[name2] = value;
    }
  }
  function tagged(tag, text3) {
    return Object.assign(document.createElement(tag), { textContent: text3 });
  }
  function plain(html) {
    return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
  }
  var finder = (root) => (name2) => root.querySelector(`.viz-${name2}`);
  var made = 0;
  function pair(label, control) {
    made += 1;
    control.id = label.htmlFor = `viz-${Math.random().toString(36).slice(2)}-${made}`;
  }
  var REST = 700;
  function speaker(beside) {
    const live = tagged("span", "");
    live.className = "viz-unseen viz-spoken";
    live.setAttribute("aria-live", "polite");
    beside.after(live);
    let timer = 0;
    return (make) => {
      clearTimeout(timer);
      timer = window.setTimeout(() => write(live, make()), REST);
    };
  }
  var Choice = class {
    constructor(root, state) {
      this.buttons = [...root.querySelectorAll("button[data-set]")];
      for (const button of this.buttons) {
        button.addEventListener("click", () => state.set({ [button.dataset.set]: button.dataset.value }));
      }
    }
    /** `isOff(value)`: whether the current map has no use for a value. */
    show(shown, isOff = (_value) => false) {
      for (const button of this.buttons) {
        const { value } = button.dataset;
        put(button, { "aria-pressed": value === shown, disabled: isOff(value) });
      }
    }
  };
  function bind(control, type, state, changes) {
    control.addEventListener(type, () => state.set(changes(control)));
  }
  function closing(box2) {
    box2.addEventListener("keydown", (event) => {
      if (!box2.open) return;
      event.stopPropagation();
      if (event.key !== "Escape") return;
      box2.open = false;
      box2.firstElementChild.focus();
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!box2.contains(
        /** @type {Node} */
        target
      )) box2.open = false;
    });
  }

  // panels/about.js
  var panel_about = {
    name: "about",
    place: "top",
    order: 20,
    html: `<p class="viz-about"></p>`,
    mount(root, { words }) {
      const about = finder(root)("about");
      function begin({ noChain, isLarge, isMean, skipped }) {
        const said = [];
        if (noChain) said.push(words.say("no_rollout", { reason: noChain }));
        else if (isLarge) said.push(words.say("no_rollout_large"));
        if (isMean) said.push(words.say("only_mean"));
        for (const reason of new Set(skipped.map(([, why]) => why))) {
          const names = skipped.filter(([, why]) => why === reason).map(([name2]) => name2);
          const word = names.length > 1 ? "skipped_many" : "skipped";
          said.push(words.say(word, { name: names[0], more: names.length - 1, reason }));
        }
        about.textContent = about.title = words.told(said);
      }
      return { reset: begin, swap: begin };
    }
  };

  // ../../vocabulary.js
  var FUSIONS = ["mean", "max", "min"];
  var DIRECTIONS = ["from", "to"];
  var CHAINS = ["attention", "rollout"];
  var SCALES = ["map", "layer", "all", "fixed"];
  var ATLAS_ORDERS = ["layers", "entropy", "distance", "cls", "sinks", "score"];
  var TOKENS = ["cls", "dist", "cls+dist", "mean", "pool"];
  var TOOLS = ["box", "brush", "eraser"];
  var DOWN = ["upper", "middle", "lower", "all"];
  var ACROSS = ["left", "middle", "right", "all"];
  var TRIED = ["attention", "rollout", "chefer"];
  var PARTS = ["picture", "patches", "layers", "readout", "answer"];
  var THROUGH_LAYERS = { "attention": false, "rollout": true };
  var OPACITY = 0.8;
  var TEMPERATURE = 0.1;
  var SKIP_WEIGHT = 0.5;
  var MOST_THINGS = 5;
  var MOST_MARKS = 9;
  var THING_LETTERS = 40;

  // drawing/arrange.js
  var LEAST = 40;
  var MOST = 110;
  var GUTTER = 20;
  var HEADER = 18;
  var AIR = 12;
  var BREATH = 5;
  var GROWN = 1.8;
  var CLEARLY = 1.12;
  function arrange({ heads, fused, width, height, aspect }) {
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
      [best, step] = largest(plans, (one) => Math.min(LEAST, stepIn(GROWN * height, one)));
    }
    return placed(best, { heads, fused, step, aspect });
  }
  function inOrder({ order, rows, width, height, aspect }) {
    const fits = (columns2, high) => Math.min(width / columns2, high / Math.ceil(order.length / columns2) / aspect, MOST);
    const counts = order.map((_, i) => i + 1);
    let [columns, step] = largest(counts, (count) => fits(count, height), 1);
    if (step < LEAST) [columns, step] = largest(counts, (count) => Math.min(LEAST, fits(count, GROWN * height)), 1);
    const spots = Array.from({ length: rows }, () => []);
    order.forEach(([row2, column], i) => {
      spots[row2][column] = { x: i % columns * step, y: Math.floor(i / columns) * step * aspect };
    });
    return { step, height: Math.ceil(order.length / columns) * step * aspect, spots, labels: [] };
  }
  function largest(plans, stepOf2, clearly = CLEARLY) {
    let best = plans[0];
    let step = stepOf2(best);
    for (const one of plans.slice(1)) {
      const other = stepOf2(one);
      if (other > step * clearly) [best, step] = [one, other];
    }
    return [best, step];
  }
  function plan({ heads, fused, per, blocks }) {
    const lines = heads.map((count) => Math.ceil(count / per));
    let high = Math.max(Math.ceil(sum(lines) / blocks), ...lines);
    let parts = split(lines, high);
    while (parts.length > blocks) parts = split(lines, ++high);
    const columns = parts.map((rows) => Math.max(...rows.map((row2) => Math.min(per, heads[row2]))) + fused);
    return { per, parts, blocks: parts.length, wide: columns, columns: sum(columns), lines: high };
  }
  function split(lines, high) {
    const parts = [[]];
    let used = 0;
    lines.forEach((count, row2) => {
      if (used + count > high) {
        parts.push([]);
        used = 0;
      }
      parts.at(-1).push(row2);
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
      const single = wide[block] - fused;
      const across = (column) => x + column * step + Math.max(0, column - single + 1) * BREATH;
      for (let column = 0; column < wide[block]; column++) {
        const of = column < single ? { head: column } : { fused: column - single };
        labels.push({ x: across(column) + step / 2, y: HEADER / 2, room: step, of });
      }
      let y = HEADER;
      for (const row2 of rows) {
        labels.push({ x: left + GUTTER / 2, y: y + high / 2, room: GUTTER, of: { layer: row2 } });
        for (let head = 0; head < heads[row2]; head++) {
          const line = Math.floor(head / per);
          spots[row2][head] = { x: across(head % per), y: y + line * high };
          if (line && head % per === 0)
            labels.push({ x: left + GUTTER / 2, y: y + (line + 0.5) * high, room: GUTTER, of: { layer: row2, head } });
        }
        for (let i = 0; i < fused; i++) spots[row2][Math.max(...heads) + i] = { x: across(single + i), y };
        y += Math.ceil(heads[row2] / per) * high;
      }
      left = x + wide[block] * step + fused * BREATH + AIR;
    });
    return { step, height: HEADER + lines * high, spots, labels };
  }
  var sum = (numbers2) => numbers2.reduce((a, b) => a + b, 0);

  // drawing/hatch.js
  var SPACING = 7;
  var SMALL = 4;
  var BRIGHT = [255, 255, 255, 150];
  var DARK = [0, 0, 0, 150];
  var tiles = /* @__PURE__ */ new Map();
  function filled(context, spacing, ratio, trace) {
    const side2 = Math.max(3, Math.round(spacing * ratio));
    if (!tiles.has(side2)) tiles.set(side2, tileOf(side2, Math.max(1, Math.round(ratio))));
    context.fillStyle = context.createPattern(tiles.get(side2), "repeat");
    context.beginPath();
    trace();
    context.fill();
  }
  function tileOf(side2, line) {
    const tile = Object.assign(document.createElement("canvas"), { width: side2, height: side2 });
    const image2 = new ImageData(side2, side2);
    for (let i = 0; i < side2 * side2; i++) {
      const at = (Math.floor(i / side2) + i % side2) % side2;
      if (at < 2 * line) image2.data.set(at < line ? BRIGHT : DARK, 4 * i);
    }
    tile.getContext("2d").putImageData(image2, 0, 0);
    return tile;
  }
  function hatchPatches(context, { x, y, w, h }, { grid: [rows, cols], first }, reach, ratio) {
    filled(context, SPACING, ratio, () => {
      for (let i = 0; i < rows * cols; i++) {
        if (reach[first + i]) continue;
        const [row2, col] = [Math.floor(i / cols), i % cols];
        context.rect(x + col * w / cols, y + row2 * h / rows, w / cols, h / rows);
      }
    });
  }
  function hatchBelow(context, [x, y, w, h], ratio) {
    filled(context, SMALL, ratio, () => context.rect(x, y, w, h));
  }

  // drawing/measured.js
  var Measured = class {
    /** @param {Element} element @param {() => number[]} read [width, ...]; without a width, as where it is hidden, nothing is kept */
    constructor(element, read) {
      this.read = read;
      this.value = [0];
      const forget = () => this.value = [0];
      new ResizeObserver(forget).observe(element);
      addEventListener("resize", forget);
    }
    get now() {
      if (!this.value[0]) this.value = this.read();
      return this.value;
    }
  };

  // drawing/atlas.js
  var GAP = 2;
  var ON_PHONES = 380;
  var SHORT = 42;
  var LEGIBLE = 34;
  var Atlas = class {
    // `size` {width, height, ratio}: of a canvas that stands on no page, `ratio` device pixels for a css pixel.
    constructor(canvas, words, size = null) {
      this.canvas = canvas;
      this.size = size;
      const room = () => parseFloat(getComputedStyle(canvas.parentElement).minHeight) || ON_PHONES;
      this.onPage = size ? null : new Measured(canvas, () => [canvas.clientWidth, room()]);
      this.words = words;
      this.sheet = document.createElement("canvas");
    }
    // `heads` is the most of any layer; `columns` are the heads, "mean" and, where it is defined, "rollout".
    layout(payload, heads, columns) {
      this.grid = payload.grid;
      this.rows = payload.layers.length;
      this.heads = heads;
      this.columns = columns;
      this.aspect = Math.min(this.grid[0] / this.grid[1], 1.5);
      this.counts = payload.layers.map((layer) => layer.heads);
      this.places = this.shelves(payload);
      this.image = new ImageData(this.sheet.width, this.sheet.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    // The place of each map on the sheet, [x, y], each in its own grid: side by side on shelves.
    shelves({ layers, finest }) {
      const grids = layers.map(
        ({ queries, keys, heads }) => this.columns.map((name2) => {
          if (typeof name2 === "number" && name2 >= heads) return [0, 0];
          return name2 === "rollout" ? finest.grid : queries.tokens > keys.tokens ? queries.grid : keys.grid;
        })
      );
      const width = Math.max(1024, ...grids.flat().map(([, cols]) => cols));
      let [x, y, high] = [0, 0, 0];
      const places = grids.map(
        (row2) => row2.map(([rows, cols]) => {
          if (x + cols > width) [x, y, high] = [0, y + high, 0];
          const place2 = [x, y];
          x += cols;
          high = Math.max(high, rows);
          return place2;
        })
      );
      this.sheet.width = width;
      this.sheet.height = y + high;
      return places;
    }
    // Lay the maps out in about the height that the style gives their box. `order` is null, or [row, column] of heads.
    resize(order) {
      const [width, height] = this.onPage?.now ?? [this.size.width, this.size.height];
      const ratio = this.size?.ratio ?? (window.devicePixelRatio || 1);
      if (!width || !this.image) return false;
      const room = { width, height, aspect: this.aspect };
      const key = JSON.stringify([room, this.counts, this.columns.length, order]);
      if (this.arranged !== key) {
        this.arranged = key;
        const fused = this.columns.length - this.heads;
        const plain2 = () => arrange({ ...room, heads: this.counts, fused });
        this.plan = order ? inOrder({ ...room, order, rows: this.rows }) : plain2();
        this.isSorted = Boolean(order);
        this.canvas.style.height = `${Math.ceil(this.plan.height)}px`;
      }
      const [across, down] = [width, Math.ceil(this.plan.height)].map((size) => Math.round(size * ratio));
      if (this.canvas.width !== across || this.canvas.height !== down) [this.canvas.width, this.canvas.height] = [across, down];
      this.ratio = ratio;
      return true;
    }
    // Of a small map in pixels of the canvas; null where it has no place.
    box(row2, column) {
      const spot = this.plan.spots[row2]?.[column];
      const { ratio, plan: plan2 } = this;
      return spot ? { x: spot.x * ratio, y: spot.y * ratio, w: plan2.step * ratio, h: plan2.step * this.aspect * ratio } : null;
    }
    // `cells[row][column]` is {values, layout, high, reach}, null while its numbers are on their way, undefined where there is no such
    // head. `selected` and `hovered` are {row, column} or null; `scores` is {table, isBest, text(value)} or null,
    // `order` null (layers as rows) or [row, column] of all heads.
    draw({ cells, map, selected, hovered, ink, accent, scores, order, fusion }) {
      this.fusion = fusion;
      if (!this.resize(order)) return;
      for (let row2 = 0; row2 < this.rows; row2++) {
        for (let column = 0; column < this.columns.length; column++) {
          const cell = cells[row2][column];
          if (!cell) continue;
          const { values, layout, high, reach } = cell;
          const place2 = this.places[row2][column];
          map.fill(this.pixels, this.sheet.width, ...place2, values, layout.first, layout.grid, high || 1, 255, reach);
        }
      }
      this.sheet.getContext("2d").putImageData(this.image, 0, 0);
      const context = this.canvas.getContext("2d");
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      const gap = GAP * this.ratio;
      context.imageSmoothingQuality = "medium";
      context.fillStyle = map.css(0);
      for (let row2 = 0; row2 < this.rows; row2++) {
        for (let column = 0; column < this.columns.length; column++) {
          const cell = cells[row2][column];
          const box2 = cell !== void 0 && this.box(row2, column);
          if (!box2) continue;
          const { x, y, w, h } = box2;
          if (cell) {
            const [rows, cols] = cell.layout.grid;
            if (cell.reach) hatchBelow(context, [x, y, w - gap, h - gap], this.ratio);
            context.imageSmoothingEnabled = cols > w - gap;
            context.drawImage(this.sheet, ...this.places[row2][column], cols, rows, x, y, w - gap, h - gap);
          } else {
            context.globalAlpha = 40 / 255;
            context.fillRect(x, y, w - gap, h - gap);
            context.globalAlpha = 1;
          }
        }
      }
      if (scores) this.drawScores(context, scores);
      this.drawNames(context, ink, selected);
      if (hovered) this.outline(context, hovered, ink, 1);
      if (selected) this.outline(context, selected, accent, 3);
    }
    // The name of a column of fused maps: its fusion, "mean" or "max"; for rollout, the fusion only if it is not the mean.
    nameOf(column, isShort) {
      const say = (name2, given = {}) => this.words.say(isShort ? `short_${name2}` : `atlas_${name2}`, given);
      if (column === "mean") return say(this.fusion);
      return this.fusion === "mean" ? say("rollout") : say("rollout_of", { fusion: say(this.fusion) });
    }
    drawNames(context, ink, selected) {
      const write2 = (text3, { x, y, room }, isChosen = false) => {
        context.font = `${isChosen ? "bold " : ""}${11 * this.ratio}px sans-serif`;
        context.fillText(text3, x * this.ratio, y * this.ratio, room * this.ratio);
      };
      context.fillStyle = ink;
      context.textAlign = "center";
      context.textBaseline = "middle";
      for (const label of this.plan.labels) {
        const { layer, head, fused } = label.of;
        if (fused !== void 0) {
          write2(this.nameOf(this.columns[this.heads + fused], label.room < SHORT), label, selected?.column === this.heads + fused);
        } else if (layer !== void 0) {
          write2(head === void 0 ? String(layer + 1) : `${head + 1}→`, label, head === void 0 && layer === selected?.row);
        } else write2(String(head + 1), label, head === selected?.column);
      }
      if (this.isSorted) this.drawOwnNames(context);
    }
    // What the numbers beside the maps and on them are; `title` is that of the score, null without one.
    numbersInWords(title) {
      const scored = title && this.plan?.step >= LEGIBLE ? this.words.say("atlas_scored", { title }) : "";
      return [this.words.say(this.isSorted ? "atlas_sorted" : "atlas_rows"), scored].filter(Boolean).join(" · ");
    }
    // Write layer.head into the upper corner of each map, for an order in which rows and columns do not tell the head.
    drawOwnNames(context) {
      this.onMaps(context, Math.min(11, this.plan.step * 0.26), "left");
      this.plan.spots.forEach(
        (row2, r) => row2.forEach((_, column) => {
          const { x, y } = this.box(r, column);
          this.written(
            context,
            `${r + 1}.${column + 1}`,
            x + GAP * this.ratio,
            y + Math.min(11, this.plan.step * 0.26) * this.ratio
          );
        })
      );
    }
    // Letters that can be read on any colour.
    onMaps(context, size, align) {
      context.textAlign = align;
      context.textBaseline = "alphabetic";
      context.lineWidth = 3 * this.ratio;
      context.lineJoin = "round";
      context.strokeStyle = "rgba(0, 0, 0, 0.8)";
      context.fillStyle = "white";
      context.font = `${size * this.ratio}px sans-serif`;
    }
    written(context, text3, x, y) {
      context.strokeText(text3, x, y);
      context.fillText(text3, x, y);
    }
    // Write into the lower corner of each map how well it finds the object; the best head gets a star.
    drawScores(context, { table, isBest, text: text3 }) {
      if (this.plan.step < LEGIBLE) return;
      const size = Math.min(12, this.plan.step * this.aspect * 0.3);
      this.onMaps(context, size, "right");
      const regular = context.font;
      table.forEach(
        (row2, r) => row2.forEach((value, column) => {
          const box2 = value !== null && this.box(r, column);
          if (!box2) return;
          const star = isBest(r, column);
          context.font = star ? `bold ${regular}` : regular;
          const edge = (GAP + 3) * this.ratio;
          this.written(context, (star ? "★" : "") + text3(value), box2.x + box2.w - edge, box2.y + box2.h - edge);
        })
      );
    }
    // One map on a canvas of its own.
    drawLarge(canvas, { row: row2, column }, cells) {
      const [rows, cols] = cells[row2][column].layout.grid;
      const scale = Math.max(1, Math.round(320 * this.ratio / 2 / Math.max(rows, cols)));
      [canvas.width, canvas.height] = [cols * scale, rows * scale];
      const context = canvas.getContext("2d");
      context.imageSmoothingEnabled = false;
      if (cells[row2][column].reach) hatchBelow(context, [0, 0, canvas.width, canvas.height], this.ratio);
      context.drawImage(this.sheet, ...this.places[row2][column], cols, rows, 0, 0, canvas.width, canvas.height);
    }
    outline(context, { row: row2, column }, colour, width) {
      const box2 = this.box(row2, column);
      if (!box2) return;
      context.strokeStyle = colour;
      context.lineWidth = width * this.ratio;
      context.lineJoin = "miter";
      context.strokeRect(box2.x - this.ratio, box2.y - this.ratio, box2.w, box2.h);
    }
    // {row, column} under a mouse event, or null.
    cellAt(event) {
      if (!this.plan) return null;
      const area = this.canvas.getBoundingClientRect();
      const px = (event.clientX - area.left) * this.canvas.width / area.width;
      const py = (event.clientY - area.top) * this.canvas.height / area.height;
      for (let row2 = 0; row2 < this.rows; row2++) {
        for (let column = 0; column < this.columns.length; column++) {
          const box2 = this.box(row2, column);
          if (box2 && px >= box2.x && px < box2.x + box2.w && py >= box2.y && py < box2.y + box2.h) {
            return { row: row2, column, at: [(px - box2.x) / box2.w, (py - box2.y) / box2.h] };
          }
        }
      }
      return null;
    }
  };

  // numbers/base64.js
  var bytesOf = (text3) => Uint8Array.from(atob(text3), (character) => character.charCodeAt(0));
  var floatsOf = (text3) => new Float32Array(bytesOf(text3).buffer);

  // drawing/colour.js
  var ColourMap = class {
    // `base64` holds 256 RGB triples.
    constructor(base64) {
      this.table = bytesOf(base64);
      this.packed = Uint32Array.from(
        { length: 256 },
        (_, i) => this.table[3 * i] | this.table[3 * i + 1] << 8 | this.table[3 * i + 2] << 16
      );
    }
    css(share) {
      const at = 3 * stepOf(share);
      return `rgb(${this.table[at]}, ${this.table[at + 1]}, ${this.table[at + 2]})`;
    }
    // Write the patches of one map into RGBA pixels (Uint32Array). `high` is the value of the top colour; alpha is 0..255. A patch
    // out of `reach` has no colour: it is clear.
    fill(pixels, width, x, y, values, first, [rows, cols], high, alpha, reach = null) {
      const top = alpha << 24;
      let from = first;
      for (let row2 = 0; row2 < rows; row2++) {
        let to = (y + row2) * width + x;
        for (let col = 0; col < cols; col++, from++) {
          pixels[to++] = reach && !reach[from] ? 0 : top | this.packed[stepOf(shareOf(values[from], high))];
        }
      }
    }
  };
  function colourOf(all, view) {
    if (!Object.hasOwn(all, view.colours)) throw new TypeError(`There is no colour map '${view.colours}'.`);
    return all[view.colours];
  }
  function shareOf(value, high) {
    return Math.min(1, Math.max(0, value / high));
  }
  function stepOf(share) {
    return Math.min(255, Math.floor(256 * share));
  }
  function largest2(values, counts) {
    let high = 0;
    for (let i = 0; i < values.length; i++) if (counts[i] && values[i] > high) high = values[i];
    return high;
  }

  // listing.js
  var STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  var REST2 = 400;
  var Listing = class {
    /**
     * @param {HTMLTableElement} table
     * @param {{pick: (place: {row: number, column: number}) => void, peek: (place: {row: number, column: number} | null) => void}} does
     *   `pick` shows a map on the stage, `peek` learns which one has the focus
     */
    constructor(table, does) {
      this.table = table;
      this.does = does;
      this.timer = 0;
      this.cells = [];
      table.addEventListener("keydown", (event) => this.press(event));
      table.addEventListener("click", ({ target }) => this.act(target, does.pick));
      table.addEventListener("focusin", ({ target }) => this.act(target, does.peek));
      table.addEventListener("focusout", () => does.peek(null));
    }
    get hasFocus() {
      return this.table.contains(document.activeElement);
    }
    /** Fill the table once the hand has rested. @param {() => Listed} make */
    soon(make) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fill(make()), REST2);
    }
    /**
     * @typedef {object} Listed
     * @property {string} caption
     * @property {string[]} columns
     * @property {string[]} rows
     * @property {(string | null)[][]} texts [row][column], null where there is no such head
     * @property {{row: number, column: number} | null} selected the one on the stage
     */
    /** @param {Listed} listed */
    fill({ caption, columns, rows, texts, selected }) {
      const shape = JSON.stringify([columns, rows, texts.map((row2) => row2.map((text3) => text3 === null))]);
      if (shape !== this.shape) this.build(columns, rows, texts);
      this.shape = shape;
      this.table.setAttribute("aria-label", caption);
      const stop = selected ?? { row: 0, column: 0 };
      this.cells.forEach(
        (row2, r) => row2.forEach((cell, column) => {
          if (!cell) return;
          const isHere = r === selected?.row && column === selected.column;
          write(cell, texts[r][column]);
          cell.setAttribute("aria-selected", String(isHere));
          if (!this.hasFocus) cell.tabIndex = r === stop.row && column === stop.column ? 0 : -1;
        })
      );
    }
    build(columns, rows, texts) {
      const head = document.createElement("tr");
      head.append(document.createElement("td"), ...columns.map((name2) => Object.assign(tagged("th", name2), { scope: "col" })));
      this.cells = texts.map((row2) => row2.map((text3) => text3 === null ? null : cellOf()));
      const body = this.cells.map((cells, r) => {
        const line = document.createElement("tr");
        const name2 = Object.assign(tagged("th", rows[r]), { scope: "row" });
        line.append(name2, ...cells.map((cell) => cell ?? document.createElement("td")));
        return line;
      });
      this.table.replaceChildren(head, ...body);
    }
    // {row, column} of a cell, or null.
    placeOf(target) {
      for (const [row2, cells] of this.cells.entries()) {
        const column = cells.indexOf(target);
        if (column >= 0) return { row: row2, column };
      }
      return null;
    }
    act(target, what) {
      const place2 = this.placeOf(target);
      if (place2) what(place2);
    }
    press(event) {
      const place2 = this.placeOf(event.target);
      if (!place2 || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key in STEPS) this.move(place2, STEPS[event.key]);
      else if (event.key === "Enter" || event.key === " ") this.does.pick(place2);
      else return;
      event.preventDefault();
      event.stopPropagation();
    }
    // Move the focus to the next cell that has a map.
    move({ row: row2, column }, [down, right]) {
      const from = this.cells[row2][column];
      let to = null;
      do {
        [row2, column] = [row2 + down, column + right];
        to = this.cells[row2]?.[column];
      } while (to === null);
      if (!to) return;
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    }
  };
  function cellOf() {
    const cell = document.createElement("td");
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = -1;
    return cell;
  }

  // numbers/format.js
  function percent(share) {
    const value = Math.abs(100 * share);
    const digits2 = value < 5e-4 || value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
    return `${share < 0 ? "−" : ""}${value.toFixed(digits2)} %`;
  }
  function times(value) {
    return value >= 9.95 ? value.toFixed(0) : value >= 0.095 ? value.toFixed(1) : value.toFixed(2);
  }
  var RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  function tiny(value) {
    if (value === 0) return "0";
    const [digits2, power] = value.toExponential(0).split("e");
    const raised = [...power.replace("+", "")].map((sign) => sign === "-" ? "⁻" : RAISED[Number(sign)]);
    return `${digits2} × 10${raised.join("")}`;
  }
  function digits(value) {
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : String(value);
    const size = Math.abs(value);
    const said = size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
    return said.replace("-", "−");
  }

  // numbers/spread.js
  var MOST2 = 0.8;
  var LOOSE = 0.2;
  function spread(values, layout, most = MOST2) {
    const tokens = [...values.keys()].filter((token) => layout.onPicture[token]);
    const bright = tokens.filter((token) => values[token] > 0).sort((a, b) => values[b] - values[a]);
    const sum3 = bright.reduce((all, token) => all + values[token], 0);
    if (!sum3) return null;
    const few = [];
    for (let [i, held] = [0, 0]; i < bright.length && held < most * sum3 * (1 - 1e-6); i++) {
      few.push(bright[i]);
      held += values[bright[i]];
    }
    const places = few.map((token) => layout.centreOf(
      /** @type {[number, number]} */
      layout.cellOf(token)
    ));
    const weights = few.map((token) => values[token]);
    const [x, y] = [0, 1].map((axis) => {
      return part(
        places.map((place2) => place2[axis]),
        weights
      );
    });
    return { patches: few.length, all: tokens.length, part: [DOWN[y], ACROSS[x]].join("_") };
  }
  function part(places, weights) {
    const all = weights.reduce((a, b) => a + b, 0);
    const mean = places.reduce((sum3, place2, i) => sum3 + weights[i] * place2, 0) / all;
    const square = places.reduce((sum3, place2, i) => sum3 + weights[i] * (place2 - mean) ** 2, 0) / all;
    return Math.sqrt(square) > LOOSE ? 3 : Math.min(2, Math.floor(3 * mean));
  }

  // names.js
  var REGISTER = /^reg(\d+)$/;
  var WEIGHTED = ["mean", "pool"];
  var QUERY = /^query (\d+)$/;
  var PATCH = /^(\d+),(\d+)$/;
  var READ_HIDDEN = {
    window: { from: "read_window_from", to: "read_window_to" },
    mask: { from: "read_mask_from", to: "read_mask_to" }
  };
  var SEVERAL = /\d,\d/;
  function nameKey(kind, name2, suffix = "") {
    const [token, given] = tokenOf(name2);
    return [`${kind}_${token}${suffix}`, given];
  }
  function tokenOf(name2) {
    const register = REGISTER.exec(name2);
    const query = QUERY.exec(name2);
    if (query) return ["query", { n: Number(query[1]) + 1 }];
    if (register) return ["reg", { n: Number(register[1]) + 1 }];
    const patch = PATCH.exec(name2);
    if (patch) return ["patch", { row: Number(patch[1]) + 1, col: Number(patch[2]) + 1 }];
    if (SEVERAL.test(name2)) return ["several", {}];
    const known = TOKENS.find((one) => one === name2);
    return known ? [known, {}] : ["other", { name: name2 }];
  }
  function tokenName(words, view, query, layout = view.here.queries) {
    if (layout.cellOf(query)) return plainName(words, query, layout, view.here.queries);
    const { readout, top } = view.payload;
    const name2 = typeof query === "string" ? query : layout.prefix[query];
    const isHere = (part2) => WEIGHTED.includes(part2) || SEVERAL.test(part2) || layout.prefix.includes(part2);
    if (!view.crossed && view.payload.named.includes(query) && !query.split("+").every(isHere)) {
      return words.say("name_later", { name: words.say(...nameKey("name", name2)) });
    }
    if (name2 === "cls" && name2 === readout && top.length) return words.say("name_readout");
    return plainName(words, query, layout);
  }
  function plainName(words, query, layout, other = layout) {
    const cell = layout.cellOf(query);
    if (!cell) return words.say(...nameKey("name", typeof query === "string" ? query : layout.prefix[query]));
    const place2 = { row: cell[0] + 1, col: cell[1] + 1, rows: layout.grid[0], cols: layout.grid[1] };
    return words.say(String(layout.grid) === String(other.grid) ? "patch_name" : "patch_name_of", place2);
  }
  function mapName(words, view, { row: row2, column }) {
    const name2 = view.columns[column];
    if (typeof name2 === "number") return words.say("where_head", { layer: row2 + 1, head: name2 + 1 });
    if (name2 === "rollout") return words.say("where_rollout", { layer: row2 + 1 });
    return words.say(`where_${fusedAs(view)}`, { layer: row2 + 1 });
  }
  var fusedAs = ({ fusion }) => fusion === "one" ? "mean" : fusion;
  var isOfHeads = (view) => fusedAs(view) !== "mean";
  function shownName(words, view) {
    if (!view.crossed) return mapName(words, view, view.selected);
    const how = view.fusion === "one" ? "head" : view.fusion;
    return words.say(`cross_where_${how}`, { block: view.crossBlock + 1, head: view.crossed.head + 1 });
  }
  function mapSentence(words, view) {
    const { values, layout } = view.map;
    const cell = (view.pinned || view.crossed) && view.hovered;
    const sinks = view.sinksNow.map((sink) => layout.tokenOf(sink));
    const isSink = sinks.includes(cell ? layout.tokenOf(cell) : strongest(values, layout, []));
    const token = cell ? layout.tokenOf(cell) : strongest(values, layout, sinks);
    const hidden = cell && view.hiddenBy(token);
    const kind = hidden ? READ_HIDDEN[hidden][view.direction] : cell ? `read_${view.phrase}` : values[token] > 0 ? `status_${view.phrase}` : "status_none";
    const said = words.say(kind, {
      where: shownName(words, view),
      among: words.say(isSink ? "among_no_sinks" : "among_all"),
      name: tokenName(words, view, view.query),
      other: tokenName(words, view, token, layout),
      share: percent(values[token]),
      times: times(values[token] * view.evenOf(token)),
      patches: percent(view.onPatches),
      part: percent(values[token] / view.onPatches)
    });
    return cell && isSink ? `${said} ${words.say("read_sink")}` : said;
  }
  function spreadSentence(words, { map }) {
    const found = spread(map.values, map.layout);
    if (!found) return "";
    const { patches, all } = found;
    const part2 = words.say(`part_${found.part}`);
    return words.say(patches === 1 ? "spread_1" : "spread_n", { share: percent(MOST2), patches, all, part: part2 });
  }
  function strongest(values, { onPicture }, but) {
    let best = -1;
    for (let i = 0; i < values.length; i++) {
      if (onPicture[i] && !but.includes(i) && (best < 0 || values[i] > values[best])) best = i;
    }
    return best < 0 ? onPicture.indexOf(1) : best;
  }

  // numbers/measures.js
  var SMALLEST_FIRST = { entropy: true, distance: false, cls: false, sinks: false, score: false };
  function measures(values, layout, { cell, grid, input, sinks }) {
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
        return sinks.length ? sinks.reduce((sum3, sink) => sum3 + values[layout.tokenOf(sink)], 0) : null;
      }
    };
  }
  function entropy(values) {
    let sum3 = 0;
    for (const share of values) {
      if (share < 0) return null;
      if (share > 0) sum3 -= share * Math.log(share);
    }
    return sum3;
  }
  function distance(values, { first, grid: [rows, cols] }, [down, right], [height, width]) {
    let all = 0;
    let sum3 = 0;
    for (let row2 = 0; row2 < rows; row2++) {
      for (let col = 0; col < cols; col++) {
        const share = values[first + row2 * cols + col];
        all += share;
        sum3 += share * Math.hypot(((row2 + 0.5) / rows - down) * height, ((col + 0.5) / cols - right) * width);
      }
    }
    return all > 0 ? sum3 / all : null;
  }
  function ranked(heads, figure, by) {
    const numbers2 = new Map(heads.map((head) => [head, figure(head)]));
    if ([...numbers2.values()].every((value2) => value2 === null)) return null;
    const sign = SMALLEST_FIRST[by] ? 1 : -1;
    const value = (head) => numbers2.get(head) ?? sign * Infinity;
    return [...heads].sort((a, b) => sign * (value(a) - value(b)) || a[0] - b[0] || a[1] - b[1]);
  }

  // numbers/score.js
  var Target = class {
    constructor(mask, [height, width], [rows, cols]) {
      this.mask = mask;
      this.height = height;
      this.width = width;
      this.rows = rows;
      this.cols = cols;
      this.patchHeight = height / rows;
      this.patchWidth = width / cols;
      this.cover = new Float64Array(rows * cols);
      const pixels = new Float64Array(rows * cols);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const patch = this.patchOf(y, x);
          this.cover[patch] += mask[y * width + x];
          pixels[patch] += 1;
        }
      }
      for (let i = 0; i < rows * cols; i++) this.cover[i] /= pixels[i] || 1;
      this.area = this.cover.reduce((a, b) => a + b, 0) / (rows * cols);
      this.isObject = this.objectPatches();
    }
    patchOf(y, x) {
      return Math.floor((y + 0.5) / this.patchHeight) * this.cols + Math.floor((x + 0.5) / this.patchWidth);
    }
    // 1 for the patches that count as object: at least half of the patch is object. If no patch reaches that, those with the most.
    objectPatches() {
      const most = Math.max(...this.cover);
      const limit = Math.min(0.5, most);
      const isAll = this.cover.every((share) => share >= limit);
      return Uint8Array.from(this.cover, (share) => Number(share >= (isAll ? most : limit)));
    }
    // A metric needs both object and background.
    get isUsable() {
      return this.area > 0 && this.area < 1;
    }
    // The mask, widened by half a patch in each direction.
    get near() {
      if (!this.grown) {
        const { height, width, mask } = this;
        const tall = Math.floor(this.patchHeight / 2);
        const wide = Math.floor(this.patchWidth / 2);
        const sideways = new Uint8Array(mask.length);
        this.grown = new Uint8Array(mask.length);
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            if (mask[y * width + x]) sideways.fill(1, y * width + Math.max(0, x - wide), y * width + Math.min(width, x + wide + 1));
          }
        }
        for (let y = 0; y < height; y++) {
          for (let from = Math.max(0, y - tall); from <= Math.min(height - 1, y + tall); from++) {
            for (let x = 0; x < width; x++) this.grown[y * width + x] |= sideways[from * width + x];
          }
        }
      }
      return this.grown;
    }
  };
  var METRICS = {
    energy(values, target) {
      let inside = 0;
      let total = 0;
      for (let i = 0; i < values.length; i++) {
        const positive = Math.max(0, values[i]);
        inside += positive * target.cover[i];
        total += positive;
      }
      return total > 0 ? inside / total : target.area;
    },
    lift: (values, target) => METRICS.energy(values, target) / target.area,
    // The probability that a patch of the object is brighter than another one. Counted along the sorted values, ties together.
    auc(values, { isObject: isObject2 }) {
      const objects = isObject2.reduce((a, b) => a + b, 0);
      const others = values.length - objects;
      if (!others) return 0.5;
      const order = darkestFirst(values);
      let wins = 0;
      let below = 0;
      for (let start2 = 0, end2; start2 < order.length; start2 = end2) {
        let here = 0;
        for (end2 = start2; end2 < order.length && values[order[end2]] === values[order[start2]]; end2++) here += isObject2[order[end2]];
        const equals = end2 - start2 - here;
        wins += here * (below + equals / 2);
        below += equals;
      }
      return wins / (objects * others);
    },
    iou(values, { cover, area }) {
      const whole2 = area * values.length;
      const order = darkestFirst(values);
      let best = 0;
      let inside = 0;
      for (let i = order.length - 1; i >= 0; i--) {
        inside += cover[order[i]];
        if (i && values[order[i - 1]] === values[order[i]]) continue;
        best = Math.max(best, inside / (order.length - i + whole2 - inside));
      }
      return best;
    },
    pointing: (values, target) => shareOfBrightest(values, target, target.mask),
    pointing_near: (values, target) => shareOfBrightest(values, target, target.near)
  };
  function darkestFirst(values) {
    const n = values.length;
    const bits2 = new Uint32Array(values.slice().buffer);
    const keys = new Float64Array(n);
    for (let i = 0; i < n; i++) keys[i] = (bits2[i] >>> 31 ? ~bits2[i] >>> 0 : bits2[i] + 2 ** 31) * n + i;
    keys.sort();
    const order = new Uint32Array(n);
    for (let i = 0; i < n; i++) order[i] = keys[i] - Math.floor(keys[i] / n) * n;
    return order;
  }
  function shareOfBrightest(values, target, mask) {
    const { cols, width, patchHeight, patchWidth } = target;
    const top = values.reduce((most, one) => Math.max(most, one), -Infinity);
    const limit = top - 1e-9 * Math.abs(top);
    let hits = 0;
    let all = 0;
    for (let patch = 0; patch < values.length; patch++) {
      if (values[patch] < limit) continue;
      const y = (Math.floor(patch / cols) + 0.5) * patchHeight - 0.5;
      const x = (patch % cols + 0.5) * patchWidth - 0.5;
      for (const row2 of [Math.floor(y), Math.ceil(y)]) {
        for (const col of [Math.floor(x), Math.ceil(x)]) hits += mask[row2 * width + col] / 4;
      }
      all += 1;
    }
    return hits / all;
  }
  function centrePrior([rows, cols]) {
    return Float32Array.from({ length: rows * cols }, (_, i) => {
      const y = (Math.floor(i / cols) + 0.5) / rows * 2 - 1;
      const x = (i % cols + 0.5) / cols * 2 - 1;
      return Math.exp(-2 * (x * x + y * y));
    });
  }
  function metricOf(all, view) {
    const found = all.find(({ name: name2 }) => name2 === view.metric);
    if (!found) throw new TypeError(`There is no metric '${view.metric}'.`);
    return found;
  }
  var isYesOrNo = (value) => value === 0 || value === 1;
  var WRITTEN = {
    share: { short: hundredths, long: percent },
    area: { short: hundredths, long: (value) => value.toFixed(2) },
    times: { short: (value) => value.toFixed(1), long: (value) => `${value.toFixed(1)} ×` },
    hit: {
      short: (value) => isYesOrNo(value) ? value ? "✓" : "–" : hundredths(value),
      long: (value, words) => isYesOrNo(value) ? words.say(value ? "yes" : "no") : percent(value)
    }
  };
  function hundredths(value) {
    return String(Math.round(100 * value));
  }
  var short = (value, { format }) => WRITTEN[format].short(value);
  var long = (value, { format }, words) => WRITTEN[format].long(value, words);

  // state.js
  var isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  var isIn = (low, high) => (value) => typeof value === "number" && value >= low && value <= high;
  var oneOf = (initial, names) => ({
    initial,
    values: names,
    fits: (value) => names.includes(
      /** @type {string | null} */
      value
    ),
    write: (value) => value ?? "",
    read: (text3) => text3 || null
  });
  var name = (initial) => ({
    initial,
    fits: (value) => value === null ? initial === null : typeof value === "string" && /^[^\p{C}<>&]{1,64}$/u.test(value),
    write: (value) => value ?? "",
    read: (text3) => text3 || null
  });
  var number = (initial, low, high) => ({
    initial,
    fits: isIn(low, high),
    write: String,
    read: (text3) => text3.trim() ? Number(text3) : null
  });
  var index = (initial, most = 1e6) => ({
    initial,
    fits: (value) => value === null ? initial === null : Number.isInteger(value) && isIn(0, most)(value),
    write: (value) => value === null ? "" : String(value),
    read: (text3) => text3.trim() ? Number(text3) : null
  });
  var flag = (initial) => ({
    initial,
    values: [false, true],
    fits: (value) => typeof value === "boolean",
    write: (value) => value ? "1" : "0",
    read: (text3) => ({ 1: true, 0: false })[text3]
  });
  var place = () => ({
    initial: null,
    fits: (value) => value === null || Array.isArray(value) && value.length === 2 && value.every(isIn(-9, 9)),
    write: (value) => value ? value.join(",") : "",
    read: (text3) => text3 ? text3.split(",").map((share) => share.trim() ? Number(share) : NaN) : null
  });
  var json = (initial, fits) => ({ initial, fits, write: JSON.stringify, read: JSON.parse });
  var passing = (key) => ({ ...key, passes: true });
  var moving = (key) => ({ ...key, moves: true });
  var State = class {
    /** @param {Record<string, Key<any>>} declared */
    constructor(declared) {
      this.declared = { ...declared };
      this.values = Object.fromEntries(Object.entries(declared).map(([key, { initial }]) => [key, initial]));
      this.listeners = /* @__PURE__ */ new Set();
    }
    /** @param {string} key */
    key(key) {
      if (!Object.hasOwn(this.declared, key)) throw new TypeError(`The state has no '${key}': a panel must declare it.`);
      return this.declared[key];
    }
    /** @param {string} key @returns {any} */
    get(key) {
      this.key(key);
      return this.values[key];
    }
    /** The current values of all keys. @returns {Record<string, any>} */
    all() {
      return { ...this.values };
    }
    /** Change some values together. Listeners are called once, with the keys whose values differ. @param {Record<string, any>} changes */
    set(changes) {
      for (const [key, value] of Object.entries(changes)) {
        if (!this.key(key).fits(value)) throw new TypeError(`The state's '${key}' cannot be ${JSON.stringify(value)}.`);
      }
      const changed = Object.keys(changes).filter((key) => !isSame(changes[key], this.values[key]));
      if (!changed.length) return;
      this.values = { ...this.values, ...changes };
      for (const listener of [...this.listeners]) listener(changed);
    }
    /** @param {(changed: string[]) => void} listener @returns {() => void} a function that ends the subscription */
    subscribe(listener) {
      this.listeners.add(listener);
      return () => this.listeners.delete(listener);
    }
    /** The values that differ from the defaults, as a plain object for JSON. @returns {Record<string, any>} */
    save() {
      return Object.fromEntries(this.kept().map((key) => [key, structuredClone(this.values[key])]));
    }
    /** Restore what was saved. Missing keys get their defaults, values that do not fit are ignored. @param {unknown} saved */
    load(saved) {
      const found = isObject(saved) ? (
        /** @type {Record<string, any>} */
        saved
      ) : {};
      const changes = {};
      for (const [key, { initial, fits, passes }] of Object.entries(this.declared)) {
        if (!passes) changes[key] = Object.hasOwn(found, key) && fits(found[key]) ? structuredClone(found[key]) : initial;
      }
      this.set(changes);
    }
    /** The values that differ from the defaults, as text for a link: "layer=2&method=rollout". @param {object} [instead] other values of some keys */
    toHash(instead = {}) {
      const values = { ...this.values, ...instead };
      return this.kept(values).map((key) => `${key}=${encodeURIComponent(this.declared[key].write(values[key]))}`).join("&");
    }
    /**
     * Restore the state from a link.
     * @param {string} text with or without its "#"; it may come from anybody
     * @returns {string[]} the keys that were ignored, because they are unknown or their values do not fit
     */
    fromHash(text3) {
      const found = {};
      const strange = [];
      for (const [key, written] of new URLSearchParams(text3.replace(/^#/, "").replaceAll("+", "%2B"))) {
        const value = this.read(key, written);
        if (value === void 0) strange.push(key);
        else found[key] = value;
      }
      this.load(found);
      return strange;
    }
    /** Parse a part of a link, "method=rollout&head=2", into changes for `set`. @param {string} text */
    said(text3) {
      const found = [...new URLSearchParams(text3)].map(([key, written]) => [key, this.read(key, written)]);
      return Object.fromEntries(found.filter(([, value]) => value !== void 0));
    }
    // Parse a key's value from a link; undefined if the text is not valid.
    read(key, written) {
      const declared = Object.hasOwn(this.declared, key) && this.declared[key];
      if (!declared || declared.passes) return void 0;
      try {
        const value = declared.read(written);
        return declared.fits(value) ? value : void 0;
      } catch {
        return void 0;
      }
    }
    /** Limit a key to its default and the values that this page offers. @param {string} key @param {readonly string[]} names */
    offer(key, names) {
      const { initial } = this.key(key);
      this.declared[key] = {
        ...this.declared[key],
        values: names,
        fits: (value) => value === initial || names.includes(
          /** @type {string} */
          value
        )
      };
    }
    kept(values = this.values) {
      const isKept = (key) => !this.declared[key].passes && !isSame(values[key], this.declared[key].initial);
      return Object.keys(this.declared).filter(isKept);
    }
  };
  function isSame(a, b) {
    if (Object.is(a, b)) return true;
    return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
  }

  // panels/atlas.js
  var LENS = 156;
  var orders = ATLAS_ORDERS.map((name2) => `<option value="${name2}">$order_${name2}</option>`);
  var panel_atlas = {
    name: "atlas",
    place: "maps",
    order: 10,
    shows: ({ depth }) => depth === "wide",
    html: `
    <div class="viz-atlas-title"><b>$atlas_title</b> <span class="viz-atlas-hint">$atlas_hint</span> <span class="viz-layer-grid"></span>
      <label><span data-term="entropy distance cls sinks score">$order</span> <select class="viz-order">${orders.join("")}</select></label></div>
    <p class="viz-atlas-numbers"></p>
    <div class="viz-atlas-box">
      <canvas class="viz-atlas" role="img" aria-label="$atlas_label"></canvas>
      <div class="viz-unseen"><table class="viz-listing" role="grid" aria-label="$atlas_label"></table></div>
      <div class="viz-lens" hidden><canvas class="viz-lens-map"></canvas><div class="viz-lens-said"></div></div>
    </div>`,
    state: { order: oneOf("layers", ATLAS_ORDERS) },
    mount(root, { state, words, colours, metrics }) {
      const find = finder(root);
      const canvas = find("atlas");
      const atlas = new Atlas(canvas, words);
      const choices = [...find("order").options];
      const listing = new Listing(find("listing"), {
        pick: (place2) => pick(place2),
        peek: (place2) => state.set({ peek: place2 && [place2.row, place2.column] })
      });
      let view = null;
      let laidOut = null;
      let inked = null;
      let sorted2 = null;
      bind(find("order"), "change", state, ({ value }) => ({ order: value }));
      canvas.addEventListener("pointermove", (event) => {
        if (!view || event.pointerType === "touch") return;
        const cell = atlas.cellAt(event);
        state.set({ peek: cell && [cell.row, cell.column] });
      });
      canvas.addEventListener("pointerleave", () => state.set({ peek: null }));
      canvas.addEventListener("click", (event) => {
        const cell = view && atlas.cellAt(event);
        if (!cell) return;
        pick(cell);
      });
      function pick({ row: row2, column }) {
        const name2 = view.columns[column];
        if (typeof name2 === "number") {
          const map = { layer: row2, head: name2, fusion: "one", method: "attention", crossBlock: null };
          if (name2 < view.payload.layers[row2].heads) state.set(map);
          return;
        }
        const fusion = fusedAs(view);
        state.set({ layer: row2, fusion, method: name2 === "mean" ? "attention" : "rollout", crossBlock: null });
      }
      function figure(by, place2) {
        if (by === "score") return view.scores?.table[place2.row][place2.column] ?? null;
        return view.measured(place2)?.[by] ?? null;
      }
      function order() {
        const by = view.order;
        if (by === "layers") return sorted2 = null;
        const { payload } = view;
        const key = [by, payload.id, payload.run, view.chosen, view.metric].join();
        if (sorted2?.key === key && view.query !== view.chosen) return sorted2.order;
        const heads = payload.layers.flatMap((layer, row2) => [...Array(layer.heads).keys()].map((column) => [row2, column]));
        const found = ranked(heads, ([row2, column]) => figure(by, { row: row2, column }), by);
        if (!found) return sorted2?.key === key ? sorted2.order : null;
        sorted2 = { key, order: found };
        return sorted2.order;
      }
      function inks() {
        const theme = document.body.className;
        if (inked?.theme === theme) return inked;
        const style = getComputedStyle(root);
        return inked = { theme, ink: style.color, accent: style.getPropertyValue("--color-accent") || "#f97316" };
      }
      function draw(next) {
        view = next;
        if (!isSeen()) return;
        if (laidOut !== view.payload) atlas.layout(laidOut = view.payload, view.heads, view.columns);
        const metric = metricOf(metrics, view);
        atlas.draw({
          cells: view.cells,
          map: colourOf(colours, view),
          selected: view.selected,
          hovered: view.pointed,
          ...inks(),
          scores: view.scores && { ...view.scores, text: (value) => short(value, metric) },
          order: order(),
          fusion: fusedAs(view)
        });
        if (lensed()) atlas.drawLarge(find("lens-map"), view.pointed, view.cells);
      }
      const isSeen = () => view.depth === "wide" || view.lights.includes("atlas");
      const isAt = () => canvas.matches(":hover") || listing.hasFocus;
      const lensed = () => Boolean(view.pointed && view.cells[view.pointed.row][view.pointed.column] && isAt());
      function show() {
        if (!isSeen()) return;
        write(find("layer-grid"), layerInWords());
        write(find("atlas-numbers"), atlas.numbersInWords(view.scores && metricOf(metrics, view).title));
        if (find("order").value !== view.order) find("order").value = view.order;
        for (const option of choices) option.disabled = !isKnown(option.value);
        showLens();
        listing.soon(listed);
      }
      function listed() {
        const by = view.order !== "layers" ? view.order : view.scores ? "score" : "entropy";
        const metric = metricOf(metrics, view);
        const write2 = {
          score: (value) => long(value, metric, words),
          entropy: (value) => value.toFixed(2),
          distance: (value) => value.toFixed(0)
        };
        const say = (row2, column) => {
          if (view.cells[row2][column] === void 0) return null;
          const value = figure(by, { row: row2, column });
          if (value === null || value === void 0) return "–";
          const said = (write2[by] ?? percent)(value);
          return by === "score" && view.scores.isBest(row2, column) ? words.say("listing_best", { value: said }) : said;
        };
        const what = by === "score" ? metric.title : words.say(`listing_${by}`);
        return {
          caption: words.say("listing", { name: tokenName(words, view, view.crossed ? view.chosen : view.query), what }),
          columns: view.columns.map(
            (name2) => typeof name2 === "number" ? words.say("listing_head", { head: name2 + 1 }) : atlas.nameOf(name2, false)
          ),
          rows: view.cells.map((_, row2) => words.say("listing_layer", { layer: row2 + 1 })),
          texts: view.cells.map((cells, row2) => cells.map((_, column) => say(row2, column))),
          selected: view.selected
        };
      }
      function isKnown(by) {
        if (by === "layers" || by === view.order) return true;
        if (by === "score") return Boolean(view.scores);
        return view.cells.some((cells, row2) => cells[0] && view.measured({ row: row2, column: 0 })?.[by] !== null);
      }
      function showLens() {
        const lens = find("lens");
        lens.hidden = !lensed();
        if (lens.hidden) return;
        const box2 = atlas.box(view.pointed.row, view.pointed.column);
        if (!box2) return;
        const [left, right] = [box2.x / atlas.ratio, (box2.x + box2.w) / atlas.ratio];
        const width = canvas.clientWidth;
        lens.style.left = `${right + LENS <= width ? right + 4 : Math.max(0, left - LENS)}px`;
        lens.style.top = `${Math.max(0, Math.min(box2.y / atlas.ratio - 40, canvas.clientHeight - lens.offsetHeight))}px`;
        const said = lines();
        if (find("lens-said").textContent !== said.join("")) {
          find("lens-said").replaceChildren(...said.map((line) => tagged("p", line)));
        }
      }
      function lines() {
        const { pointed } = view;
        const found = view.measured(pointed);
        const score = view.scores?.table[pointed.row][pointed.column] ?? null;
        const metric = metricOf(metrics, view);
        const said = (number2, key, values) => number2 === null || number2 === void 0 ? [] : [words.say(key, values(number2))];
        return [
          mapName(words, view, pointed),
          ...said(score, "lens_score", (value) => ({ title: metric.title, value: long(value, metric, words) })),
          ...said(found?.entropy, "lens_entropy", (value) => ({ entropy: value.toFixed(2), n: Math.exp(value).toFixed(0) })),
          ...said(found?.distance, "lens_distance", (value) => ({ distance: value.toFixed(0) })),
          ...said(found?.cls, "lens_cls", (value) => ({ share: percent(value) })),
          ...said(found?.sinks, "lens_sinks", (value) => ({ share: percent(value) }))
        ];
      }
      function layerInWords() {
        if (view.payload.isPlain || view.crossed) return "";
        const { queries, keys, windowed } = view.here;
        const [rows, cols] = queries.grid;
        const [keyRows, keyCols] = keys.grid;
        const kind = [String(queries.grid) === String(keys.grid) ? "grid" : "grids", ...windowed ? ["windows"] : []].join("_");
        return words.say(`layer_${kind}`, { layer: view.layer + 1, rows, cols, keyRows, keyCols });
      }
      return { draw, show, atlas };
    }
  };

  // zoom.js
  var OPENS = { steps: "number", teach: "teach", atlas: "wide", score: "score" };
  function depthOf(state) {
    const key = Object.keys(OPENS).find((one) => state[one]);
    return key ? OPENS[key] : "picture";
  }
  function openOnly(key) {
    return { ...Object.fromEntries(Object.keys(OPENS).map((one) => [one, one === key])), hover: null, tool: null };
  }
  var MOTION = 180;
  function travel(box2, isDeeper) {
    if (isStill()) return;
    const from = { opacity: 0, transform: `scale(${isDeeper ? 0.96 : 1.04})` };
    box2.animate([from, { opacity: 1, transform: "none" }], { duration: MOTION, easing: "ease-out" });
  }

  // panels/back.js
  var panel_back = {
    name: "back",
    place: "told",
    order: 5,
    html: `<button class="viz-back" title="$back_help"></button>`,
    keys: { Escape: "key_back" },
    shows: ({ depth }) => depth !== "picture",
    mount(root, { state, words }) {
      const find = finder(root);
      const leave = () => state.set(openOnly(null));
      find("back").addEventListener("click", leave);
      const show = ({ layer, depth }) => {
        if (depth !== "picture") write(find("back"), words.say("back", { layer: layer + 1, depth: words.say(`back_${depth}`) }));
      };
      const press2 = () => depthOf(state.all()) !== "picture" && !state.get("tool") && leave();
      return { show, press: press2 };
    }
  };

  // drawing/svg.js
  var NAMESPACE = "http://www.w3.org/2000/svg";
  function svg(name2, attributes, text3 = "") {
    const made2 = document.createElementNS(NAMESPACE, name2);
    for (const [key, value] of Object.entries(attributes)) if (value !== "") made2.setAttribute(key, String(value));
    made2.textContent = text3;
    return made2;
  }

  // drawing/network.js
  var SIDE = 112;
  var [LAYER, GAP2, HIGH] = [10, 3, 60];
  var MOST_PATCHES = 7;
  var MOST_HEADS = 16;
  var Network = class {
    /** @param {import("../words.js").Words} words */
    constructor(words) {
      this.words = words;
      this.element = box("viz-way");
      this.payload = null;
      this.layer = -1;
      this.parts = /** @type {Record<Part, {box: HTMLElement, figure: HTMLElement, name: HTMLElement, place: HTMLElement}>} */
      {};
      for (const part2 of PARTS) {
        const made2 = {
          box: box("viz-way-part"),
          figure: box("viz-way-figure"),
          name: box("viz-way-name"),
          place: box("viz-way-place")
        };
        made2.box.dataset.part = part2;
        made2.figure.setAttribute("aria-hidden", "true");
        made2.box.append(made2.figure, made2.name, made2.place);
        this.element.append(made2.box);
        this.parts[part2] = made2;
      }
    }
    /** Mark one part as the one spoken of, and no other. @param {Part | null} lit */
    light(lit) {
      for (const part2 of PARTS) this.parts[part2].box.toggleAttribute("data-lit", part2 === lit);
    }
    /**
     * Draw the network that is shown; what has not changed stays.
     * @param {import("../panel.js").View} view @param {string} readout what the token is called that the classifier reads
     */
    show({ payload, layer }, readout) {
      if (payload === this.payload && layer === this.layer) return;
      Object.assign(this, { payload, layer });
      const { picture, patches, layers, readout: read, answer } = this.parts;
      const [rows, columns] = payload.grid;
      const each = new Set(payload.layers.map(({ heads }) => heads));
      const [label, share] = payload.top[0] ?? ["", 0];
      picture.figure.replaceChildren(whole(payload.bitmap));
      patches.figure.replaceChildren(cut(payload.bitmap, payload.window, [rows, columns]));
      layers.figure.replaceChildren(columnsOf(payload.layers, layer));
      read.figure.replaceChildren(text("b", readout));
      answer.figure.replaceChildren(...label ? [text("b", label), text("span", percent(share))] : [text("b", "–")]);
      const say = (part2, key, values = {}) => part2.name.textContent = this.words.say(key, values);
      say(picture, "way_picture");
      say(patches, "way_patches", { n: rows * columns });
      if (each.size === 1) say(layers, "way_layers", { n: payload.layers.length, heads: [...each][0] });
      else say(layers, "way_layers_only", { n: payload.layers.length });
      say(read, "way_readout");
      say(answer, label ? "way_answer" : "way_no_answer");
    }
  };
  function whole(bitmap) {
    const scale = SIDE / Math.max(bitmap.width, bitmap.height);
    const [wide, high] = [bitmap.width * scale, bitmap.height * scale];
    const { canvas, pen } = sheet();
    pen.drawImage(bitmap, (SIDE - wide) / 2, (SIDE - high) / 2, wide, high);
    return canvas;
  }
  function cut(bitmap, [left, top, right, bottom], [rows, columns]) {
    const { canvas, pen } = sheet();
    const [wide, high] = [(right - left) * bitmap.width / columns, (bottom - top) * bitmap.height / rows];
    const [down, across] = [Math.min(rows, MOST_PATCHES), Math.min(columns, MOST_PATCHES)];
    const side2 = SIDE / Math.max(down, across);
    const [x, y] = [(SIDE - side2 * across) / 2, (SIDE - side2 * down) / 2];
    for (let row2 = 0; row2 < down; row2++)
      for (let column = 0; column < across; column++) {
        const fromX = left * bitmap.width + (column + (columns - across >> 1)) * wide;
        const fromY = top * bitmap.height + (row2 + (rows - down >> 1)) * high;
        pen.drawImage(bitmap, fromX, fromY, wide, high, x + column * side2, y + row2 * side2, 0.8 * side2, 0.8 * side2);
      }
    return canvas;
  }
  function columnsOf(layers, at) {
    const drawing = svg("svg", { viewBox: `0 0 ${layers.length * (LAYER + GAP2) - GAP2} ${HIGH}`, preserveAspectRatio: "none" });
    layers.forEach(({ heads }, i) => {
      const pieces = heads > MOST_HEADS ? 1 : heads;
      const high = HIGH / pieces;
      for (let k = 0; k < pieces; k++)
        drawing.append(
          svg("rect", {
            x: i * (LAYER + GAP2),
            y: k * high,
            width: LAYER,
            height: high - (k < pieces - 1 ? 1.5 : 0),
            class: i === at ? "viz-way-here" : "viz-way-layer"
          })
        );
    });
    return drawing;
  }
  function sheet() {
    const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
    return { canvas, pen: (
      /** @type {CanvasRenderingContext2D} */
      canvas.getContext("2d")
    ) };
  }
  function box(name2) {
    return Object.assign(document.createElement("div"), { className: name2 });
  }
  function text(tag, said) {
    return Object.assign(document.createElement(tag), { textContent: said });
  }

  // numbers/depth.js
  function depthOf2({ cells, heads, payload, truth, direction }) {
    if (direction !== "from" || payload.layers.some((_, layer) => !cells[layer][heads])) return null;
    return payload.layers.map((layer, i) => {
      const rows = cells[i].slice(0, layer.heads).filter(Boolean);
      const { values, layout } = cells[i][heads];
      const cls = layout.prefix.indexOf("cls");
      const target = truth.targetOn(layout.grid);
      const mean = (measure) => rows.reduce((sum3, row2) => sum3 + measure(row2.values, row2.layout, payload.input), 0) / rows.length;
      return {
        entropy: rows.length ? mean(entropy2) : null,
        apart: rows.length ? mean(apart) : null,
        own: cls < 0 ? null : values[cls],
        object: target && METRICS.energy(values.subarray(layout.first), target)
      };
    });
  }
  function entropy2(values) {
    return values.reduce((sum3, share) => share > 0 ? sum3 - share * Math.log(share) : sum3, 0);
  }
  function apart(values, { first, grid: [rows, cols] }, [height, width]) {
    let [all, y, x] = [0, 0, 0];
    const each = (visit) => {
      for (let i = 0; i < rows * cols; i++) {
        visit(values[first + i], (Math.floor(i / cols) + 0.5) / rows * height, (i % cols + 0.5) / cols * width);
      }
    };
    each((share, down, right) => {
      all += share;
      y += share * down;
      x += share * right;
    });
    if (!(all > 0)) return 0;
    let sum3 = 0;
    each((share, down, right) => sum3 += share * Math.hypot(down - y / all, right - x / all));
    return sum3 / all;
  }

  // numbers/readings.js
  var largest3 = ({ map: { values, layout } }) => values.subarray(layout.first).reduce((a, b) => Math.max(a, b), 0);
  var energy = ({ map: { values, layout }, truth }, target = truth.targetOn(layout.grid)) => target && METRICS.energy(values.subarray(layout.first), target);
  var prefix = ({ map: { values, layout } }) => values.subarray(0, layout.first).reduce((a, b) => a + b, 0);
  var ends = (view, key) => {
    const all = depthOf2(view);
    return all && all[0][key] !== null ? [all[0][key], all.at(-1)[key]] : null;
  };
  var widths = ({ cells, layer, here }) => cells[layer].slice(0, here.heads).map((cell) => cell && Math.exp(-cell.values.reduce((sum3, p) => p > 0 ? sum3 + p * Math.log(p) : sum3, 0)));
  var extreme = (view, isBetter) => {
    const all = widths(view);
    return all.includes(null) ? null : all.reduce((best, one, i) => isBetter(one, all[best]) ? i : best, 0);
  };
  var some = (value, write2) => value === null || value === void 0 ? null : write2(value);
  var side = ({ payload: { input, grid, sees } }) => {
    const length2 = Math.round(input[0] / grid[0]);
    return sees?.some((one) => one !== length2) ? null : length2;
  };
  var READINGS = {
    model: ({ view }) => view.payload.model,
    rows: ({ view }) => view.payload.grid[0],
    columns: ({ view }) => view.payload.grid[1],
    patches: ({ view }) => view.payload.grid[0] * view.payload.grid[1],
    tokens: ({ view }) => view.here.keys.tokens,
    tokens_less: ({ view }) => view.here.keys.tokens - 1,
    side: ({ view }) => side(view),
    colours: ({ view }) => some(side(view), (length2) => 3 * length2 ** 2),
    layers: ({ view }) => view.payload.layers.length,
    heads: ({ view }) => view.here.heads,
    layer: ({ view }) => view.layer + 1,
    head: ({ view }) => view.head + 1,
    row: ({ view }) => some(view.cell, ([row2]) => row2 + 1),
    column: ({ view }) => some(view.cell, ([, column]) => column + 1),
    even: ({ view }) => some(view.even, (count) => percent(1 / count)),
    share: ({ view }) => percent(largest3(view)),
    times: ({ view }) => some(view.even, (count) => times(largest3(view) * count)),
    on_prefix: ({ view }) => percent(prefix(view)),
    on_patches: ({ view }) => percent(1 - prefix(view)),
    object: ({ view }) => some(energy(view), percent),
    area: ({ view }) => some(view.truth.target, ({ area }) => percent(area)),
    // If the picture has two things, or a tell-tale mark: the share on each.
    things: ({ view, words }) => words.list(
      view.truth.parts.map(
        ({ name: name2, on }) => words.say("score_part", { name: name2, share: percent(energy(view, on(view.map.layout.grid)) ?? 0) })
      )
    ),
    object_first: ({ view }) => some(ends(view, "object"), ([first]) => percent(first)),
    object_last: ({ view }) => some(ends(view, "object"), ([, last]) => percent(last)),
    own_first: ({ view }) => some(ends(view, "own"), ([first]) => percent(first)),
    own_last: ({ view }) => some(ends(view, "own"), ([, last]) => percent(last)),
    wide_first: ({ view }) => some(ends(view, "entropy"), ([first]) => Math.round(Math.exp(first))),
    wide_last: ({ view }) => some(ends(view, "entropy"), ([, last]) => Math.round(Math.exp(last))),
    narrow_head: ({ view }) => some(
      extreme(view, (a, b) => a < b),
      (head) => head + 1
    ),
    narrow: ({ view }) => some(
      extreme(view, (a, b) => a < b),
      (head) => Math.round(widths(view)[head])
    ),
    wide_head: ({ view }) => some(
      extreme(view, (a, b) => a > b),
      (head) => head + 1
    ),
    wide: ({ view }) => some(
      extreme(view, (a, b) => a > b),
      (head) => Math.round(widths(view)[head])
    ),
    skip: ({ view }) => percent(view.skipWeight),
    label: ({ view }) => view.payload.top[0]?.[0] ?? null,
    sure: ({ view }) => some(view.payload.top[0]?.[1], percent),
    label_then: ({ then }) => then[0]?.[0] ?? null,
    sure_then: ({ then }) => some(then[0]?.[1], percent),
    // The share that the label of `then` has now, which is known if it is among the five likeliest.
    sure_now: ({ view, then, words }) => {
      const now = view.payload.top.find(([label]) => label === then[0]?.[0]);
      return now ? percent(now[1]) : some(view.payload.top.at(-1)?.[1], (least) => words.say("book_less", { share: percent(least) }));
    },
    // The right option of a question.
    object_trend: ({ view }) => some(ends(view, "object"), ([first, last]) => last > 1.1 * first ? "more" : last < 0.9 * first ? "less" : "same"),
    heads_alike: ({ view }) => some(
      extreme(view, (a, b) => a < b),
      () => Math.max(...widths(view)) > 2 * Math.min(...widths(view)) ? "no" : "yes"
    ),
    named: ({ view }) => view.payload.top[0]?.[0] ?? null
  };
  function filled2(html, seen) {
    let isWhole = true;
    const text3 = html.replace(/\{(\w+)\}/g, (_, name2) => {
      const value = seen.found?.[name2] ?? (Object.hasOwn(READINGS, name2) ? READINGS[name2](seen) : null);
      isWhole &&= value !== null;
      return String(value).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
    });
    return isWhole ? text3 : null;
  }

  // numbers/timers.js
  var running = /* @__PURE__ */ new Set();
  function later(what, pause = 0) {
    const timer = Number(
      setTimeout(() => {
        running.delete(timer);
        what();
      }, pause)
    );
    running.add(timer);
    return timer;
  }
  function callOff(timer) {
    clearTimeout(timer);
    running.delete(timer);
  }
  var isAnyRunning = () => running.size > 0;

  // panels/book.js
  var panel_book = {
    name: "book",
    place: "maps",
    order: 2,
    shows: ({ isReading }) => isReading,
    html: `
    <section class="viz-book" aria-label="$book" tabindex="-1" hidden>
      <div class="viz-book-head">
        <button class="viz-book-back" aria-label="$book_back">‹</button><button class="viz-book-whole" title="$book_whole"><span class="viz-unseen">$book_whole</span></button><button class="viz-book-on" aria-label="$book_on">›</button><button class="viz-book-close" aria-label="$book_close" title="$book_close">×</button>
      </div>
      <div class="viz-book-text"></div>
      <div class="viz-book-tasks"></div>
      <div class="viz-book-foot"><button class="viz-book-next"></button></div>
    </section>`,
    mount(root, { state, words, ask, colours, book, exercises: exercises2 }) {
      const find = finder(root);
      const box2 = find("book");
      const speak = speaker(find("book-tasks"));
      let view = null;
      let opened = "";
      let number2 = 0;
      let wanted = 0;
      let running2 = null;
      let then = [];
      let waiting = [];
      const names = book.chapters.flatMap(({ name: name2, was }) => [name2, ...was]);
      if (names.length) state.offer("chapter", names);
      const network = new Network(words);
      find("book-whole").append(network.element);
      function turn(by) {
        wanted = Math.min(book.chapters.length - 1, Math.max(0, wanted + by));
        book.open(book.chapters[wanted].name);
      }
      find("book-back").addEventListener("click", () => turn(-1));
      find("book-on").addEventListener("click", () => turn(1));
      find("book-whole").addEventListener("click", () => book.open(book.whole?.name));
      find("book-close").addEventListener("click", () => book.close());
      find("book-next").addEventListener("click", () => number2 + 1 < book.chapters.length ? turn(1) : book.close());
      box2.addEventListener("keydown", (event) => {
        const by = { PageDown: 1, PageUp: -1 }[event.key];
        if (by) turn(by);
        else if (event.key === "Escape") book.close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
      root.ownerDocument.addEventListener("keydown", (event) => {
        const by = { PageDown: 1, PageUp: -1 }[event.key];
        if (!by || !opened || event.defaultPrevented || !root.closest(".viz")?.classList.contains("viz-presented")) return;
        turn(by);
        event.preventDefault();
      });
      function begin(at) {
        leave();
        number2 = wanted = at;
        const chapter = book.chapters[at];
        opened = chapter.name;
        book.memory.chapter = opened;
        then = view?.payload.top ?? [];
        network.light(chapter.part);
        put(find("book-whole"), { hidden: !book.whole || chapter === book.whole });
        put(find("book-back"), { disabled: at === 0 });
        put(find("book-on"), { disabled: at === book.chapters.length - 1 });
        const next = book.chapters[at + 1];
        write(find("book-next"), next ? words.say("book_next", { title: plain(next.title) }) : words.say("book_end"));
        delete find("book-next").dataset.ready;
        const heading = document.createElement("h2");
        heading.innerHTML = chapter.title;
        if (chapter !== book.whole) heading.prepend(tagged("span", String(at)), " ");
        find("book-text").replaceChildren(heading, ...chapter.text.map(paragraph));
        task(0);
        intoView(box2);
      }
      function leave() {
        running2?.stop?.();
        running2 = null;
        waiting = [];
        opened = "";
        find("book-tasks").replaceChildren();
      }
      function paragraph(html, found = {}) {
        const line = document.createElement("p");
        waiting.push({ line, html, found });
        return line;
      }
      function fill() {
        if (!view) return;
        const seen = { view, words, then };
        waiting = waiting.filter(({ line, html, found }) => {
          const text3 = /\{\w+\}/.test(html) && !view?.map.values ? null : filled2(html, { ...seen, found });
          if (text3 === null) return true;
          line.innerHTML = text3;
          if (line.className === "viz-answer") speak(() => line.textContent ?? "");
          for (const term of line.querySelectorAll("[data-term]")) put(term, { role: "button", tabIndex: 0 });
          return false;
        });
      }
      function task(at) {
        const spec = book.chapters[number2].exercises[at];
        const before = find("book-tasks").lastElementChild;
        if (!spec) {
          find("book-next").dataset.ready = "true";
          book.memory.finished(opened);
          if (before) reveal(before);
          return find("book-next");
        }
        const item = document.createElement("div");
        item.className = "viz-task";
        item.tabIndex = -1;
        const place2 = document.createElement("div");
        place2.className = "viz-task-body";
        if (spec.question) {
          const question = paragraph(spec.question);
          question.className = "viz-question";
          item.append(question);
        }
        item.append(place2);
        find("book-tasks").append(item);
        const own = opened;
        const known = exercises2.find(({ kind }) => kind === spec.kind);
        if (!known) {
          place2.append(tagged("p", words.say("book_strange", { kind: spec.kind })));
          return item;
        }
        let isDone = false;
        running2 = known.mount(place2, {
          spec,
          name: `${opened}/${at}`,
          chapter: number2,
          state,
          words,
          colours,
          ask: (kind, what) => ask(kind, view?.payload.run ?? "", what),
          open: (link) => book.road.open(link),
          here: () => book.road.here(),
          book,
          done: (found) => {
            if (own !== opened) return;
            if (spec.answer) {
              item.querySelector(".viz-answer")?.remove();
              const answer = paragraph(spec.answer, found);
              answer.className = "viz-answer";
              item.append(answer);
              fill();
            }
            if (isDone) return;
            isDone = true;
            const hasFocus = item.contains(root.ownerDocument.activeElement);
            item.dataset.done = "true";
            later(() => {
              if (own !== opened) return;
              const before2 = running2;
              others.push(before2);
              const next = task(at + 1);
              if (hasFocus) next.focus({ preventScroll: true });
              if (running2 === before2) running2 = null;
              if (view) show(view);
            });
          }
        });
        if (view) running2?.show?.(view);
        if (before) reveal(before);
        return item;
      }
      function reveal(item) {
        const found = item.querySelector(".viz-pairs, table, .viz-guesses, .viz-verdict:not(:empty), .viz-answer");
        if (found) intoView(found);
      }
      let depth = "";
      let others = [];
      function show(shown) {
        view = shown;
        const at = book.at(view.chapter);
        put(box2, { hidden: at < 0 });
        if (at < 0) return opened && leaveAll();
        if (book.chapters[at].name !== opened) {
          const focused = (
            /** @type {HTMLElement | null} */
            box2.contains(root.ownerDocument.activeElement) ? root.ownerDocument.activeElement : null
          );
          leaveAll();
          begin(at);
          if (focused && (!focused.isConnected || focused.hidden)) box2.focus({ preventScroll: true });
        } else if (view.depth !== depth) {
          const asked = find("book-tasks").lastElementChild;
          later(() => asked && intoView(asked));
        }
        depth = view.depth;
        fill();
        network.show(view, words.say(...nameKey("chip", view.payload.readout)));
        for (const one of [...others, running2]) one?.show?.(view);
      }
      function leaveAll() {
        for (const one of others) one?.stop?.();
        others = [];
        leave();
      }
      return { show };
    }
  };

  // panels/cross.js
  var FEW = 12;
  var MOST3 = 400;
  var panel_cross = {
    name: "cross",
    place: "explore",
    order: 7,
    html: `
    <div class="viz-line viz-cross-line" hidden>
      <label title="$cross_help">$cross</label>
      <select class="viz-cross-block"></select>
      <input class="viz-cross-query" type="number" min="1" step="1" title="$cross_query" aria-label="$cross_query" />
      <span class="viz-chips viz-cross-chips" role="group" aria-label="$cross_chips"></span>
    </div>`,
    keys: { Escape: "key_back" },
    mount(root, { state, words }) {
      const find = finder(root);
      let view = null;
      let chips = [];
      let named = "";
      let seen = null;
      pair(root.querySelector("label"), find("cross-block"));
      bind(find("cross-block"), "change", state, ({ value }) => ({ crossBlock: value === "" ? null : Number(value), hover: null }));
      find("cross-query").addEventListener("input", ({ target }) => {
        const number2 = Number(target.value);
        if (Number.isInteger(number2) && number2 >= 1) look(number2 - 1);
      });
      const lastBlock = () => view.payload.cross.length - 1;
      const look = (query) => state.set({ crossQuery: query, crossBlock: view.crossBlock ?? lastBlock(), hover: null });
      function begin({ cross }) {
        find("cross-line").hidden = !cross.length;
        const options = cross.map(({ name: name2 }, block) => {
          return new Option(words.say("cross_block", { n: block + 1, all: cross.length, name: name2 }), String(block));
        });
        find("cross-block").replaceChildren(new Option(words.say("cross_off"), ""), ...options);
        named = "";
      }
      function nameChips(queries) {
        const many = queries.length > FEW;
        chips = queries.slice(0, MOST3).map((name2, query) => {
          const chip = document.createElement("button");
          chip.textContent = many ? String(query + 1) : words.say(...nameKey("chip", name2));
          chip.title = words.say(...nameKey("name", name2));
          chip.onclick = () => isShown(query) ? state.set({ crossBlock: null }) : look(query);
          return chip;
        });
        find("cross-chips").replaceChildren(...chips);
        find("cross-query").hidden = !many;
        find("cross-query").max = queries.length;
      }
      const isShown = (query) => view.crossBlock !== null && view.crossQuery === query;
      function show(shown) {
        view = shown;
        const { cross } = view.payload;
        if (!cross.length) return;
        const { queries } = cross[view.crossBlock ?? lastBlock()];
        if (named !== queries.join()) nameChips(queries);
        named = queries.join();
        find("cross-block").value = view.crossBlock === null ? "" : String(view.crossBlock);
        if (document.activeElement !== find("cross-query")) find("cross-query").value = view.crossQuery + 1;
        for (const [query, chip] of chips.entries()) chip.setAttribute("aria-pressed", String(isShown(query)));
        const pressed = view.crossBlock === null ? null : chips[view.crossQuery];
        if (pressed && pressed !== seen) find("cross-chips").scrollTop = pressed.offsetTop - chips[0].offsetTop;
        seen = pressed;
      }
      function press2() {
        if (!view || view.crossBlock === null || view.tool) return false;
        state.set({ crossBlock: null });
      }
      return { reset: begin, swap: begin, show, press: press2 };
    }
  };

  // panels/doors.js
  var KEYS = { n: "steps", t: "teach", o: "score", a: "atlas" };
  var panel_doors = {
    name: "doors",
    place: "doors",
    order: 10,
    html: `
    <button class="viz-number" aria-pressed="false" title="$number_help">$number</button>
    <button class="viz-judge" aria-pressed="false" title="$judge_help"></button>
    <button class="viz-teach-open" aria-pressed="false" title="$teach_help">$teach</button>
    <button class="viz-learn" title="$book_help">$book_open</button>`,
    keys: { n: "key_number", a: "key_atlas", o: "key_object", t: "key_teach", b: "key_book" },
    shows: ({ depth, isReading }) => depth === "picture" && !isReading,
    mount(root, { state, words, book }) {
      const find = finder(root);
      const turn = (key) => state.set(openOnly(state.get(key) ? null : key));
      find("number").addEventListener("click", () => turn("steps"));
      find("judge").addEventListener("click", () => turn("score"));
      find("teach-open").addEventListener("click", () => turn("teach"));
      find("learn").addEventListener("click", () => book.open());
      function show(view) {
        put(find("number"), { "aria-pressed": view.steps });
        put(find("teach-open"), { "aria-pressed": view.teach });
        put(find("judge"), { "aria-pressed": view.score });
        for (const one of ["judge", "teach-open"]) put(find(one), { hidden: view.isReading });
        put(find("learn"), { hidden: view.isReading || !book.chapters.length });
        write(find("judge"), words.say(view.truth.target ? "judge_known" : "judge_mark"));
      }
      function press2(key) {
        if (key !== "b") return turn(KEYS[key]);
        if (state.get("chapter")) book.close();
        else book.open();
      }
      return { show, press: press2 };
    }
  };

  // panels/fusion.js
  var buttons = FUSIONS.map((name2) => `<button data-set="fusion" data-value="${name2}" title="$${name2}_help">$${name2}</button>`);
  var panel_fusion = {
    name: "fusion",
    place: "show",
    order: 10,
    html: `
    <label><span data-term="head fusion">$fusion_label</span></label>
    <span class="viz-group" role="group" aria-label="$fusion_label">${buttons.join("")}</span>
    <label class="viz-skip-box"><span data-term="skip rollout">$skip</span>
      <input class="viz-skip" type="range" min="0.05" max="0.95" step="0.05" value="0.5" /><output class="viz-skip-value"></output>
    </label>`,
    mount(root, { state }) {
      const find = finder(root);
      const fusion = new Choice(root, state);
      bind(find("skip"), "input", state, ({ value }) => ({ skipWeight: Number(value) }));
      function show(view) {
        fusion.show(view.isOne ? null : fusedAs(view));
        put(find("skip-box"), { hidden: !view.payload.canRoll });
        if (Number(find("skip").value) !== view.skipWeight) find("skip").value = view.skipWeight;
        write(find("skip-value"), percent(view.skipWeight));
      }
      return { show };
    }
  };

  // panels/headline.js
  var HALF = 0.5;
  var panel_headline = {
    name: "headline",
    place: "told",
    order: 10,
    html: `<h2 class="viz-headline"></h2>`,
    shows: ({ depth, isReading }) => depth === "picture" && !isReading,
    mount(root, { words }) {
      const line = finder(root)("headline");
      function show(view) {
        const [[label] = [""]] = view.payload.top;
        const says = label && !view.payload.caution ? words.say("headline_says", { label }) : "";
        write(line, words.told([says, halfOf(words, view)]));
      }
      return { show };
    }
  };
  function halfOf(words, view) {
    const { map, kind, isWhole } = view;
    const found = map.values && spread(map.values, map.layout, HALF);
    if (!found) return "";
    const about = isWhole || kind === "to" ? kind : "map";
    return words.say(`headline_${about}`, {
      name: plainName(words, view.query, view.here.queries),
      patches: found.patches,
      all: found.all
    });
  }

  // drawing/strip.js
  var GAP3 = 3;
  var NAMED = 16;
  var hasName = (n, all) => all <= NAMED || n % 5 === 0;
  var Strip = class {
    /** @param {HTMLElement} box with a canvas, the slider, and a place for names below them */
    constructor(box2) {
      this.box = box2;
      const canvas = this.canvas = /** @type {HTMLCanvasElement} */
      box2.querySelector("canvas");
      this.names = "";
      this.onPage = new Measured(canvas, () => [canvas.clientWidth, canvas.clientHeight]);
      this.sheet = document.createElement("canvas");
      this.image = null;
      const slider = box2.querySelector("input");
      let before = slider.value;
      slider.addEventListener("pointerdown", () => before = slider.value);
      slider.addEventListener("pointercancel", () => {
        slider.value = before;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
    /** Paint one map in each of as many places as there are cells. @param {Cell[]} cells @param {import("./colour.js").ColourMap} map */
    draw(cells, map) {
      const [width, height] = this.onPage.now;
      if (!width || !height) return;
      const ratio = window.devicePixelRatio || 1;
      const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (this.canvas.width !== across || this.canvas.height !== down) Object.assign(this.canvas, { width: across, height: down });
      const context = this.canvas.getContext("2d");
      const step = across / cells.length;
      const gap = Math.min(GAP3 * ratio, step / 8);
      context.clearRect(0, 0, across, down);
      context.imageSmoothingQuality = "medium";
      cells.forEach((cell, i) => {
        const x = i * step + gap / 2;
        const w = step - gap;
        const aspect = cell ? cell.layout.grid[0] / cell.layout.grid[1] : 1;
        const [wide, high] = aspect * w > down ? [down / aspect, down] : [w, aspect * w];
        const place2 = [x + (w - wide) / 2, (down - high) / 2, wide, high];
        if (!cell) {
          context.fillStyle = "rgba(128, 128, 128, 0.15)";
          return context.fillRect(...place2);
        }
        const { values, layout, reach } = cell;
        const [rows, cols] = layout.grid;
        this.fit(cols, rows);
        map.fill(this.pixels, cols, 0, 0, values, layout.first, layout.grid, cell.high || 1, 255, reach);
        if (reach) hatchBelow(context, place2, ratio);
        this.sheet.getContext("2d").putImageData(this.image, 0, 0);
        context.imageSmoothingEnabled = wide < cols;
        context.drawImage(this.sheet, ...place2);
      });
    }
    /** Say how many places there are, and write the name of each below it; "" for none. @param {string[]} names */
    name(names) {
      if (this.names === names.join("|")) return;
      this.names = names.join("|");
      this.box.style.setProperty("--count", String(names.length));
      const spans = names.map((textContent) => Object.assign(document.createElement("span"), { textContent }));
      this.box.querySelector(".viz-strip-names")?.replaceChildren(...spans);
    }
    fit(width, height) {
      if (this.image?.width === width && this.image.height === height) return;
      Object.assign(this.sheet, { width, height });
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
  };

  // panels/heads.js
  var panel_heads = {
    name: "heads",
    place: "explore",
    order: 20,
    html: `
    <div class="viz-strip-title">
      <label><span data-term="head">$head</span></label>
      <output class="viz-head-value"></output>
      <button class="viz-wide" title="$atlas_help"></button>
    </div>
    <div class="viz-strip viz-head-strip">
      <canvas></canvas>
      <input class="viz-head" type="range" min="0" max="1" step="1" value="0" />
      <div class="viz-strip-names" aria-hidden="true"></div>
    </div>`,
    keys: { ",": "key_head", ".": "key_head" },
    shows: ({ depth }) => depth !== "wide",
    mount(root, { state, words, colours }) {
      const find = finder(root);
      const strip = new Strip(find("head-strip"));
      let view = null;
      pair(root.querySelector("label"), find("head"));
      find("head").addEventListener("input", ({ target }) => choose(Number(target.value)));
      find("wide").addEventListener("click", () => state.set(openOnly("atlas")));
      function choose(at) {
        if (!view) return;
        if (at > view.here.heads) state.set({ method: "rollout", fusion: fusedAs(view) });
        else if (at > 0) state.set({ head: at - 1, fusion: "one", method: "attention" });
        else state.set({ fusion: fusedAs(view), method: "attention" });
      }
      function placeOf({ method, isOne, head, here }) {
        if (method === "rollout") return here.heads + 1;
        return isOne ? head + 1 : 0;
      }
      function cellsOf(view2) {
        const { cells, layer, heads, here, crossed } = view2;
        if (crossed) return crossed.cells;
        const row2 = cells[layer];
        return [row2[heads], ...row2.slice(0, here.heads), ...rolls(view2) ? [row2[heads + 1]] : []];
      }
      const rolls = ({ payload, isReading, needs, method }) => payload.canRoll && (!isReading || needs.includes("fusion") || method === "rollout");
      function draw(next) {
        strip.draw(cellsOf(next), colourOf(colours, next));
      }
      function show(shown) {
        view = shown;
        const all = view.here.heads;
        const count = all + 1 + Number(rolls(view) && !view.crossed);
        put(find("head"), { max: count - 1, value: placeOf(view), "aria-valuetext": nameOf5(placeOf(view)) });
        write(find("head-value"), view.isOne ? words.say("of", { n: view.head + 1, all }) : words.say("all"));
        write(find("wide"), words.say("atlas_open", { n: view.payload.layers.reduce((sum3, { heads }) => sum3 + heads, 0) }));
        const numberOf = (n) => hasName(n, all) && (hasName(1, all) || n < all - 2) ? String(n) : "";
        strip.name(Array.from({ length: count }, (_, i) => i === 0 || i > all ? nameOf5(i) : numberOf(i)));
      }
      function nameOf5(place2) {
        if (place2 === 0) return words.say(fusedAs(view));
        return place2 > view.here.heads ? words.say("rollout_short") : words.say("head_n", { n: place2 });
      }
      function press2(key) {
        const next = view.isOne ? view.head + (key === "," ? -1 : 1) : view.head;
        const head = Math.min(Math.max(0, next), view.here.heads - 1);
        state.set({ head, fusion: "one", method: "attention" });
      }
      return { draw, show, press: press2 };
    }
  };

  // panels/invite.js
  var KEY = "vizapp-pointed";
  var panel_invite = {
    name: "invite",
    place: "stage",
    order: 25,
    html: `<p class="viz-invite">$invite</p>`,
    mount(root) {
      const line = finder(root)("invite");
      let isFollowed = wasFollowed();
      function show({ hovered, pinned, guess, isReading, depth }) {
        if (!isFollowed && (hovered || pinned)) isFollowed = remember();
        put(line, { hidden: isFollowed || guess !== null || isReading || depth !== "picture" });
      }
      return { show };
    }
  };
  function wasFollowed() {
    try {
      return localStorage.getItem(KEY) !== null;
    } catch {
      return false;
    }
  }
  function remember() {
    try {
      localStorage.setItem(KEY, "1");
    } catch {
    }
    return true;
  }

  // panels/layers.js
  var STEP = 600;
  var CALM_STEP = 1500;
  var panel_layers = {
    name: "layers",
    place: "explore",
    order: 10,
    html: `
    <div class="viz-strip-title">
      <label><span data-term="layer">$layers</span></label>
      <output class="viz-layer-value"></output>
      <span class="viz-opens">
        <details class="viz-more viz-opens-more">
          <summary title="$opens_more" aria-label="$opens_more">?</summary>
          <div class="viz-more-panel"><p class="viz-opens-said"></p><p class="viz-opens-why"></p></div>
        </details>
      </span>
    </div>
    <div class="viz-strip-row">
      <button class="viz-play" aria-pressed="false" title="$play_help" aria-label="$play_help">&#9654;</button>
      <div class="viz-strip viz-layer-strip">
        <canvas></canvas>
        <input class="viz-layer" type="range" min="1" max="1" step="1" value="1" />
        <div class="viz-strip-names" aria-hidden="true"></div>
      </div>
    </div>`,
    keys: { "[": "key_layer", "]": "key_layer", " ": "key_play" },
    shows: ({ depth }) => depth !== "wide",
    mount(root, { state, words, colours }) {
      const find = finder(root);
      const strip = new Strip(find("layer-strip"));
      let playing = 0;
      let from = "";
      let view = null;
      closing(find("opens-more"));
      pair(root.querySelector("label"), find("layer"));
      bind(find("layer"), "input", state, ({ value }) => ({ layer: value - 1, crossBlock: null }));
      find("play").addEventListener("click", () => view && play());
      const go = (layer) => state.set({ layer: Math.min(Math.max(0, layer), view.payload.layers.length - 1), crossBlock: null });
      function begin({ layers }) {
        const all = layers.length;
        const nameOf5 = (n) => n === 1 || hasName(n, all) ? String(n) : "";
        strip.name(layers.map((_, i) => nameOf5(i + 1)));
      }
      function play() {
        if (playing) {
          stop();
        } else {
          const calm = isStill();
          playing = setInterval(step, calm ? CALM_STEP : STEP);
          from = placeOf(view);
          go(0);
        }
        showPlayer();
      }
      function step() {
        if (view.layer + 1 < view.payload.layers.length) return go(view.layer + 1);
        stop();
        showPlayer();
      }
      const placeOf = ({ depth, chapter, guess, payload }) => [depth, chapter, guess === null, payload.id].join();
      function stop() {
        clearInterval(playing);
        playing = 0;
      }
      function showPlayer() {
        put(find("play"), { "aria-pressed": Boolean(playing) });
        write(find("play"), playing ? "‖" : "▶");
      }
      function drawLater(next) {
        const maps = next.cells.map((row2) => row2[next.column]);
        strip.draw(maps, colourOf(colours, next));
      }
      function show(shown) {
        view = shown;
        if (playing && from !== placeOf(view)) stop();
        const all = view.payload.layers.length;
        put(find("layer"), { max: all, value: view.layer + 1 });
        const { opens } = view;
        put(find("opens-more"), { hidden: opens.layer === all - 1 && !opens.mark && Boolean(view.payload.lesson) });
        write(find("layer-value"), words.say("of", { n: view.layer + 1, all }));
        showPlayer();
        showOpening(view);
      }
      function showOpening({ opens, payload }) {
        const all = payload.layers.length;
        const name2 = words.say(...nameKey("name", payload.readout));
        const said = { layer: opens.layer + 1, all, name: name2, mark: opens.mark, nats: opens.nats.toFixed(2) };
        const kind = opens.mark ? "mark" : opens.isEven ? "even" : "own";
        write(find("opens-said"), words.say(`opens_on_${kind}`, said));
        write(find("opens-why"), words.told([words.say(`opens_why_${kind}`, said), words.say("opens_stays")]));
      }
      function press2(key) {
        if (key === " ") play();
        else go(view.layer + (key === "[" ? -1 : 1));
      }
      return { reset: begin, swap: begin, drawLater, show, press: press2, stop };
    }
  };

  // drawing/bar.js
  function legendOf(words, view) {
    const { high, values } = view.map;
    const isWindow = view.reach && view.here.windowed && view.phrase.startsWith("from");
    const isApart = view.phrase === "to" && view.even === null;
    const kind = isApart ? "to_apart" : isWindow ? view.phrase.replace("from", "window") : view.phrase;
    const part2 = percent(high / view.onPatches);
    return {
      high: words.say(`legend_${kind}`, { share: percent(high), times: times(high * view.even), part: part2 }),
      low: values?.some((value) => value < 0) ? "≤ 0" : "0"
    };
  }
  function barOf(colour, canvas = Object.assign(document.createElement("canvas"), { width: 256, height: 1 })) {
    const context = canvas.getContext("2d");
    for (let i = 0; i < 256; i++) {
      context.fillStyle = colour.css(i / 255);
      context.fillRect(i, 0, 1, 1);
    }
    return canvas;
  }

  // panels/legend.js
  var panel_legend = {
    name: "legend",
    place: "stage",
    order: 30,
    shows: ({ opacity }) => opacity > 0,
    html: `
    <div class="viz-legend">
      <span class="viz-shut" hidden><i></i><span></span></span><span class="viz-low">0</span><canvas class="viz-bar" width="256" height="1"></canvas><span class="viz-high" data-term="uniform"></span>
    </div>`,
    mount(root, { words, colours }) {
      const find = finder(root);
      let painted2 = null;
      function show(view) {
        const colour = colourOf(colours, view);
        if (painted2 !== colour) barOf(painted2 = colour, find("bar"));
        const { low, high } = legendOf(words, view);
        write(find("high"), high);
        write(find("low"), low);
        put(find("shut"), { hidden: !view.reach });
        if (view.reach) write(find("shut").lastChild, words.say(unseen(view.here)));
        const explains = termsOf(view);
        if (find("high").dataset.term !== explains) find("high").dataset.term = explains;
      }
      return { show };
    }
  };
  function unseen({ windowed, mask }) {
    if (!windowed) return "legend_hidden";
    return mask === void 0 ? "legend_outside" : "legend_outside_or_hidden";
  }
  function termsOf({ phrase, fusion, reach, here }) {
    if (phrase.endsWith(`_${fusion}`)) return "fusion";
    if (phrase.endsWith("_few")) return "attention cls";
    return reach && here.windowed && phrase === "from" ? "uniform window" : "uniform";
  }

  // panels/lesson.js
  var panel_lesson = {
    name: "lesson",
    place: "maps",
    order: 18,
    // above what is measured
    // Whoever has chosen a picture is asked about it. The page that nobody has touched yet has the door "Does it find the object?".
    shows: ({ depth, isReading, question }) => depth === "score" || depth === "picture" && !isReading && question,
    html: `
    <div class="viz-lesson" hidden>
      <p class="viz-lesson-asks"></p>
      <button class="viz-lesson-answer" aria-expanded="false">$lesson_answer</button>
      <span class="viz-lesson-walk"><button class="viz-lesson-back" aria-label="$lesson_back">‹</button><output class="viz-lesson-at"></output><button class="viz-lesson-on" aria-label="$lesson_on">›</button></span>
      <p class="viz-lesson-says" hidden></p>
    </div>`,
    mount(root, { words, book }) {
      const find = finder(root);
      const speak = speaker(find("lesson-says"));
      let view = null;
      let isOpen = false;
      const go = (by) => {
        const lesson = view?.payload.lesson;
        if (!lesson) return;
        const number2 = (lesson.number + by + lesson.of) % lesson.of;
        book.road.open(book.road.here().replace(/picture=[^&]*/, `picture=lesson/${lesson.name}/${number2}`));
      };
      find("lesson-back").addEventListener("click", () => go(-1));
      find("lesson-on").addEventListener("click", () => go(1));
      find("lesson-answer").addEventListener("click", () => {
        isOpen = !isOpen;
        if (view) show(view);
        speak(() => find("lesson-says").textContent);
      });
      const begin = () => isOpen = false;
      function show(shown) {
        view = shown;
        const { lesson } = view.payload;
        put(find("lesson"), { hidden: !lesson || view.shapes.length > 0 });
        if (!lesson) return;
        write(find("lesson-asks"), lesson.question);
        write(find("lesson-at"), words.say("lesson_at", { title: lesson.title, n: lesson.number + 1, of: lesson.of }));
        put(find("lesson-answer"), { "aria-expanded": isOpen });
        put(find("lesson-says"), { hidden: !isOpen });
        if (isOpen) write(find("lesson-says"), answer(view));
      }
      function answer({ payload, truth, map, selected }) {
        const [[label, share] = ["", 0]] = payload.top;
        const isRight = payload.lesson?.answers.includes(label);
        const said = words.say(isRight ? "lesson_right" : "lesson_wrong", {
          label,
          share: percent(share),
          truth: words.list([...new Set(payload.lesson?.answers)])
        });
        if (!map.values || !selected) return label ? said : words.say("arriving");
        const values = map.values.subarray(map.layout.first);
        const each = truth.parts.map(({ name: name2, on }) => {
          const target = on(map.layout.grid);
          return words.say("lesson_part", {
            name: name2,
            share: percent(METRICS.energy(values, target) ?? 0),
            area: percent(target.area)
          });
        });
        const where = mapName(words, view, selected);
        const patches = percent(view?.onPatches ?? 1);
        return words.told([label ? said : "", words.say("lesson_map", { where, patches, parts: words.list(each) })]);
      }
      return { reset: begin, swap: begin, show };
    }
  };

  // panels/look.js
  var FLAGS = { "by-value": "byValue", smooth: "smooth", grid: "grid" };
  var scales = SCALES.map((name2) => `<option value="${name2}">$scale_${name2}</option>`);
  var panel_look = {
    name: "look",
    place: "look",
    order: 10,
    html: `
    <div class="viz-row viz-look">
      <label><span data-term="scale">$scale</span> <select class="viz-scale">${scales.join("")}</select></label>
      <label class="viz-fixed-box" title="$fixed_help"><input class="viz-fixed" type="number" min="0.1" max="100" step="0.5" value="5" />&#8201;%</label>
      <label title="$colours_help">$colours <select class="viz-colours"></select></label>
      <label title="$opacity_help">$opacity <input class="viz-opacity" type="range" min="0" max="1" step="0.05" /></label>
      <label title="$by_value_help"><input class="viz-by-value" type="checkbox" checked /> $by_value</label>
      <label title="$smooth_help"><input class="viz-smooth" type="checkbox" /> $smooth</label>
      <label title="$grid_help"><input class="viz-grid" type="checkbox" checked /> $grid</label>
    </div>`,
    mount(root, { state, colours }) {
      const find = finder(root);
      find("colours").append(...Object.keys(colours).map((name2) => new Option(name2)));
      state.offer("colours", Object.keys(colours));
      bind(find("scale"), "change", state, ({ value }) => ({ scale: value }));
      bind(find("fixed"), "input", state, ({ value }) => ({ fixed: Math.min(1, Math.max(1e-3, value / 100)) }));
      bind(find("colours"), "change", state, ({ value }) => ({ colours: value }));
      bind(find("opacity"), "input", state, ({ value }) => ({ opacity: Number(value) }));
      for (const [name2, key] of Object.entries(FLAGS)) bind(find(name2), "change", state, ({ checked }) => ({ [key]: checked }));
      function show(view) {
        put(find("fixed-box"), { hidden: view.scale !== "fixed" });
        for (const name2 of ["scale", "colours"]) if (find(name2).value !== view[name2]) find(name2).value = view[name2];
        if (Number(find("opacity").value) !== view.opacity) find("opacity").value = view.opacity;
        for (const [name2, key] of Object.entries(FLAGS)) find(name2).checked = view[key];
        if (view.scale === "fixed" && document.activeElement !== find("fixed"))
          find("fixed").value = Number((100 * view.fixed).toFixed(3));
      }
      return { show };
    }
  };

  // panels/notes.js
  var panel_notes = {
    name: "notes",
    place: "top",
    order: 10,
    html: `<div class="viz-notes" role="note"></div>`,
    mount(root, { words }) {
      const notes = finder(root)("notes");
      const begin = (payload) => notes.textContent = words.told(payload.notes);
      return { reset: begin, swap: begin };
    }
  };

  // panels/pages.js
  var panel_pages = {
    name: "pages",
    place: "told",
    order: 7,
    html: `
    <p class="viz-pages" role="group">
      <button type="button" class="viz-page-before" aria-label="$page_before" title="$page_before">‹</button>
      <span class="viz-page" aria-live="polite"></span>
      <button type="button" class="viz-page-next" aria-label="$page_next" title="$page_next">›</button>
    </p>`,
    shows: ({ payload }) => Boolean(payload.pages),
    mount(root, { words, turn }) {
      const find = finder(root);
      let [page, last] = [1, 1];
      const [before, next] = [find("page-before"), find("page-next")];
      before.addEventListener("click", () => page > 1 && turn?.(page - 1));
      next.addEventListener("click", () => page < last && turn?.(page + 1));
      function begin({ pages }) {
        if (!pages) return;
        [page, last] = [pages.page, pages.pages];
        write(find("page"), words.say(pages.isAll ? "page_of" : "page_of_least", { page, pages: last }));
        const isFixed = !turn || !pages.turns;
        put(before, { hidden: isFixed, "aria-disabled": page === 1 });
        put(next, { hidden: isFixed, "aria-disabled": page === last });
      }
      return { reset: begin, swap: begin };
    }
  };

  // panels/prediction.js
  var UNSEEN = 5e-3;
  var FIRST = 3;
  var WORTH = 0.01;
  var panel_prediction = {
    name: "prediction",
    place: "found",
    order: 60,
    html: `<p class="viz-cut"></p><p class="viz-caution"></p><div class="viz-prediction"></div>
    <button class="viz-labels-more" aria-expanded="false">$labels_more</button>`,
    state: { labels: passing(flag(false)) },
    // whether all labels are listed
    shows: ({ depth, isReading }) => depth === "picture" && !isReading,
    mount(root, { state, words }) {
      const find = finder(root);
      find("labels-more").addEventListener("click", () => state.set({ labels: !state.get("labels") }));
      const begin = ({ top, window: window2, caution }) => {
        find("prediction").replaceChildren(...top.map(rowOf));
        find("prediction").dataset.doubtful = String(Boolean(caution));
        write(find("caution"), caution);
        write(find("cut"), cutInWords(words, window2));
      };
      function show({ labels, payload }) {
        [...find("prediction").children].forEach((row2, i) => put(row2, { hidden: i >= FIRST && !labels }));
        put(find("labels-more"), { hidden: !labels && !(payload.top[FIRST]?.[1] >= WORTH), "aria-expanded": labels });
        write(find("labels-more"), words.say(labels ? "labels_fewer" : "labels_more"));
      }
      return { reset: begin, swap: begin, show };
    }
  };
  function cutInWords(words, [left, top, right, bottom]) {
    const inside = (from, to) => Math.min(1, to) - Math.max(0, from);
    const [wide, high] = [inside(left, right), inside(top, bottom)];
    const isCut = [wide, high].map((share) => share < 1 - UNSEEN);
    const key = isCut[0] ? isCut[1] ? "cut_edges" : "cut_sides" : "cut_ends";
    return isCut.includes(true) ? words.say(key, { share: percent(wide * high) }) : "";
  }
  function rowOf([label, share]) {
    const row2 = document.createElement("div");
    row2.innerHTML = "<i></i><span></span><span></span>";
    const [bar, name2, value] = (
      /** @type {HTMLCollectionOf<HTMLElement>} */
      row2.children
    );
    bar.style.width = `${100 * share}%`;
    name2.textContent = label;
    value.textContent = percent(share);
    return row2;
  }

  // panels/present.js
  var STEPS2 = [...Object.keys(OPENS), "chapter", "pinned", "tool"];
  var panel_present = {
    name: "present",
    place: "stage",
    order: 3,
    html: `<button class="viz-present viz-icon" aria-pressed="false" title="$present_help" aria-label="$present"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg></button>`,
    keys: { p: "key_present", Escape: "key_back" },
    mount(root, { state, book }) {
      const button = finder(root)("present");
      const page = root.ownerDocument;
      const whole2 = () => root.closest(".viz");
      const stage = () => (
        /** @type {HTMLElement} */
        whole2().querySelector(".viz-stage")
      );
      const where = () => JSON.stringify(STEPS2.map((key) => state.get(key)));
      let began = "";
      function turn(isOn2) {
        whole2().classList.toggle("viz-presented", isOn2);
        button.setAttribute("aria-pressed", String(isOn2));
        began = where();
        if (isOn2) {
          stage().focus({ preventScroll: true });
          whole2().requestFullscreen?.().catch(() => {
          });
        } else if (page.fullscreenElement === whole2()) page.exitFullscreen();
      }
      const isOn = () => whole2().classList.contains("viz-presented");
      button.addEventListener("click", () => turn(!isOn()));
      page.addEventListener("fullscreenchange", () => {
        if (page.fullscreenElement === whole2() || !isOn()) return;
        whole2().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
      });
      page.defaultView.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || event.key !== "Escape" || !isOn()) return;
        event.preventDefault();
        const isElsewhere = where() !== began;
        if (isElsewhere && depthOf(state.all()) !== "picture") state.set(openOnly(null));
        else if (isElsewhere && state.get("chapter")) book.close();
        else turn(false);
      });
      function press2(key) {
        if (key === "Escape" && (!isOn() || where() !== began)) return false;
        turn(!isOn());
      }
      return { press: press2 };
    }
  };

  // panels/proof.js
  var REST3 = 700;
  var panel_proof = {
    name: "proof",
    place: "found",
    order: 50,
    shows: ({ depth, isReading }) => depth === "picture" && !isReading,
    html: `
    <div class="viz-model">
      <p class="viz-says"></p>
      <details class="viz-proof" data-state="none">
        <summary title="$proof_help">$proof_mark</summary>
        <div class="viz-proof-panel" tabindex="0" role="region" aria-label="$proof_help">
          <div class="viz-proof-said"></div>
          <div class="viz-proof-table">
            <table>
              <thead><tr><th colspan="2">$proof_layer</th><th>$proof_shape</th><th>$proof_tokens</th><th>$proof_error</th><th>$proof_sum</th></tr></thead>
              <tbody class="viz-proof-layers"></tbody>
            </table>
            <p><b>$proof_layer</b>: $proof_layer_help <b>$proof_shape</b>: $proof_shape_help <b>$proof_tokens</b>: $proof_tokens_help
              <b>$proof_error</b>: $proof_error_help <b>$proof_sum</b>: $proof_sum_help</p>
          </div>
        </div>
      </details>
    </div>`,
    mount(root, { ask, words }) {
      const find = finder(root);
      const mark = find("proof");
      const summary = mark.firstElementChild;
      let now = null;
      async function begin(payload) {
        if (payload.model !== now?.model) setState("none");
        now = payload;
        write(find("says"), words.say(payload.top.length ? "prediction" : "no_prediction", { model: payload.model }));
        if (payload.film) await new Promise((over) => later(() => over(), REST3));
        if (payload !== now) return;
        const found = await ask("proof", payload.run);
        if (payload !== now) return;
        if (found.layers) showFound(payload, found);
        else if (found.rounded) showRounded(found.rounded);
        else if (found.untested) showUntested(found.untested);
        else setState("none");
      }
      function setState(state) {
        mark.dataset.state = state;
        if (state === "none") mark.open = false;
      }
      function showFound(payload, found) {
        tell(found.caution ? "proof_mark_part" : "proof_mark", [
          ...found.caution ? [found.caution] : [],
          ...found.details,
          words.say("proof_how", { model: payload.model }),
          words.say("proof_found", { worst: tiny(found.worst), tolerance: tiny(found.tolerance) }),
          counted(words, found),
          words.say("proof_unchanged", { changed: tiny(found.changed) }),
          words.say("proof_browser")
        ]);
        const numbers2 = new Map(payload.layers.map(({ name: name2 }, layer) => [name2, layer + 1]));
        find("proof-layers").replaceChildren(...found.layers.map((layer) => rowOf2(layer, numbers2)));
        setState("exact");
      }
      function showUntested(reason) {
        tell("proof_mark_untested", [words.say("proof_untested", { reason })]);
        setState("untested");
      }
      function showRounded(sentences2) {
        tell("proof_mark_rounded", sentences2, "proof_rounded_help");
        setState("rounded");
      }
      function tell(word, sentences2, help = "proof_help") {
        Object.assign(summary, { textContent: words.say(word), title: words.say(help) });
        find("proof-said").replaceChildren(...sentences2.map((sentence) => tagged("p", sentence)));
      }
      closing(mark);
      const stop = () => {
        now = null;
      };
      return { reset: begin, swap: begin, stop };
    }
  };
  function counted(words, { softmaxes, seen, elsewhere }) {
    if (softmaxes <= seen) return words.say("proof_all", { softmaxes });
    const names = words.list(elsewhere);
    return words.say(elsewhere.length ? "proof_some_named" : "proof_some", { softmaxes, seen, names });
  }
  function rowOf2([name2, shape, tokens, error, rowSum], numbers2) {
    const row2 = document.createElement("tr");
    const sum3 = rowSum === null ? "–" : rowSum ? `1 ± ${tiny(rowSum)}` : "1";
    const cells = [numbers2.get(name2) ?? "", name2, shape ? shape.join(" × ") : "", tokens, tiny(error), sum3];
    row2.append(...cells.map((text3) => tagged("td", text3)));
    return row2;
  }

  // numbers/guess.js
  var REACH = 1;
  var ROUNDS = 3;
  function scoreGuess(values, layout, cells) {
    const { first, grid } = layout;
    const [rows, cols] = grid;
    const patches = Array.from(values.subarray(first, first + rows * cols), (value) => Math.max(0, value));
    const n = cells.length;
    const whole2 = patches.reduce((a, b) => a + b, 0);
    if (!n || !(whole2 > 0)) return null;
    const around = patches.map((_, at) => regionOf([Math.floor(at / cols), at % cols], grid));
    const sum3 = (some2) => [...new Set(some2.flatMap((at) => around[at]))].reduce((all, at) => all + patches[at], 0);
    const mine = sum3(cells.map(([row2, col]) => row2 * cols + col));
    const best = Math.max(mine, sum3(bestPlaces(patches, around, n)));
    return { mine: mine / best, centre: middle(patches, grid, n) / best, chance: byChance(patches, around, n) / best };
  }
  function regionOf([row2, col], [rows, cols]) {
    const near = (at, all) => Array.from({ length: all }, (_, i) => i).slice(Math.max(0, at - REACH), at + REACH + 1);
    return near(row2, rows).flatMap((y) => near(col, cols).map((x) => y * cols + x));
  }
  function bestPlaces(patches, around, n) {
    const places = [];
    for (let step = 0; step < n * ROUNDS; step++) {
      const taken = new Set(places.filter((_, i) => i !== step % n).flatMap((at) => around[at]));
      const gains = around.map((region) => region.reduce((all, at) => all + (taken.has(at) ? 0 : patches[at]), 0));
      places[step % n] = gains.indexOf(Math.max(...gains));
    }
    return places;
  }
  function middle(patches, [rows, cols], n) {
    const far = patches.map((_, at) => Math.hypot(Math.floor(at / cols) - (rows - 1) / 2, at % cols - (cols - 1) / 2));
    const count = Math.min(patches.length, n * (2 * REACH + 1) ** 2);
    const edge = [...far].sort((a, b) => a - b)[count - 1];
    const inside = patches.filter((_, at) => far[at] < edge - 1e-9);
    const ring = patches.filter((_, at) => Math.abs(far[at] - edge) <= 1e-9);
    const sum3 = (some2) => some2.reduce((a, b) => a + b, 0);
    return sum3(inside) + (count - inside.length) * sum3(ring) / ring.length;
  }
  function byChance(patches, around, n) {
    const all = patches.length;
    const missed = (near) => Array.from({ length: n }, (_, i) => Math.max(0, all - near - i) / (all - i)).reduce((a, b) => a * b, 1);
    return patches.reduce((sum3, value, at) => sum3 + value * (1 - missed(around[at].length)), 0);
  }

  // numbers/teaching.js
  var COLOURS = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#f0e442"];
  var begun = () => [
    { name: "", at: [] },
    { name: "", at: [] }
  ];
  function touched({ things, thing, patchAt }, place2) {
    const all = things.length ? things : begun();
    const chosen = Math.min(thing, all.length - 1);
    const is = (other) => String(patchAt(other)) === String(patchAt(place2));
    const had = all[chosen].at.some(is);
    const left = all.map(({ name: name2, at }) => ({ name: name2, at: at.filter((other) => !is(other)) }));
    if (!had && left[chosen].at.length < MOST_MARKS) left[chosen].at.push(place2);
    return left;
  }
  var nameIn = (things, i, words) => things[i].name.trim() || words.say("teach_thing", { n: i + 1 });
  var marksOf = (things) => JSON.stringify(things.map(({ at }) => at));
  function lessonOf(state, model, words) {
    const taught = state.get("taught");
    const things = state.get("things");
    if (taught?.model !== model || taught.these.some((i) => !things[i])) return null;
    if (things.some(({ at }) => at.length) && marksOf(things) !== taught.marks) return null;
    return { names: taught.these.map((i) => nameIn(things, i, words)), prototypes: taught.prototypes };
  }

  // drawing/on_stage.js
  function onStage(view, colours) {
    const { map, truth, here } = view;
    return {
      values: view.guess || view.teach && view.labelled ? null : map.values,
      labels: view.teach && view.labelled && view.taught?.run === view.payload.run ? view.taught : null,
      layout: map.layout,
      high: map.high,
      queries: here.queries,
      map: colourOf(colours, view),
      reach: view.reach,
      opacity: view.opacity,
      byValue: view.byValue,
      smooth: view.smooth,
      showGrid: view.grid,
      marks: marksOf2(view),
      outlines: (view.outline || view.tool) && !view.guess ? truth.parts : [],
      inputSize: view.payload.input
    };
  }
  function marksOf2({
    map,
    here,
    cell,
    guess,
    marked,
    cellAt,
    pinned,
    crossed,
    hovered,
    sinksHere,
    tool,
    hand,
    handCell,
    payload,
    steps,
    asksNumber,
    teach,
    things,
    patchAt
  }) {
    const { grid } = here.queries;
    const read = map.layout.grid;
    const guessed = (guess ?? marked).map((place2) => ({
      cell: cellAt(place2),
      grid,
      reach: REACH,
      kind: guess ? "pinned" : "read"
    }));
    if (guess) return cell ? [...guessed, { cell, grid, reach: REACH, kind: "read" }] : guessed;
    if (teach) {
      const { grid: patches } = payload.layers[payload.layers.length - 1].queries;
      const marks2 = things.flatMap(({ at }, i) => at.map((place2) => ({ cell: patchAt(place2), colour: COLOURS[i] })));
      const all = marks2.filter((mark) => mark.cell).map((mark) => ({ ...mark, grid: patches, kind: "pinned" }));
      return hovered ? [...all, { cell: hovered, grid: pinned ? read : grid, kind: "read" }] : all;
    }
    const marks = [...sinksHere.map((sink) => ({ cell: sink, grid: read, kind: "sink" })), ...guessed];
    if (cell) marks.push({ cell, grid, kind: pinned ? "pinned" : "query" });
    if ((pinned || crossed) && hovered && (read !== grid || String(hovered) !== String(cell))) {
      marks.push({ cell: hovered, grid: read, kind: "read" });
    }
    if (steps && asksNumber) marks.push({ cell: asksNumber, grid: read, kind: "read" });
    if (tool && hand) marks.push({ cell: handCell, grid: payload.grid, kind: hand.from ? "pinned" : "read" });
    return marks;
  }

  // drawing/stage.js
  var Stage = class {
    // `size` {width, height, ratio}: for a canvas outside the page, with `ratio` device pixels per css pixel.
    constructor(canvas, size = null) {
      this.canvas = canvas;
      this.size = size;
      this.onPage = size ? null : new Measured(canvas, () => [canvas.clientWidth, canvas.clientHeight]);
      this.cells = document.createElement("canvas");
      this.ground = document.createElement("canvas");
      this.lines = { canvas: document.createElement("canvas"), outlines: null, of: "" };
      this.bitmap = null;
      this.window = [0, 0, 1, 1];
      this.grid = [1, 1];
      this.box = null;
    }
    // Take another picture, or another model that looks at another part of it.
    setPicture(payload) {
      this.bitmap = payload.bitmap;
      this.window = payload.window;
      this.ground.width = 0;
    }
    // Fit canvas and picture to the width on the page; the picture is centred in the canvas.
    resize() {
      const [width, height] = this.onPage?.now ?? [this.size.width, this.size.height];
      const ratio = this.size?.ratio ?? (window.devicePixelRatio || 1);
      if (!width || !this.bitmap) return false;
      this.ratio = ratio;
      if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
      }
      const scale = Math.min(this.canvas.width / this.bitmap.width, this.canvas.height / this.bitmap.height);
      const w = this.bitmap.width * scale;
      const h = this.bitmap.height * scale;
      this.box = { x: (this.canvas.width - w) / 2, y: (this.canvas.height - h) / 2, w, h };
      if (this.ground.width !== this.canvas.width || this.ground.height !== this.canvas.height) this.drawGround();
      return true;
    }
    // The model's whole input in canvas pixels; it reaches outside the picture where the model's pixels were padded.
    inputBox() {
      const { x, y, w, h } = this.box;
      const [left, top, right, bottom] = this.window;
      return { x: x + left * w, y: y + top * h, w: (right - left) * w, h: (bottom - top) * h };
    }
    // Paint picture and heatmap. `view`: values and their layout, queries (the layout whose patches can be asked), reach,
    // high, map, opacity, byValue, smooth, showGrid, marks, outlines, inputSize.
    draw(view) {
      this.grid = view.queries.grid;
      if (!this.resize()) return;
      const context = this.canvas.getContext("2d");
      const input = this.inputBox();
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      context.drawImage(this.ground, 0, 0);
      context.save();
      this.clipToSeen(context, input);
      if (view.values) this.drawHeat(context, input, view);
      if (view.labels) this.drawLabels(context, input, view.labels, view.opacity);
      if (view.reach) {
        if (view.showGrid) this.drawGrid(context, input);
        this.drawReach(context, input, view.layout, view.reach);
        for (const outline of view.outlines) this.drawOutline(context, input, outline, view.inputSize);
      } else if (view.showGrid || view.outlines.length) context.drawImage(this.linesOf(view, input), 0, 0);
      context.restore();
      for (const mark of view.marks) this.drawMark(context, input, mark);
    }
    // Draw the picture in colour where the model looked, in grey elsewhere. It is kept for a picture and a size, because scaling
    // and greying a photograph would take longer than the rest of a frame.
    drawGround() {
      const { x, y, w, h } = this.box;
      this.ground.width = this.canvas.width;
      this.ground.height = this.canvas.height;
      const context = this.ground.getContext("2d");
      context.filter = "grayscale(1) contrast(0.6) brightness(0.6)";
      context.drawImage(this.bitmap, x, y, w, h);
      context.filter = "none";
      this.clipToSeen(context, this.inputBox());
      context.drawImage(this.bitmap, x, y, w, h);
    }
    // Clip drawing to the part of the picture where the model looked.
    clipToSeen(context, input) {
      for (const { x, y, w, h } of [this.box, input]) {
        context.beginPath();
        context.rect(x, y, w, h);
        context.clip();
      }
    }
    // Grid and outlines. They are drawn once and kept while values change, because stroking them takes as long as the rest of a
    // frame.
    linesOf({ showGrid, outlines, inputSize }, input) {
      const { lines } = this;
      const { width, height } = this.canvas;
      const of = [width, height, ...Object.values(this.box), ...Object.values(input), this.grid, showGrid].join();
      if (lines.of === of && (lines.outlines === outlines || !(lines.outlines.length + outlines.length))) return lines.canvas;
      Object.assign(lines, { outlines, of });
      Object.assign(lines.canvas, { width, height });
      const context = lines.canvas.getContext("2d");
      this.clipToSeen(context, input);
      if (showGrid) this.drawGrid(context, input);
      for (const outline of outlines) this.drawOutline(context, input, outline, inputSize);
      return lines.canvas;
    }
    drawHeat(context, input, view) {
      const { grid, first } = view.layout;
      const [rows, cols] = grid;
      const image2 = new ImageData(cols, rows);
      view.map.fill(new Uint32Array(image2.data.buffer), cols, 0, 0, view.values, first, grid, view.high, 255);
      for (let i = 0; i < rows * cols; i++) {
        if (view.reach && !view.reach[first + i]) {
          image2.data[4 * i + 3] = 0;
          continue;
        }
        const fade = view.byValue ? Math.sqrt(shareOf(view.values[first + i], view.high)) : 1;
        image2.data[4 * i + 3] = 255 * view.opacity * fade;
      }
      if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
      this.cells.getContext("2d").putImageData(image2, 0, 0);
      context.imageSmoothingEnabled = view.smooth;
      context.imageSmoothingQuality = "high";
      context.drawImage(this.cells, input.x, input.y, input.w, input.h);
      if (!view.reach || !view.opacity) return;
      context.globalAlpha = view.opacity;
      hatchPatches(context, input, view.layout, view.reach, this.ratio);
      context.globalAlpha = 1;
    }
    // Paint each patch in the colour of its thing, the stronger the surer; an undecided patch stays clear.
    drawLabels(context, input, { grid: [rows, cols], things, labels }, opacity) {
      const image2 = new ImageData(cols, rows);
      labels.forEach(([thing, share], i) => {
        const colour = Number.parseInt(COLOURS[thing].slice(1), 16);
        const sure = Math.sqrt(Math.max(0, (share - 1 / things) / (1 - 1 / things)));
        image2.data.set([colour >> 16, colour >> 8 & 255, colour & 255, 255 * opacity * sure], 4 * i);
      });
      if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
      this.cells.getContext("2d").putImageData(image2, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.cells, input.x, input.y, input.w, input.h);
    }
    drawGrid(context, input) {
      const [rows, cols] = this.grid;
      context.beginPath();
      for (let row2 = 1; row2 < rows; row2++) {
        context.moveTo(input.x, input.y + row2 * input.h / rows);
        context.lineTo(input.x + input.w, input.y + row2 * input.h / rows);
      }
      for (let col = 1; col < cols; col++) {
        context.moveTo(input.x + col * input.w / cols, input.y);
        context.lineTo(input.x + col * input.w / cols, input.y + input.h);
      }
      context.strokeStyle = `rgba(255, 255, 255, ${rows * cols > 1200 ? 0.08 : 0.16})`;
      context.lineWidth = this.size ? this.ratio : 1;
      context.stroke();
    }
    // Outline a patch: white with a black halo, which is seen on any picture. kind: "query", "pinned", "read", or "sink",
    // which is a diamond.
    // `reach`: how many patches around it belong to it, as far as there are some.
    drawMark(context, input, { cell: [row2, col], grid: [rows, cols], kind, colour: own = "white", reach = 0 }) {
      const w = input.w / cols;
      const h = input.h / rows;
      const [left, top] = [Math.max(0, col - reach), Math.max(0, row2 - reach)];
      const [right, bottom] = [Math.min(cols, col + reach + 1), Math.min(rows, row2 + reach + 1)];
      const { ratio } = this;
      const line = (kind === "pinned" ? 3 : 2) * ratio;
      const [x, y] = [input.x + col * w, input.y + row2 * h];
      const shape = new Path2D();
      if (kind === "sink")
        for (const [right2, down] of [
          [0.5, 0.1],
          [0.9, 0.5],
          [0.5, 0.9],
          [0.1, 0.5]
        ])
          shape.lineTo(x + right2 * w, y + down * h);
      else shape.rect(input.x + left * w, input.y + top * h, (right - left) * w, (bottom - top) * h);
      shape.closePath();
      context.setLineDash(kind === "read" ? [4 * ratio, 3 * ratio] : []);
      for (const [colour, width] of [
        ["black", line + 2 * ratio],
        [own, line]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.stroke(shape);
      }
      context.setLineDash([]);
    }
    // A thin line around the patches that the query can see in its window.
    drawReach(context, input, { grid: [rows, cols], first }, reach) {
      const isIn2 = (row2, col) => row2 >= 0 && col >= 0 && row2 < rows && col < cols && reach[first + row2 * cols + col];
      const x = (col) => input.x + col * input.w / cols;
      const y = (row2) => input.y + row2 * input.h / rows;
      context.beginPath();
      for (let row2 = 0; row2 < rows; row2++) {
        for (let col = 0; col < cols; col++) {
          if (!isIn2(row2, col)) continue;
          for (const [down, right, ...ends2] of [
            [-1, 0, 0, 0, 0, 1],
            [1, 0, 1, 0, 1, 1],
            [0, -1, 0, 0, 1, 0],
            [0, 1, 0, 1, 1, 1]
          ]) {
            if (isIn2(row2 + down, col + right)) continue;
            context.moveTo(x(col + ends2[1]), y(row2 + ends2[0]));
            context.lineTo(x(col + ends2[3]), y(row2 + ends2[2]));
          }
        }
      }
      const { ratio } = this;
      context.lineCap = "square";
      for (const [colour, line] of [
        ["rgba(0, 0, 0, 0.6)", 3 * ratio],
        ["white", ratio]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.stroke();
      }
    }
    // Outline a known thing, `path` in the model's pixels: bright with a dark halo; dashed if it is not an object.
    drawOutline(context, input, { path, top, name: name2, object }, [height, width]) {
      if (!top) return;
      const { ratio } = this;
      const placed2 = new Path2D();
      const matrix = new DOMMatrix([input.w / width, 0, 0, input.h / height, input.x, input.y]);
      placed2.addPath(path, matrix);
      context.lineCap = "round";
      for (const [colour, line] of [
        ["rgba(0, 0, 0, 0.75)", 4 * ratio],
        [object ? "#5eead4" : "#fb923c", 2 * ratio]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.stroke(placed2);
      }
      if (name2) this.drawName(context, name2, matrix.transformPoint(new DOMPoint(...top)), ratio);
    }
    // On a large stage, which is looked at from far away, the letters are larger.
    drawName(context, name2, { x, y }, pixels) {
      const ratio = pixels * Math.max(1, this.canvas.width / pixels / 560);
      context.font = `${12 * ratio}px sans-serif`;
      context.textBaseline = "middle";
      context.textAlign = "left";
      const wide = context.measureText(name2).width + 8 * ratio;
      const tall = 17 * ratio;
      const { x: left0, y: top0, w, h } = this.box;
      const left = Math.min(left0 + w - wide, Math.max(left0, x - wide / 2));
      const top = Math.min(top0 + h - tall, Math.max(top0, y - tall - 4 * ratio));
      context.fillStyle = "rgba(0, 0, 0, 0.7)";
      context.fillRect(left, top, wide, tall);
      context.fillStyle = "white";
      context.fillText(name2, left + 4 * ratio, top + tall / 2);
    }
    // [x, y] of a mouse event as fractions of the picture, clamped to its edges; null before there is a picture.
    pointAt(event) {
      if (!this.box) return null;
      const area = this.canvas.getBoundingClientRect();
      const px = (event.clientX - area.left) * this.canvas.width / area.width;
      const py = (event.clientY - area.top) * this.canvas.height / area.height;
      const inside = (share) => Math.min(1, Math.max(0, share));
      return [inside((px - this.box.x) / this.box.w), inside((py - this.box.y) / this.box.h)];
    }
    // Like `pointAt`, but null outside the picture.
    placeAt(event) {
      if (!this.box) return null;
      const area = this.canvas.getBoundingClientRect();
      const px = (event.clientX - area.left) * this.canvas.width / area.width;
      const py = (event.clientY - area.top) * this.canvas.height / area.height;
      const { x, y, w, h } = this.box;
      if (px < x || py < y || px >= x + w || py >= y + h) return null;
      return [(px - x) / w, (py - y) / h];
    }
  };

  // saving/figure.js
  var DPI = 300;
  var FONT = 7.5;
  var FAMILY = "Helvetica, Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', sans-serif";
  var LEADING = 9.5;
  var GAP4 = 5;
  var MARGIN = 6;
  var BAR = 7;
  function figureOf(picture, { pixels, smooth, bar, caption }) {
    const width = 72 * pixels / DPI;
    const high = width * picture.height / picture.width;
    const pictures = [{ canvas: picture, smooth, x: 0, y: 0, w: width, h: high }];
    const lines = [];
    let y = high + GAP4;
    if (bar) {
      const base = y + BAR - 0.5;
      const left = MARGIN + widthOf(bar.low) + 4;
      const right = MARGIN + widthOf(bar.high) + 4;
      lines.push({ text: bar.low, x: MARGIN, y: base, align: (
        /** @type {const} */
        "left"
      ) });
      lines.push({ text: bar.high, x: width - MARGIN, y: base, align: (
        /** @type {const} */
        "right"
      ) });
      pictures.push({ canvas: bar.canvas, smooth: true, x: left, y, w: Math.max(10, width - left - right), h: BAR });
      y += BAR + GAP4;
    }
    for (const text3 of broken(caption, width - 2 * MARGIN)) {
      lines.push({ text: text3, x: MARGIN, y: y + FONT, align: (
        /** @type {const} */
        "left"
      ) });
      y += LEADING;
    }
    return { width, height: y + MARGIN, pictures, lines };
  }
  var measuring = null;
  function widthOf(text3) {
    measuring ??= document.createElement("canvas").getContext("2d");
    measuring.font = `${10 * FONT}px ${FAMILY}`;
    return measuring.measureText(text3).width / 10;
  }
  var PIECES = /\s*(?:[（“‘《]*\p{Script=Han}[，。；：、！？）”’》]*|[^\s\p{Script=Han}（“‘《]+|\S)/gu;
  function broken(text3, width, measure = widthOf) {
    const lines = [""];
    for (const piece of text3.match(PIECES) ?? []) {
      const longer = lines.at(-1) + piece;
      if (!lines.at(-1) || measure(longer) <= width) lines[lines.length - 1] = longer;
      else lines.push(piece.trimStart());
    }
    return lines.map((line) => line.trim()).filter(Boolean);
  }
  function painted({ width, height, pictures, lines }, pixels) {
    const scale = pixels / width;
    const canvas = Object.assign(document.createElement("canvas"), {
      width: Math.round(pixels),
      height: Math.round(height * scale)
    });
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const { canvas: picture, smooth, x, y, w, h } of pictures) {
      context.imageSmoothingEnabled = smooth;
      context.drawImage(picture, x * scale, y * scale, w * scale, h * scale);
    }
    context.fillStyle = "black";
    context.font = `${FONT * scale}px ${FAMILY}`;
    for (const { text: text3, x, y, align } of lines) {
      context.textAlign = align;
      context.fillText(text3, x * scale, y * scale);
    }
    return canvas;
  }

  // saving/bytes.js
  var TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
    let value = i;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ 3988292384 : value >>> 1;
    return value;
  });
  function crc32(bytes) {
    let value = 4294967295;
    for (const byte of bytes) value = value >>> 8 ^ TABLE[(value ^ byte) & 255];
    return (value ^ 4294967295) >>> 0;
  }
  function joined(parts) {
    const all = parts.map((part2) => typeof part2 === "string" ? new TextEncoder().encode(part2) : part2);
    const bytes = new Uint8Array(all.reduce((sum3, part2) => sum3 + part2.length, 0));
    let at = 0;
    for (const part2 of all) {
      bytes.set(part2, at);
      at += part2.length;
    }
    return bytes;
  }
  function little(size, ...numbers2) {
    return Uint8Array.from(
      numbers2.flatMap((number2) => Array.from({ length: size }, (_, i) => Math.floor(number2 / 256 ** i) % 256))
    );
  }
  var big = (number2) => little(4, number2).reverse();
  async function deflated(bytes) {
    const stream2 = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
    return new Uint8Array(await new Response(stream2).arrayBuffer());
  }

  // saving/npz.js
  var EPOCH = [0, 33];
  function npz(arrays) {
    const files = Object.entries(arrays).map(([name2, array]) => {
      return { name: new TextEncoder().encode(`${name2}.npy`), bytes: typeof array === "string" ? textual(array) : numbers(array) };
    });
    const parts = [];
    const entries = [];
    let at = 0;
    for (const { name: name2, bytes } of files) {
      const sizes = little(4, crc32(bytes), bytes.length, bytes.length);
      const common = joined([little(2, 0, 0, ...EPOCH), sizes, little(2, name2.length, 0)]);
      const local = joined([little(4, 67324752), little(2, 20), common, name2, bytes]);
      const place2 = joined([little(2, 0, 0, 0), little(4, 0, at)]);
      entries.push(joined([little(4, 33639248), little(2, 20, 20), common, place2, name2]));
      parts.push(local);
      at += local.length;
    }
    const directory = joined(entries);
    const counts = little(2, 0, 0, files.length, files.length);
    const end2 = joined([little(4, 101010256), counts, little(4, directory.length, at), little(2, 0)]);
    return new Blob([joined([...parts, directory, end2])], { type: "application/octet-stream" });
  }
  function numbers({ shape, values }) {
    return npy("<f4", shape, new Uint8Array(Float32Array.from(values).buffer));
  }
  function textual(said) {
    const letters2 = Array.from(said, (letter) => letter.codePointAt(0));
    return npy(`<U${Math.max(1, letters2.length)}`, [], little(4, ...letters2.length ? letters2 : [0]));
  }
  function npy(kind, shape, bytes) {
    const axes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
    const header = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${axes}), }`;
    const padded = header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11) + "\n";
    return joined([Uint8Array.of(147), "NUMPY", Uint8Array.of(1, 0), little(2, padded.length), padded, bytes]);
  }

  // saving/pdf.js
  var BEYOND = { "–": 150, "—": 151, "’": 146, "“": 147, "”": 148, "•": 149, "…": 133 };
  var REPLACED = { "−": "–", " ": " ", " ": " ", " ": " ", " ": " ", "★": "*" };
  async function pdf(figure, { pixels, about }) {
    const written = figure.lines.map((line) => ({ ...line, bytes: letters(line.text) }));
    const isLatin = written.every(({ bytes }) => bytes);
    const { width, height } = figure;
    const whole2 = () => [{ canvas: painted(figure, pixels), smooth: true, x: 0, y: 0, w: width, h: height }];
    const pictures = isLatin ? figure.pictures : whole2();
    const drawn = pictures.map(({ x, y, w, h }, i) => `q ${w} 0 0 ${h} ${x} ${height - y - h} cm /P${i} Do Q
`);
    const said = isLatin ? written.map((line) => text2(line, height)) : [];
    const content = joined([...drawn, ...said.flat()]);
    const named = pictures.map((_, i) => `/P${i} ${6 + i} 0 R`).join(" ");
    const objects = [
      ["<< /Type /Catalog /Pages 2 0 R >>"],
      ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << ${named} >> /Font << /F ${5} 0 R >> >> >>`
      ],
      stream("", content),
      ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"],
      ...await Promise.all(pictures.map(image)),
      [`<< /Creator (vizapp) /Keywords <${utf16(JSON.stringify(about))}> >>`]
    ];
    return new Blob([assembled(objects)], { type: "application/pdf" });
  }
  function stream(dictionary, bytes) {
    return [`<< ${dictionary} /Length ${bytes.length} >>
stream
`, bytes, "\nendstream"];
  }
  async function image({ canvas, smooth }) {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const rgb = new Uint8Array(3 * width * height);
    for (let i = 0, o = 0; i < data.length; i += 4) {
      const clear2 = 255 - data[i + 3];
      for (let c = 0; c < 3; c++) rgb[o++] = Math.round(data[i + c] * data[i + 3] / 255) + clear2;
    }
    const packed = await deflated(rgb);
    const size = `/Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
    return stream(`/Type /XObject /Subtype /Image ${size} /Filter /FlateDecode /Interpolate ${smooth}`, packed);
  }
  function text2({ bytes, x, y, align }, height) {
    const left = align === "left" ? x : x - FONT * widthOf2(bytes);
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `BT /F ${FONT} Tf ${left.toFixed(2)} ${(height - y).toFixed(2)} Td <${hex}> Tj ET
`;
  }
  function letters(said) {
    const codes = [...said].map((letter) => {
      const shown = REPLACED[letter] ?? letter;
      return BEYOND[shown] ?? (shown.charCodeAt(0) < 256 && shown.length === 1 ? shown.charCodeAt(0) : null);
    });
    return codes.includes(null) ? null : Uint8Array.from(codes);
  }
  var WIDTHS = { 32: 278, 37: 889, 44: 278, 46: 278, 61: 584, 215: 584, 150: 556, 176: 400 };
  var NARROW = "ijl'|";
  function widthOf2(bytes) {
    return [...bytes].reduce((sum3, code) => sum3 + (WIDTHS[code] ?? letterWidth(String.fromCharCode(code))), 0) / 1e3;
  }
  function letterWidth(letter) {
    if (NARROW.includes(letter)) return 222;
    if ("ft".includes(letter)) return 278;
    if (letter === "r") return 333;
    if ("cksvxyzJ".includes(letter)) return 500;
    if (letter === "m") return 833;
    if (letter === "w") return 722;
    return /[A-Z]/.test(letter) ? 680 : 556;
  }
  function utf16(said) {
    const codes = [65279, ...Array.from({ length: said.length }, (_, i) => said.charCodeAt(i))];
    return codes.map((code) => code.toString(16).padStart(4, "0")).join("");
  }
  function assembled(objects) {
    const parts = [joined(["%PDF-1.4\n"])];
    const starts = [];
    let at = parts[0].length;
    objects.forEach((object, i) => {
      starts.push(at);
      const bytes = joined([`${i + 1} 0 obj
`, ...object, "\nendobj\n"]);
      parts.push(bytes);
      at += bytes.length;
    });
    const rows = starts.map((start2) => `${String(start2).padStart(10, "0")} 00000 n 
`).join("");
    const size = objects.length + 1;
    const end2 = `xref
0 ${size}
0000000000 65535 f 
${rows}trailer
<< /Size ${size} /Root 1 0 R /Info ${size - 1} 0 R >>
startxref
${at}
%%EOF
`;
    return joined([...parts, end2]);
  }

  // saving/png.js
  var HEAD = 8 + 25;
  async function png(figure, { pixels, about }) {
    const plain2 = new Uint8Array(await (await blobOf(painted(figure, pixels))).arrayBuffer());
    const perMetre = Math.round(DPI / 0.0254);
    const chunks = [
      chunk("pHYs", joined([big(perMetre), big(perMetre), Uint8Array.of(1)])),
      chunk("iTXt", joined(["Software", Uint8Array.of(0, 0, 0, 0, 0), `vizapp ${about.vizapp ?? ""}`.trim()])),
      chunk("iTXt", joined(["Comment", Uint8Array.of(0, 0, 0, 0, 0), JSON.stringify(about)]))
    ];
    return new Blob([joined([plain2.subarray(0, HEAD), ...chunks, plain2.subarray(HEAD)])], { type: "image/png" });
  }
  function blobOf(canvas) {
    return new Promise((done, fail) => canvas.toBlob((blob) => blob ? done(blob) : fail(new Error("too large")), "image/png"));
  }
  function chunk(name2, data) {
    const named = joined([name2, data]);
    return joined([big(data.length), named, big(crc32(named))]);
  }

  // saving/svg.js
  var escaped = (text3) => text3.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  var short2 = (number2) => String(Number(number2.toFixed(2)));
  async function svg2({ width, height, pictures, lines }, { about }) {
    const images = pictures.map(({ canvas, smooth, x, y, w, h }) => {
      const style = smooth ? "" : ' style="image-rendering: pixelated"';
      const place2 = `x="${short2(x)}" y="${short2(y)}" width="${short2(w)}" height="${short2(h)}"`;
      return `<image ${place2} preserveAspectRatio="none"${style} href="${canvas.toDataURL("image/png")}"/>`;
    });
    const texts = lines.map(
      ({ text: text3, x, y, align }) => `<text x="${short2(x)}" y="${short2(y)}" text-anchor="${align === "left" ? "start" : "end"}">${escaped(text3)}</text>`
    );
    const [wide, high] = [short2(width), short2(height)];
    const parts = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}pt" height="${high}pt" viewBox="0 0 ${wide} ${high}">`,
      `<metadata>${escaped(JSON.stringify(about))}</metadata>`,
      `<rect width="100%" height="100%" fill="white"/>`,
      ...images,
      `<g font-family="${FAMILY}" font-size="${FONT}">${texts.join("")}</g>`,
      "</svg>"
    ];
    return new Blob([parts.join("\n")], { type: "image/svg+xml" });
  }

  // panels/save.js
  var WIDTHS2 = [600, 6e3];
  var ON_PAGE = 400;
  var ATLAS = { width: 900, height: 700 };
  var MADE_BY_SERVER = { gif: "film", html: "page" };
  var HATCHED = 16;
  var VERSION = 1;
  var panel_save = {
    name: "save",
    place: "stage",
    order: 5,
    html: `
    <details class="viz-save">
      <summary class="viz-icon" title="$save_help" aria-label="$save"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 10V2.5M4.7 5.6 8 2.3l3.3 3.3M5 8H2.5v5.5h11V8H11" /></svg></summary>
      <div class="viz-save-panel" role="region" aria-label="$save_help">
        <div class="viz-row viz-links"><button class="copy-link" title="$copy_link_help">$copy_link</button><button class="copy-frame" title="$copy_frame_help">$copy_frame</button></div>
        <div class="viz-row">
          <label title="$save_what_help">$save_what <select class="viz-save-what"><option value="overlay">$save_overlay</option><option value="map">$save_map</option><option value="atlas">$save_atlas</option></select></label>
          <label title="$save_width_help">$save_width <input class="viz-save-width" type="number" min="600" max="6000" step="100" value="1200" /> px</label>
        </div>
        <div class="viz-row">
          <button data-format="png" title="$save_png_help">PNG</button><button data-format="svg" title="$save_svg_help">SVG</button><button data-format="pdf" title="$save_pdf_help">PDF</button><button data-format="npz" title="$save_npz_help">NPZ</button><button data-format="gif" title="$save_gif_help">$save_gif</button><button data-format="html" title="$save_page_help">$save_page</button>
          <button class="viz-save-copy" title="$save_copy_help">$save_copy</button>
        </div>
        <p class="viz-save-said" aria-live="polite"></p>
        <div class="viz-code">
          <p>$code_python <button data-copy="python" disabled>$code_copy</button></p><pre class="viz-code-python"></pre>
          <p>$code_command <button data-copy="command" disabled>$code_copy</button></p><pre class="viz-code-command"></pre>
        </div>
      </div>
    </details>`,
    mount(root, { state, ask, words, colours, metrics, makes }) {
      const find = finder(root);
      const box2 = find("save");
      let view = null;
      let asked = "";
      const buttons2 = (kind) => [.../** @type {NodeListOf<HTMLElement>} */
      root.querySelectorAll(`button[data-${kind}]`)];
      const what = () => find("save-what").value;
      const width = () => Math.min(WIDTHS2[1], Math.max(WIDTHS2[0], Math.round(Number(find("save-width").value)) || 1200));
      const say = (key, values = {}) => write(find("save-said"), key ? words.say(key, values) : "");
      for (const [format, made3] of Object.entries(MADE_BY_SERVER)) {
        put(root.querySelector(`[data-format="${format}"]`), { hidden: !makes.includes(made3) });
      }
      put(find("links"), { hidden: !makes.includes("link") });
      put(find("code"), { hidden: !makes.includes("code") });
      box2.addEventListener("toggle", () => box2.open && code());
      closing(box2);
      for (const button of buttons2("format")) {
        button.addEventListener("click", () => file(button.dataset.format));
      }
      for (const button of buttons2("copy")) {
        button.addEventListener("click", () => copyText(find(`code-${button.dataset.copy}`).textContent));
      }
      find("save-copy").addEventListener("click", copyPicture);
      async function file(format) {
        const shown = view;
        if (!isThere(shown)) return say("save_nothing");
        say("save_wait");
        try {
          const asked2 = askedFor[format];
          const blob = asked2 ? await asked2(shown) : await made2(format, shown, aboutOf(shown, await answerOf(shown)));
          const name2 = `${nameOf(shown)}${what() === "atlas" && !asked2 ? "-atlas" : ""}.${format}`;
          download(blob, name2);
          say("save_done", { name: name2 });
        } catch (error) {
          say("save_failed", { reason: error.message });
        }
      }
      const isThere = (shown) => Boolean(what() === "atlas" ? shown?.cells : shown?.map.values);
      function made2(format, shown, about) {
        if (format === "npz") return npz(arraysOf(shown, about));
        const pixels = width();
        const figure = drawn(shown, pixels);
        return { png, svg: svg2, pdf }[format](figure, { pixels, about });
      }
      const askedFor = {
        gif: (shown) => answered("film", shown, shown.crossed ? null : viewOf(shown)),
        html: (shown) => answered("page", shown, null)
      };
      async function answered(kind, shown, asked2) {
        const { gif, html, why } = await ask(kind, shown.payload.run, asked2);
        if (!gif && !html) throw new Error(why || words.say("asked_lost"));
        return new Blob([bytesOf(gif ?? html)], { type: gif ? "image/gif" : "text/html" });
      }
      async function copyPicture() {
        if (!isThere(view)) return say("save_nothing");
        try {
          const blob = blobOf(painted(drawn(view, width()), width()));
          await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
          say("save_copied");
        } catch {
          say("save_no_clipboard");
        }
      }
      async function copyText(text3) {
        try {
          await navigator.clipboard.writeText(text3);
          say("save_copied");
        } catch {
          say("save_no_clipboard");
        }
      }
      function drawn(shown, pixels) {
        const kind = what();
        const colour = colourOf(colours, shown);
        const legend2 = legendOf(words, shown);
        const isOneScale = kind !== "atlas" || ["all", "fixed"].includes(shown.scale);
        const bar = isOneScale ? { canvas: barOf(colour), ...legend2 } : null;
        const canvas = kind === "overlay" ? overlay(shown, pixels) : kind === "map" ? mapAlone(shown, colour) : atlasOf(shown, pixels, colour);
        return figureOf(canvas, { pixels, smooth: kind !== "map" || shown.smooth, bar, caption: caption(shown, kind) });
      }
      function overlay(shown, pixels) {
        const { bitmap } = shown.payload;
        const canvas = document.createElement("canvas");
        canvas.width = pixels;
        canvas.height = Math.round(pixels * bitmap.height / bitmap.width);
        const ratio = pixels / ON_PAGE;
        const stage = new Stage(canvas, { width: pixels / ratio, height: canvas.height / ratio, ratio });
        stage.setPicture(shown.payload);
        stage.draw(onStage({ ...shown, hovered: null }, colours));
        return canvas;
      }
      function mapAlone({ map, reach, smooth }, colour) {
        const { grid, first } = map.layout;
        const [rows, cols] = grid;
        const canvas = Object.assign(document.createElement("canvas"), { width: cols, height: rows });
        const image2 = new ImageData(cols, rows);
        colour.fill(new Uint32Array(image2.data.buffer), cols, 0, 0, map.values, first, grid, map.high, 255, reach);
        canvas.getContext("2d").putImageData(image2, 0, 0);
        if (!reach) return canvas;
        const [w, h] = [HATCHED * cols, HATCHED * rows];
        const large = Object.assign(document.createElement("canvas"), { width: w, height: h });
        const context = large.getContext("2d");
        context.imageSmoothingEnabled = smooth;
        context.drawImage(canvas, 0, 0, w, h);
        hatchPatches(context, { x: 0, y: 0, w, h }, map.layout, reach, 1);
        return large;
      }
      function atlasOf(shown, pixels, colour) {
        const canvas = document.createElement("canvas");
        const atlas = new Atlas(canvas, words, { ...ATLAS, ratio: pixels / ATLAS.width });
        const metric = metricOf(metrics, shown);
        atlas.layout(shown.payload, shown.heads, shown.columns);
        atlas.draw({
          cells: shown.cells,
          map: colour,
          selected: null,
          hovered: null,
          ink: "black",
          accent: "black",
          scores: shown.scores && { ...shown.scores, text: (value) => short(value, metric) },
          order: null,
          fusion: fusedAs(shown)
        });
        return canvas;
      }
      function caption(shown, kind) {
        const { payload, scale } = shown;
        const ofAtlas = () => {
          const how = scale === "map" ? [words.say("save_atlas_own")] : scale === "layer" ? [words.say("save_atlas_layer")] : [];
          const scored = shown.scores ? [words.say("save_atlas_scored", { title: metricOf(metrics, shown).title })] : [];
          return [words.say("save_atlas_caption", { fusion: words.say(`atlas_${fusedAs(shown)}`) }), ...how, ...scored];
        };
        const said = kind === "atlas" ? ofAtlas() : [mapSentence(words, { ...shown, hovered: null })];
        const isHatched = kind === "atlas" ? shown.cells.flat().some((cell) => cell?.reach) : shown.reach;
        if (isHatched) said.push(words.say("save_hatched"));
        return [`${payload.model}.`, words.told([...said, payload.caution, ...payload.notes])].join(" ");
      }
      function arraysOf(shown, about) {
        const told = { about: JSON.stringify(about) };
        if (what() !== "atlas") {
          const { values, layout } = shown.map;
          const patches = values.subarray(layout.first);
          return { values: { shape: [layout.tokens], values }, scores: { shape: layout.grid, values: patches }, ...told };
        }
        const arrays = {};
        shown.cells.forEach((row2, layer) => {
          const maps = row2.slice(0, shown.payload.layers[layer].heads);
          if (!maps.every(Boolean)) return;
          const { layout } = maps[0];
          const values = Float32Array.from(maps.flatMap((cell) => [...cell.values]));
          arrays[`layer_${layer}`] = { shape: [maps.length, layout.tokens], values };
        });
        return { ...arrays, ...told };
      }
      function aboutOf(shown, answer) {
        const { prefix: prefix2, grid } = shown.map.layout;
        const seen = { sentence: mapSentence(words, { ...shown, hovered: null }), high: shown.map.high, prefix: prefix2, grid };
        return {
          format: `vizapp-view ${VERSION}`,
          ...answer.about ?? { model: shown.payload.model },
          numbers: "as they are sent to the page: in half precision; vizapp.save writes them in full",
          view: { ...state.save(), ...viewOf(shown), ...seen }
        };
      }
      function viewOf(shown) {
        const { method, layer, isOne, direction, skipWeight, cell, query, here, opacity, byValue, smooth } = shown;
        return {
          method,
          layer,
          head: isOne ? shown.head : null,
          fusion: fusedAs(shown),
          direction,
          skipWeight,
          query: cell ?? (typeof query === "string" ? query : here.queries.prefix[query]),
          colours: shown.colours,
          opacity,
          byValue,
          smooth,
          high: shown.map.high
        };
      }
      const answerOf = (shown) => ask("saving", shown.payload.run, shown.crossed ? null : viewOf(shown));
      async function code() {
        const shown = view;
        if (!makes.includes("code") || !shown?.map.values) return;
        const key = JSON.stringify([shown.payload.run, viewOf(shown)]);
        if (key === asked) return;
        asked = key;
        const { python, command } = await answerOf(shown);
        if (key !== asked) return;
        write(find("code-python"), python || words.say("code_none"));
        write(find("code-command"), command || words.say("code_none_command"));
        for (const button of buttons2("copy")) put(button, { disabled: !{ python, command }[button.dataset.copy] });
      }
      function show(next) {
        view = next;
        if (box2.open && !next.hovered) code();
      }
      const reset = () => say("");
      return { show, reset, swap: reset };
    }
  };
  function nameOf({ payload, layer, head, fusion, method, crossed }) {
    const model = payload.model.replace(/[^\w.-]+/g, "-").slice(0, 60);
    const which = method === "rollout" ? "rollout" : fusion === "one" ? `head${head + 1}` : fusion;
    return `${model}-${crossed ? "cross" : `layer${layer + 1}`}-${which}`;
  }
  function download(blob, name2) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name2 });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
  }

  // drawing/shapes.js
  function change(state, shapes) {
    state.set({ shapes, past: [...state.get("past"), state.get("shapes")] });
  }
  function start(state, tool, point, radius) {
    const line = tool === "eraser" ? "erase" : "stroke";
    const shape = tool === "box" ? { box: [...point, ...point] } : { [line]: [point], radius };
    change(state, [...state.get("shapes"), shape]);
  }
  function move(state, point) {
    const { box: box2, stroke, erase } = state.get("shapes").at(-1);
    if (box2) become(state, { box: [box2[0], box2[1], ...point] });
    else become(state, stroke ? { stroke: [...stroke, point] } : { erase: [...erase, point] });
  }
  function become(state, changes) {
    const shapes = state.get("shapes");
    state.set({ shapes: [...shapes.slice(0, -1), { ...shapes.at(-1), ...changes }] });
  }
  function end(state) {
    const { box: box2 } = state.get("shapes").at(-1);
    if (box2 && (box2[0] === box2[2] || box2[1] === box2[3])) undo(state);
  }
  function clear(state) {
    if (state.get("shapes").length) change(state, []);
  }
  function undo(state) {
    const past = state.get("past").slice();
    state.set({ shapes: past.pop() ?? [], past });
  }

  // panels/score.js
  var panel_score = {
    name: "score",
    place: "maps",
    order: 20,
    shows: ({ depth, tool }) => depth === "score" || tool !== null,
    html: `
    <div class="viz-row">
      <label><span data-term="object">$truth</span></label>
      <span class="viz-group" role="group" aria-label="$truth_help">
        <button data-tool="box" aria-pressed="false" title="$box_help">$box</button><button data-tool="brush" aria-pressed="false" title="$brush_help">$brush</button><button data-tool="eraser" aria-pressed="false" title="$eraser_help" disabled>$eraser</button><button class="viz-undo" title="$undo_help" disabled>$undo</button><button class="viz-clear" title="$clear_help" disabled>$clear</button>
      </span>
      <label title="$outline_help"><input class="viz-outline" type="checkbox" checked /> $outline</label>
      <label><span data-term="score lift auc iou pointing">$metric</span> <select class="viz-metric"></select></label>
    </div>
    <p class="viz-score"></p>`,
    mount(root, { state, words, metrics }) {
      const find = finder(root);
      const tools = [.../** @type {NodeListOf<HTMLElement>} */
      root.querySelectorAll("button[data-tool]")];
      const offered = metrics.filter(({ name: name2 }) => Object.hasOwn(METRICS, name2));
      find("metric").append(...offered.map(({ name: name2, title }) => new Option(title, name2)));
      state.offer(
        "metric",
        offered.map(({ name: name2 }) => name2)
      );
      const speak = speaker(find("score"));
      for (const button of tools) {
        button.addEventListener("click", () => {
          const { tool } = button.dataset;
          state.set({ tool: state.get("tool") === tool ? null : tool, hover: null });
        });
      }
      find("undo").addEventListener("click", () => undo(state));
      find("clear").addEventListener("click", () => clear(state));
      find("outline").addEventListener("change", ({ target }) => state.set({ outline: target.checked }));
      find("metric").addEventListener("change", ({ target }) => state.set({ metric: target.value }));
      function show(view) {
        const { truth, tool } = view;
        for (const button of tools) put(button, { "aria-pressed": button.dataset.tool === tool });
        const eraser = (
          /** @type {HTMLButtonElement} */
          tools.find((one) => one.dataset.tool === "eraser")
        );
        put(eraser, { disabled: !truth.isDrawn && tool !== "eraser" });
        put(find("undo"), { disabled: !view.past.length });
        put(find("clear"), { disabled: !truth.isDrawn });
        for (const name2 of ["outline", "metric"]) put(find(name2), { disabled: !truth.target });
        find("outline").checked = view.outline;
        if (find("metric").value !== view.metric) find("metric").value = view.metric;
        const told = tool && !truth.isDrawn ? "" : sentence(view);
        const text3 = words.told([told, tool ? words.say(`draw_${tool}`) : ""]);
        write(find("score"), text3);
        speak(() => find("score").textContent);
      }
      function sentence(view) {
        const { truth, scores } = view;
        if (!truth.target) return words.say("score_none");
        if (!scores) return words.say("score_rests");
        if (!view.pointed && !view.selected) return "";
        const { row: row2, column } = view.pointed ?? view.selected;
        const value = scores.table[row2][column];
        const cell = view.cells[row2][column];
        if (cell === void 0 || !cell && view.isLost) return "";
        if (value === null || value === void 0) return words.say("arriving");
        const metric = metricOf(offered, view);
        const inWords = (number2) => long(number2, metric, words);
        const parts = view.metric === "energy" ? shareOfParts(truth, cell) : { objects: "", marks: [] };
        const patches = view.metric === "energy" ? fewOn(view, column, cell) : null;
        const few = patches === null ? "" : "_few";
        const kind = `score_${view.metric + few}`;
        const told = words.say(words.has(kind) ? kind : "score_any", {
          where: mapName(words, view, { row: row2, column }),
          title: metric.title,
          value: inWords(value),
          parts: parts.objects,
          area: percent(truth.target.area),
          prior: inWords(scores.priorOn(cell.layout.grid)),
          patches: percent(patches ?? 1)
        });
        return words.told([told, ...parts.marks, bestHead(view, inWords)]);
      }
      function fewOn(view, column, { values, layout }) {
        const isShares = view.direction === "from" && (column < view.heads || column === view.heads && view.isMean);
        const patches = values.subarray(layout.first).reduce((a, b) => a + b, 0);
        return isShares && patches < 0.5 ? patches : null;
      }
      function shareOfParts(truth, { values, layout }) {
        const shares = truth.parts.map(({ name: name2, object, on }) => {
          const target = on(layout.grid);
          const share = METRICS.energy(values.subarray(layout.first), target);
          return { name: name2, object, area: percent(target.area), share: percent(share) };
        });
        const objects = shares.filter((one) => one.object).map((one) => words.say("score_part", one));
        const marks = shares.filter((one) => !one.object).map((one) => words.say("score_mark", one));
        return { objects: objects.length > 1 ? words.say("score_parts", { list: words.list(objects) }) : "", marks };
      }
      function bestHead(view, inWords) {
        const { table, best, isBest, isChance, evenOn, priorOn } = view.scores;
        if (!best) return "";
        const value = inWords(table[best.row][best.column]);
        if (isChance) {
          const { grid } = view.cells[best.row][best.column].layout;
          const chance = { even: inWords(evenOn(grid)), prior: inWords(priorOn(grid)) };
          return words.say("score_chance", { where: mapName(words, view, best), value, ...chance });
        }
        const n = table.reduce((sum3, row2, r) => sum3 + row2.filter((_, column) => isBest(r, column)).length, 0);
        return n > 1 ? words.say("score_best_many", { n, value }) : words.say("score_best", { where: mapName(words, view, best), value });
      }
      return { show };
    }
  };

  // numbers/sinks.js
  function whenOf(layer, found) {
    const { first, last } = layersOf(found);
    return layer + 1 < first ? "before" : layer + 1 > last ? "after" : "between";
  }
  function layersOf(found) {
    return { first: Math.min(...found.map((one) => one[3])) + 1, last: Math.max(...found.map((one) => one[4])) + 1 };
  }

  // panels/sinks.js
  var NAMED2 = 5;
  var REMEMBERED = 7;
  var panel_sinks = {
    name: "sinks",
    place: "maps",
    order: 19,
    // below what every picture has: it comes late, and moves nothing
    shows: ({ depth, isReading, sinks, sinksFound, sinksLeft, payload }) => depth === "picture" && !isReading && (!sinks || Boolean(sinksFound?.length) || sinksLeft === payload.run),
    html: `
    <div class="viz-sinks-line">
      <span class="viz-sinks-said"></span>
      <button class="viz-sinks-look" hidden>$sinks_look</button><button class="viz-sinks-apart" aria-pressed="false" title="$sinks_apart_help" hidden>$sinks_apart</button>
      <details class="viz-more viz-sinks-more">
        <summary title="$sinks_more_help" aria-label="$sinks_more_help">?</summary>
        <div class="viz-more-panel">
          <p>$sinks_help</p>
          <p class="viz-sinks-list"></p>
          <label><input class="viz-sinks" type="checkbox" /> $sinks</label>
        </div>
      </details>
    </div>`,
    state: { sinksLeft: passing(json(null, (run) => run === null || typeof run === "string")) },
    // the run of which a busy server did not look for them
    mount(root, { state, ask, words }) {
      const find = finder(root);
      closing(find("sinks-more"));
      const speak = speaker(find("sinks-said"));
      let shown = null;
      let looked = null;
      let told = "";
      bind(find("sinks"), "change", state, ({ checked }) => ({ sinks: checked }));
      find("sinks-apart").addEventListener("click", () => state.set({ sinksApart: !state.get("sinksApart") }));
      find("sinks-look").addEventListener("click", () => look());
      function begin(payload) {
        shown = payload;
        looked = null;
        told = "";
        if (state.get("sinks") && !known(payload)) look("unasked");
      }
      const known = (payload) => payload.sinks ?? state.get("sinksFound")[payload.run] ?? null;
      async function look(how) {
        const asked = looked = shown;
        tell(words.say("sinks_wait"));
        const answer = await ask("sinks", asked.run, null, ...how ? [how] : []);
        if (looked !== asked) return;
        if (answer.sinks) keep(asked.run, answer.sinks);
        else tell(answer.why ?? (how ? "" : words.say("asked_lost")), how && !answer.why);
        if (!answer.sinks && how && !answer.why) state.set({ sinksLeft: asked.run });
      }
      function tell(text3, canLook = false) {
        told = text3;
        put(find("sinks-look"), { hidden: !canLook });
        if (state.get("sinks")) write(find("sinks-said"), told);
      }
      function keep(run, found) {
        const before = Object.entries(state.get("sinksFound")).slice(-REMEMBERED);
        tell("");
        state.set({ sinksFound: { ...Object.fromEntries(before), [run]: found } });
      }
      function listed(found) {
        if (!found?.length) return words.say("sinks_none");
        const named = found.map(([row2, col, share]) => {
          return words.say("sinks_one", { row: row2 + 1, col: col + 1, share: percent(share) });
        });
        const more = found.length > NAMED2 ? [words.say("sinks_more", { n: found.length - NAMED2 })] : [];
        const list = words.list([...named.slice(0, NAMED2), ...more]);
        const { first, last } = layersOf(found);
        return words.say(first === last ? "sinks_found_in" : "sinks_found", { first, last, list });
      }
      function sentence({ sinksFound, sinksNow, isWhole, method, map, layer }) {
        if (!sinksFound.length) return words.say("sinks_none");
        if (!map.values) return "";
        const n = sinksNow.length;
        if (!n) return elsewhere(sinksFound, layer);
        const share = sinksNow.reduce((sum3, cell) => sum3 + map.values[map.layout.tokenOf(cell)], 0);
        const kind = !isWhole ? "here" : THROUGH_LAYERS[method] ? "rolled" : "share";
        return words.say(n === 1 ? `sinks_${kind}_1` : `sinks_${kind}_n`, { n, share: percent(share) });
      }
      function elsewhere(found, layer) {
        const { first, last } = layersOf(found);
        const where = words.say(first === last ? "sinks_layer" : "sinks_layers", { first, last });
        return words.say(`sinks_${whenOf(layer, found)}`, { n: found.length, where });
      }
      function show(view) {
        const found = view.sinks ? view.sinksFound : null;
        if (!view.sinks) looked = null;
        else if (!view.sinksFound && looked !== view.payload && view.payload === shown) look();
        find("sinks").checked = view.sinks;
        put(find("sinks-apart"), { hidden: !found?.length, "aria-pressed": view.sinksApart });
        write(find("sinks-said"), !view.sinks ? words.say("sinks_off") : found ? sentence(view) : told);
        speak(() => find("sinks-said").textContent);
        write(find("sinks-list"), found ? listed(found) : told);
      }
      return { reset: begin, swap: begin, show };
    }
  };

  // drawing/key_pen.js
  var STEPS3 = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1] };
  var KeyPen = class {
    // `area()` is [left, top, right, bottom] of what the network sees of the picture, `radius()` half a patch.
    constructor(state, area, radius) {
      this.state = state;
      this.area = area;
      this.radius = radius;
    }
    // An arrow or Enter; false for another key, or without a tool.
    press(key) {
      const tool = this.state.get("tool");
      if (!tool || !(key in STEPS3 || key === "Enter")) return false;
      const hand = this.state.get("hand");
      if (!hand) this.show();
      else if (key === "Enter") this.turn(tool, hand);
      else this.go(tool, hand, STEPS3[key]);
      return true;
    }
    // Show the hand at the centre of the middle patch.
    show() {
      const [left, top, right, bottom] = this.area();
      const [wide, high] = this.radius();
      const middle2 = (from, to, step) => from + step * (2 * Math.floor((to - from) / step / 4) + 1);
      this.state.set({ hand: { at: [middle2(left, right, wide), middle2(top, bottom, high)], from: null } });
    }
    // Put the hand down, or lift it.
    turn(tool, { at, from }) {
      if (from) end(this.state);
      else start(this.state, tool, at, this.radius());
      this.state.set({ hand: { at, from: from ? null : at } });
      if (!from && tool === "box") become(this.state, { box: this.boxOf(at, at) });
    }
    go(tool, { at, from }, step) {
      const [left, top, right, bottom] = this.area();
      const radius = this.radius();
      const [low, high] = [
        [left, top],
        [right, bottom]
      ];
      const next = at.map((share, i) => {
        const to = share + 2 * step[i] * radius[i];
        return to > low[i] && to < high[i] ? to : share;
      });
      this.state.set({ hand: { at: next, from } });
      if (!from) return;
      if (tool === "box") become(this.state, { box: this.boxOf(from, next) });
      else move(this.state, next);
    }
    // The box that covers both patches and those between them.
    boxOf([x, y], [toX, toY]) {
      const [wide, high] = this.radius();
      return [Math.min(x, toX) - wide, Math.min(y, toY) - high, Math.max(x, toX) + wide, Math.max(y, toY) + high];
    }
    // Escape drops the shape that is being drawn. Returns whether there was one.
    escape() {
      const hand = this.state.get("hand");
      if (!hand?.from) return false;
      this.state.set({ hand: { at: hand.at, from: null } });
      undo(this.state);
      return true;
    }
    lift() {
      this.state.set({ hand: null });
    }
  };

  // drawing/pen.js
  var Pen = class {
    // `pointAt(event)` is the place of an event in shares of the picture, null before there is one; `radius()` that of the brush.
    constructor(canvas, state, pointAt, radius) {
      this.canvas = canvas;
      this.state = state;
      this.pointAt = pointAt;
      this.radius = radius;
      this.pointer = null;
      this.hasJustDrawn = false;
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => event.pointerId === this.pointer && move(state, pointAt(event)));
      for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, (event) => this.up(event));
    }
    down(event) {
      const tool = this.state.get("tool");
      this.hasJustDrawn = false;
      if (!tool || this.pointer !== null || event.button !== 0 || !this.pointAt(event)) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.pointer = event.pointerId;
      this.state.set({ hand: null });
      start(this.state, tool, this.pointAt(event), this.radius());
    }
    up(event) {
      if (event.pointerId !== this.pointer) return;
      this.pointer = null;
      this.hasJustDrawn = true;
      end(this.state);
    }
    // Whether a click belongs to the drawing. So does the click that browsers send after the release of a box.
    takesClick() {
      const takes = Boolean(this.state.get("tool")) || this.hasJustDrawn;
      this.hasJustDrawn = false;
      return takes;
    }
    lift() {
      this.pointer = null;
    }
    // Escape drops the shape that is being drawn, or puts the tool away. Returns whether there was anything to do.
    escape() {
      if (!this.state.get("tool")) return false;
      if (this.pointer !== null) {
        this.pointer = null;
        undo(this.state);
      } else this.state.set({ tool: null });
      return true;
    }
  };

  // panels/stage.js
  var ARROWS = { ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowRight: [0, 1] };
  var SETTLED = 400;
  var GUESSES = 3;
  var panel_stage = {
    name: "stage",
    place: "stage",
    order: 20,
    html: `
    <div class="viz-canvas-box">
      <canvas class="viz-picture" role="img"></canvas>
      <div class="viz-wait">$waiting</div>
    </div>`,
    keys: {
      ArrowLeft: "key_patch",
      ArrowUp: "key_patch",
      ArrowDown: "key_patch",
      ArrowRight: "key_patch",
      Enter: "",
      // while a tool is chosen, see key_pen.js
      Escape: "key_back"
    },
    mount(root, { state, words, colours }) {
      const find = finder(root);
      const canvas = find("picture");
      const stage = new Stage(canvas);
      let payload = null;
      let view = null;
      let tool = null;
      const radius = () => {
        const [left, top, right, bottom] = payload.window;
        return [(right - left) / payload.grid[1] / 2, (bottom - top) / payload.grid[0] / 2];
      };
      const pen = new Pen(canvas, state, (event) => payload && stage.pointAt(event), radius);
      const keyPen = new KeyPen(state, () => payload.window, radius);
      const speak = speaker(find("canvas-box"));
      canvas.addEventListener("pointermove", (event) => {
        if (!view || view.tool || view.steps) return;
        state.set({ hover: stage.placeAt(event) });
      });
      canvas.addEventListener("pointerleave", () => state.set({ hover: null }));
      canvas.addEventListener("click", (event) => {
        if (!view || pen.takesClick()) return;
        if (view.teach && !view.guess) return teach(stage.placeAt(event));
        const cell = view.cellAt(stage.placeAt(event));
        if (!cell) return;
        if (view.guess) return guess(cell);
        if (view.steps) return state.set({ number: view.placeOf(cell) });
        const isPinned = view.pinned && !view.crossed && view.chosen === view.here.queries.tokenOf(cell);
        if (isPinned) state.set({ place: null, token: null, pinned: false, crossBlock: null });
        else state.set({ place: view.placeOf(cell), token: null, pinned: true, crossBlock: null });
      });
      function guess(cell) {
        const marked = view?.guess ?? [];
        const others = marked.filter((place2) => String(view?.cellAt(place2)) !== String(cell));
        if (others.length < marked.length) state.set({ guess: others });
        else if (marked.length < GUESSES) state.set({ guess: [...marked, view?.placeOf(cell)] });
        speak(() => words.say("guess_at", { row: cell[0] + 1, col: cell[1] + 1, n: (view?.guess ?? []).length }));
      }
      function teach(place2) {
        const cell = place2 && view?.patchAt(place2);
        if (!cell) return;
        state.set({
          things: touched(
            view,
            view?.placeOfPatch(cell).map((share) => Math.round(share * 1e4) / 1e4)
          )
        });
        speak(() => words.say("hand_at", { row: cell[0] + 1, col: cell[1] + 1 }));
      }
      function lookAt() {
        const { top, bottom } = canvas.getBoundingClientRect();
        if (top >= -1 && bottom <= innerHeight + 1) return;
        intoView(root.closest(".viz"));
      }
      function begin(begun2) {
        if (payload) for (const pause of [0, SETTLED]) later(lookAt, pause);
        payload = begun2;
        stage.setPicture(payload);
        liftPens();
      }
      function liftPens() {
        pen.lift();
        keyPen.lift();
      }
      function draw(shown) {
        view = shown;
        stage.draw(onStage(view, colours));
      }
      function show() {
        put(find("canvas-box"), { "data-drawing": view.tool ?? "" });
        if (view.tool !== tool) {
          tool = view.tool;
          liftPens();
          if (tool) takeUp();
        }
        if (tool && view.hand) {
          const [row2, col] = view.handCell;
          speak(() => words.say(view.hand?.from ? "hand_draws" : "hand_at", { row: row2 + 1, col: col + 1 }));
        }
        if (view.guess) put(canvas, { "aria-label": words.say("guess_stage") });
        else if (view.teach) put(canvas, { "aria-label": words.say("teach_stage") });
        else if (view.map.values) put(canvas, { "aria-label": mapSentence(words, view) });
      }
      function takeUp() {
        lookAt();
        const button = document.activeElement;
        if (!button?.matches("[data-tool]:focus-visible") || !root.closest(".viz")?.contains(button)) return;
        root.closest("[tabindex]").focus({ preventScroll: true });
        keyPen.show();
      }
      function press2(key) {
        if (keyPen.press(key)) return;
        if ((view.guess || view.teach) && (key === "Enter" || key in ARROWS)) return guessBy(key);
        if (key === "Enter") return false;
        if (key === "Escape") {
          if (keyPen.escape() || pen.escape()) return;
          if (!["pinned", "place", "token"].some((key2) => state.get(key2)) && !state.get("shapes").length) return false;
          if (!view.pinned) clear(state);
          state.set({ hover: null, place: null, token: null, pinned: false });
          return;
        }
        const [rows, cols] = view.here.queries.grid;
        const cell = view.here.queries.cellOf(view.chosen);
        const [down, right] = ARROWS[key];
        const inside = (at, count) => Math.min(count - 1, Math.max(0, at));
        const next = cell ? [inside(cell[0] + down, rows), inside(cell[1] + right, cols)] : [rows >> 1, cols >> 1];
        state.set({ hover: null, place: view.placeOf(next), token: null, pinned: true, crossBlock: null });
      }
      function guessBy(key) {
        const [rows, cols] = view.here.queries.grid;
        const cell = view.hovered ?? [rows >> 1, cols >> 1];
        if (key === "Enter") return view.guess ? guess(cell) : teach(view.placeOf(cell));
        const [down, right] = ARROWS[key];
        const next = [Math.min(rows - 1, Math.max(0, cell[0] + down)), Math.min(cols - 1, Math.max(0, cell[1] + right))];
        state.set({ hover: view.placeOf(next) });
        speak(() => words.say("hand_at", { row: next[0] + 1, col: next[1] + 1 }));
      }
      return { reset: begin, swap: begin, draw, show, press: press2, stage };
    }
  };

  // panels/status.js
  var panel_status = {
    name: "status",
    place: "told",
    order: 40,
    html: `<p class="viz-status"></p>`,
    shows: ({ depth, isReading }) => depth !== "number" && depth !== "teach" && !isReading,
    mount(root, { words }) {
      const status = finder(root)("status");
      const speak = speaker(status);
      function show(view) {
        write(status, view.map.values ? words.told(sentences(words, view)) : whyNothing(words, view));
        speak(() => view.map.values ? words.told([mapSentence(words, view), spreadSentence(words, view)]) : status.textContent);
      }
      function fail(said) {
        root.hidden = false;
        write(status, said);
        speak(() => said);
      }
      return { show, fail };
    }
  };
  function sentences(words, view) {
    const { values } = view.map;
    const last = view.pinned && !view.crossed ? words.say("is_pinned") : onPrefix(words, view);
    const later2 = view.rollsLater ? words.say("rolls_later") : "";
    return [mapSentence(words, view), ofWindow(words, view), ofSigns(words, values), last, later2];
  }
  function whyNothing(words, view) {
    const { payload, layer, method, here, query } = view;
    if (view.crossed) return words.say(here.kind === "asked" ? "cross_large" : "arriving");
    if (!view.knows) return words.say("no_such_token", { layer: layer + 1, name: tokenName(words, view, query) });
    if (here.kind === "mean" && payload.complete && (method === "attention" || isOfHeads(view))) return words.say("only_mean");
    if (method === "rollout" && payload.complete) return words.say("rolling", { share: percent(view.progress) });
    if (here.kind === "asked") return words.say(view.isLost ? "asked_lost" : "asked");
    return words.say("arriving");
  }
  function ofWindow(words, { reach, kind, here }) {
    const [from, to] = here.windowed ? ["window_from", "window_to"] : ["mask_from", "mask_to"];
    return reach ? words.say(kind === "to" ? to : from) : "";
  }
  function ofSigns(words, values) {
    const low = values.reduce((a, b) => Math.min(a, b), 0);
    return low < 0 ? words.say("negative", { share: percent(low) }) : "";
  }
  function onPrefix(words, { isWhole, method, map, here }) {
    if (!isWhole) return "";
    const { values, layout } = map;
    const said = [];
    const { first, prefix: prefix2 } = layout;
    const share = values.subarray(0, first).reduce((a, b) => a + b, 0);
    if (first) said.push(words.say(prefix2.join() === "cls" ? "on_cls" : "on_prefix", { share: percent(share) }));
    const rest = 1 - values.reduce((a, b) => a + b, 0);
    if (here.windowed && !THROUGH_LAYERS[method] && rest > 5e-3) said.push(words.say("on_padding", { share: percent(rest) }));
    return words.told(said);
  }

  // numbers/steps.js
  var MOST4 = 40;
  var ALL = 200;
  var KEPT = 12;
  var Steps = class {
    /** @param {any} answer */
    constructor(answer) {
      this.keys = answer.keys;
      this.at = answer.at;
      this.hidden = answer.hidden ?? [];
      this.turned = answer.turned;
      this.leftOut = answer.left_out;
      this.lens = answer.lens ?? null;
      this.label = answer.label ?? "";
      this.vectors = new Map(
        Object.entries(answer.vectors).map(([name2, [shape, packed]]) => [name2, { shape, values: floats(packed) }])
      );
      this.heads = this.vectors.get("attention")?.shape[0] ?? 0;
    }
    has(name2) {
      return this.vectors.has(name2);
    }
    /** A vector by name; if each head has one, that of `head`. @param {string} name @param {number} [head] @returns {Float32Array} */
    vector(name2, head) {
      const { shape, values } = (
        /** @type {{shape: number[], values: Float32Array}} */
        this.vectors.get(name2)
      );
      if (head === void 0 || shape.length === 1) return values;
      const width = shape[1];
      return values.subarray(head * width, (head + 1) * width);
    }
    /** Whether a mask hides a key from the query. @param {number} head @param {number} [column] */
    hides(head, column = this.at) {
      return this.hidden[head]?.includes(column) ?? false;
    }
    /** The map's value at this key, in each head. */
    shares() {
      return Array.from({ length: this.heads }, (_, head) => this.vector("attention", head)[this.at]);
    }
    /** The head in which this value is largest. */
    strongest() {
      const shares = this.shares();
      return shares.indexOf(Math.max(...shares));
    }
    /** q_i k_i for each dimension. */
    products(head) {
      const k = this.vector("key.used", head);
      return this.vector("query.used", head).map((value, i) => value * k[i]);
    }
    /** q k, its factor, what is added to it, and the resulting score. */
    score(head) {
      const dot = sum2(this.products(head));
      const scale = this.vector("scale")[head];
      const bias = this.has("bias") ? this.vector("bias", head)[this.at] : null;
      return { dot, scale, bias, score: this.vector("scores", head)[this.at] };
    }
    /** exp(score), the sum over all keys, and the share. Both are divided by exp of the largest score, which avoids overflow. */
    softmax(head) {
      const scores = this.vector("scores", head);
      const top = Math.max(...scores);
      const whole2 = sum2(scores.map((one) => Math.exp(one - top)));
      const own = Math.exp(scores[this.at] - top);
      if (top === -Infinity) return { top, own: 0, whole: 0, share: 0 };
      return { top, own, whole: whole2, share: own / whole2 };
    }
    /** What the key contributes: share x v. */
    brought(head) {
      const share = this.vector("attention", head)[this.at];
      return this.vector("values", head).map((value) => value * share);
    }
    /** The length of the vector that each head writes into the residual stream. */
    lengths() {
      return Array.from({ length: this.heads }, (_, head) => length(this.vector("written", head)));
    }
    /** The length of the sum of what all heads write, including the projection's bias. */
    writtenLength() {
      const total = Float32Array.from(this.vector("constant"));
      for (let head = 0; head < this.heads; head++) this.vector("written", head).forEach((value, i) => total[i] += value);
      return length(total);
    }
  };
  function fold(values, { always = -1, most = MOST4 } = {}) {
    const bars = Array.from(values, (value, index2) => ({ value, index: index2 }));
    if (bars.length <= most) return bars;
    const bySize = [...bars].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const kept = bySize.slice(0, KEPT);
    if (always >= 0 && !kept.some(({ index: index2 }) => index2 === always)) kept[KEPT - 1] = bars[always];
    const shown = new Set(kept.map(({ index: index2 }) => index2));
    const rest = sum2(bars.filter(({ index: index2 }) => !shown.has(index2)).map(({ value }) => value));
    return [...kept.sort((a, b) => a.index - b.index), { value: rest, index: -1 }];
  }
  var length = (values) => Math.sqrt(sum2(Array.from(values, (value) => value * value)));
  function sum2(values) {
    let total = 0;
    for (let i = 0; i < values.length; i++) total += values[i];
    return total;
  }
  function floats(packed) {
    return floatsOf(packed);
  }

  // drawing/bars.js
  var HEIGHT = 46;
  var GAP5 = 0.22;
  function barsOf(bars, { kind, label, say, lit = -2, top }) {
    const high = top ?? Math.max(...bars.map(({ value }) => Math.abs(value)), 1e-30);
    const below = bars.some(({ value }) => value < 0);
    const zero = below ? HEIGHT / 2 : HEIGHT - 1;
    const room = zero - 1;
    const drawing = svg("svg", {
      class: `viz-bars viz-of-${kind}`,
      viewBox: `0 0 ${bars.length} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label
    });
    drawing.style.maxWidth = `${Math.max(140, bars.length * 15)}px`;
    drawing.append(svg("line", { x1: 0, x2: bars.length, y1: zero, y2: zero }));
    for (const [x, bar] of bars.entries()) {
      const size = Math.max(0.75, Math.abs(bar.value) / high * room);
      const one = svg("rect", {
        x: x + GAP5 / 2,
        width: 1 - GAP5,
        y: bar.value < 0 ? zero : zero - size,
        height: size,
        "data-index": bar.index,
        class: [bar.index === lit ? "viz-lit" : "", bar.index < 0 ? "viz-rest" : ""].join(" ").trim()
      });
      const place2 = svg("rect", { x, width: 1, y: 0, height: HEIGHT, "data-index": bar.index, class: "viz-place-of-bar" });
      place2.append(svg("title", {}, say(bar)));
      drawing.append(one, place2);
    }
    return (
      /** @type {SVGSVGElement} */
      drawing
    );
  }

  // drawing/patch.js
  var NAMES = ["pixels", "filter", "adds"];
  function squaresOf(found, dimension, words) {
    const { pixels, height, width, channels } = found;
    const [filter, products] = [found.filter(dimension), found.products(dimension)];
    const added = new Float32Array(height * width);
    for (let i = 0; i < products.length; i++) added[i % added.length] += products[i];
    const box2 = document.createElement("div");
    box2.className = "viz-patch";
    const squares = [pixels, filter, added].map((values, i) => {
      const figure = document.createElement("figure");
      const place2 = document.createElement("div");
      const canvas = paint(values, { width, height, channels: values === added ? 1 : channels });
      const caption = Object.assign(document.createElement("figcaption"), {
        textContent: words.say(`patch_${NAMES[i]}`, { i: dimension + 1 })
      });
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", caption.textContent ?? "");
      const lit = document.createElement("i");
      lit.hidden = true;
      place2.append(canvas, lit);
      figure.append(place2, caption);
      return figure;
    });
    const sign = (text3) => Object.assign(document.createElement("span"), { textContent: text3, ariaHidden: "true" });
    box2.append(squares[0], sign("×"), squares[1], sign("="), squares[2]);
    const point = ({ target, clientX, clientY }) => {
      if (!(target instanceof HTMLCanvasElement)) return;
      const area = target.getBoundingClientRect();
      const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
      const [x, y] = [at((clientX - area.left) / area.width, width), at((clientY - area.top) / area.height, height)];
      for (const lit of box2.querySelectorAll("i")) {
        lit.hidden = false;
        Object.assign(lit.style, {
          left: `${100 * x / width}%`,
          top: `${100 * y / height}%`,
          width: `${100 / width}%`,
          height: `${100 / height}%`
        });
      }
      const said = box2.closest(".viz-step-body")?.querySelector(".viz-step-pointed");
      const place2 = y * width + x;
      const colours = Array.from({ length: channels }, (_, c) => c * height * width + place2);
      const sums = colours.map((i) => `${digits(pixels[i])} × ${digits(filter[i])}`).join(" + ");
      if (said) said.textContent = words.say("patch_pixel", { row: y + 1, col: x + 1, sums, sum: digits(added[place2]) });
    };
    box2.addEventListener("pointermove", point);
    box2.addEventListener("pointerdown", point);
    box2.addEventListener("pointerleave", () => {
      for (const lit of box2.querySelectorAll("i")) lit.hidden = true;
    });
    return box2;
  }
  function paint(values, { width, height, channels }) {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const image2 = new ImageData(width, height);
    const top = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
    const area = width * height;
    for (let i = 0; i < area; i++) {
      for (let c = 0; c < 3; c++) {
        const value = values[(channels === 3 ? c : 0) * area + i];
        image2.data[4 * i + c] = 127.5 * (1 + value / top);
      }
      image2.data[4 * i + 3] = 255;
    }
    canvas.getContext("2d")?.putImageData(image2, 0, 0);
    return canvas;
  }

  // drawing/step_bodies.js
  var MOST_STEPS = 12;
  var tagged2 = (tag, text3) => Object.assign(document.createElement(tag), { textContent: text3 });
  function stepBodies(words) {
    function formulaOf(name2, { patch }) {
      const key = name2 === "pixels" && patch?.found && !patch.found.hasPlace ? "pixels_bare" : name2;
      const box2 = document.createElement("span");
      box2.className = "viz-formula";
      for (const part2 of words.say(`formula_${key}`).split(/(\b[qkvp]\b(?:[\u1d62\u2c7c])?)/)) {
        const symbol = /^[qkvp]/.exec(part2) && part2.length <= 2;
        const one = tagged2("span", part2);
        if (symbol) one.className = `viz-of-${part2[0]}`;
        box2.append(one);
      }
      return box2;
    }
    function resultOf(name2, { found, head, patch, dimension }) {
      if (name2 === "pixels" && patch?.found) return digits(patch.found.explained[patch.found.chosen(dimension)]);
      const known = found.has("scores");
      if (["factors", "product", "scale", "softmax"].includes(name2) && !known) return "";
      if (name2 === "product") return digits(found.score(head).dot);
      if (name2 === "scale") return digits(found.score(head).score);
      if (name2 === "softmax") return percent(found.softmax(head).share);
      if (name2 === "class" && found.lens) return percent(found.lens.at(-1)[1]);
      return "";
    }
    const row2 = (label, values, kind, of, more = {}) => {
      const line = document.createElement("div");
      line.className = "viz-bar-row";
      line.dataset.of = of;
      const bars = more.whole ? values : fold(values, { always: more.lit, most: more.most });
      const say = more.say ?? (({ index: i, value }) => i < 0 ? words.say("bar_rest", { value: digits(value) }) : words.say("bar_one", { i: i + 1, value: digits(value) }));
      line.append(tagged2("span", label), barsOf(bars, { kind, label: `${label}: ${said(bars)}`, say, ...more }));
      return line;
    };
    const said = (bars) => bars.slice(0, 6).map(({ value }) => digits(value)).join(", ");
    const text3 = (key, given = {}) => tagged2("p", words.say(key, given));
    const leftOut = (found, name2) => tagged2("p", words.say("steps_left_out", { why: found.leftOut[name2] ?? "" }));
    function rowOfToken(side2, letter, { names, found, pixels }) {
      const line = row2(names[side2], found.vector(`${side2}.stream`), letter, "stream", { most: ALL });
      line.firstElementChild?.prepend(pixels[side2]);
      return line;
    }
    function rowOfPatch(label, embedding, values, dimension) {
      const bars = embedding.bars(values);
      const line = row2(label, bars, "plain", "patch", { whole: true, lit: dimension });
      if (bars.length < values.length) {
        line.firstElementChild?.append(", ", words.say("row_largest", { n: bars.length, all: values.length }));
      }
      return line;
    }
    function walkOf(embedding, dimension) {
      const walk = document.createElement("span");
      walk.className = "viz-steps-walk";
      const dimensions = embedding.bars(embedding.token).map(({ index: index2 }) => index2);
      const at = dimensions.indexOf(dimension);
      const button = (sign, name2, to) => {
        const one = Object.assign(tagged2("button", sign), { disabled: to === void 0, className: `viz-patch-${name2}` });
        one.setAttribute("aria-label", words.say(`patch_${name2}`));
        if (to !== void 0) one.dataset.dimension = String(to);
        return one;
      };
      walk.append(
        button("‹", "back", dimensions[at - 1]),
        tagged2("span", words.say("patch_number", { i: dimension + 1 })),
        button("›", "on", dimensions[at + 1])
      );
      return walk;
    }
    const BODIES = {
      pixels({ patch, patchName, dimension: wanted }) {
        if (!patch) return Object.assign(text3("steps_wait"), { className: "viz-patch-wait" });
        if (!patch.found) return tagged2("p", patch.why ?? "");
        const one = patch.found;
        const dimension = one.chosen(wanted);
        const { dot, bias, position, made: made2, token } = one.sumOf(dimension);
        const size = { height: one.height, width: one.width, n: one.pixels.length, all: one.token.length };
        const given = { dot: digits(dot), bias: digits(bias), made: digits(made2), token: digits(token) };
        const summed = one.hasPlace ? "sum_pixels_place" : "sum_pixels";
        const name2 = words.say("row_patch", { name: patchName });
        return [
          text3("step_pixels_help", { ...size, name: patchName }),
          walkOf(one, dimension),
          squaresOf(one, dimension, words),
          sumOf2(words.say(summed, { ...given, position: digits(position ?? 0) })),
          ...position !== null && !one.hasPlace ? [text3("step_pixels_nowhere")] : [],
          ...position === null ? [
            text3("step_pixels_turned", given),
            rowOfPatch(words.say("row_before", { name: name2 }), one, one.made, dimension),
            rowOfPatch(words.say("row_after", { name: name2 }), one, one.token, dimension)
          ] : [rowOfPatch(name2, one, one.token, dimension)]
        ];
      },
      tokens(about) {
        const { found, layer } = about;
        if (!found.has("query.stream")) return leftOut(found, "written");
        const n = found.vector("query.stream").length;
        return [text3("step_tokens_help", { n, layer: layer + 1 }), rowOfToken("query", "q", about), rowOfToken("key", "k", about)];
      },
      window({ found, keys, names }) {
        const seen = found.keys.filter((token) => token >= 0).length;
        return [text3("step_window_help", { ...names, n: seen, all: keys.tokens })];
      },
      factors({ found, head, names }) {
        if (!found.has("query.used")) return leftOut(found, "q");
        const rows = [text3("step_factors_help", { ...names, n: found.vector("query.used", head).length })];
        for (const [side2, letter] of [
          ["query", "q"],
          ["key", "k"]
        ]) {
          const name2 = words.say(`row_${letter}`, { name: names[side2] });
          if (found.turned[side2])
            rows.push(row2(words.say("row_before", { name: name2 }), found.vector(`${side2}.made`, head), letter, "dimension"));
          rows.push(
            row2(
              found.turned[side2] ? words.say("row_after", { name: name2 }) : name2,
              found.vector(`${side2}.used`, head),
              letter,
              "dimension"
            )
          );
        }
        if (found.turned.query || found.turned.key) rows.push(text3("step_turned_help"));
        return rows;
      },
      product({ found, head }) {
        if (!found.has("query.used")) return leftOut(found, "q");
        const q = found.vector("query.used", head);
        const k = found.vector("key.used", head);
        const say = ({ index: i, value }) => i < 0 ? words.say("bar_rest", { value: digits(value) }) : words.say("bar_product", { i: i + 1, q: digits(q[i]), k: digits(k[i]), value: digits(value) });
        return [
          text3("step_product_help", { dot: digits(found.score(head).dot) }),
          row2("q", q, "q", "dimension"),
          row2("k", k, "k", "dimension"),
          row2("q × k", found.products(head), "plain", "dimension", { say })
        ];
      },
      scale({ found, head, names }) {
        if (!found.has("scores")) return leftOut(found, "q");
        const { dot, scale, bias, score } = found.score(head);
        const given = { dot: digits(dot), scale: digits(scale), score: digits(score), bias: bias === null ? "" : digits(bias) };
        return [
          text3("step_scale_help"),
          sumOf2(words.say(bias === null ? "sum_scale" : "sum_scale_bias", given)),
          ...bias === null ? [] : [found.hides(head) ? text3("step_hidden_help", names) : text3("step_bias_help")]
        ];
      },
      softmax({ found, head, names, nameOf: nameOf5 }) {
        const shares = found.vector("attention", head);
        if (!found.has("scores")) return leftOut(found, "q");
        const { own, whole: whole2, share, top } = found.softmax(head);
        const say = ({ index: i, value }) => {
          if (i < 0) return words.say("bar_others", { share: percent(value) });
          const name2 = nameOf5(found.keys[i], "keys");
          return found.hides(head, i) ? words.say("bar_hidden", { name: name2 }) : `${name2}: ${percent(value)}`;
        };
        const sum3 = {
          own: digits(own),
          whole: digits(whole2),
          share: percent(share),
          score: digits(found.score(head).score),
          top: digits(top)
        };
        return [
          text3("step_softmax_help", { n: shares.length }),
          found.hides(head) ? text3("step_hidden_share", names) : sumOf2(words.say("sum_softmax", sum3)),
          row2(words.say("row_shares", names), shares, "p", "tokens", { lit: found.at, say })
        ];
      },
      registers({ found, head, keys, nameOf: nameOf5 }) {
        const parts = placeless(found, head, keys).map(({ token, share: share2 }) => [nameOf5(token, "keys"), share2]);
        const registers = placeless(found, head, keys).filter(({ name: name2 }) => name2.startsWith("reg"));
        const rest = 1 - parts.reduce((sum3, [, share2]) => sum3 + Number(share2), 0);
        const share = percent(registers.reduce((sum3, one) => sum3 + one.share, 0));
        return [text3("step_registers_help", { share }), lengths([...parts, [words.say("chip_mean"), rest]], percent)];
      },
      value({ found, head, names }) {
        const share = percent(found.vector("attention", head)[found.at]);
        const v = found.vector("values", head);
        const top = Math.max(...v.map(Math.abs));
        return [
          text3("step_value_help", { ...names, share }),
          row2(words.say("row_v", { name: names.key }), v, "v", "value", { top }),
          row2(words.say("row_brought", { share }), found.brought(head), "p", "value", { top })
        ];
      },
      head({ found, head }) {
        const rows = [
          text3("step_head_help", { head: head + 1 }),
          row2(words.say("row_mixed", { head: head + 1 }), found.vector("mixed", head), "v", "value")
        ];
        if (!found.has("written")) return [...rows, leftOut(found, "written")];
        const bars = found.lengths().map((value, i) => ({ value, index: i }));
        const say = ({ index: i, value }) => words.say("bar_head", { head: i + 1, value: digits(value) });
        return [
          ...rows,
          text3("step_written_help"),
          row2(words.say("row_written"), bars, "plain", "heads", { whole: true, lit: head, say })
        ];
      },
      stream({ found }) {
        if (!found.has("written")) return leftOut(found, "written");
        const parts = [
          ["before", length(found.vector("query.stream"))],
          ["attention", found.writtenLength()],
          ["between", length(found.vector("between"))],
          ...found.has("rest") ? [
            ["rest", length(found.vector("rest"))],
            ["after", length(found.vector("after"))]
          ] : []
        ];
        const list = lengths(
          parts.map(([name2, value]) => [words.say(`length_${name2}`), value]),
          digits
        );
        return [text3("step_stream_help"), list, ...found.has("rest") ? [] : [leftOut(found, "rest")]];
      },
      class({ found, layer }) {
        if (!found.lens) return text3("step_class_none");
        const bars = found.lens.map(([n, value]) => ({ value, index: n }));
        const say = ({ index: n, value }) => words.say(n ? "bar_lens" : "bar_lens_none", { n, share: percent(value) });
        return [
          text3("step_class_help", { label: found.label }),
          row2(words.say("row_lens", { label: found.label }), bars, "plain", "layers", {
            whole: true,
            lit: layer + 1,
            top: 1,
            say
          })
        ];
      }
    };
    function lengths(parts, said2) {
      const top = Math.max(...parts.map(([, value]) => Number(value)));
      const list = document.createElement("dl");
      list.className = "viz-lengths";
      for (const [name2, value] of parts) {
        const bar = document.createElement("i");
        bar.style.width = `${100 * Number(value) / top}%`;
        const cell = tagged2("dd", "");
        cell.append(bar, tagged2("span", said2(Number(value))));
        list.append(tagged2("dt", name2), cell);
      }
      return list;
    }
    function placeless(found, head, keys) {
      const shares = found.vector("attention", head);
      return found.keys.map((token, column) => ({ token, name: keys.prefix[token] ?? "", share: shares[column] })).filter(({ token }) => token >= 0 && token < keys.prefix.length);
    }
    const ONLY = {
      window: ({ found, keys }) => found.keys.filter((token) => token >= 0).length < keys.tokens,
      registers: ({ keys }) => keys.prefix.some((name2) => name2.startsWith("reg"))
    };
    const namesOf = (about) => Object.keys(BODIES).filter((name2) => !ONLY[name2] || ONLY[name2](about));
    function sumOf2(said2) {
      const line = tagged2("p", said2);
      line.className = "viz-sum";
      return line;
    }
    function bodyOf(name2, about) {
      const parts = BODIES[name2](about);
      return Array.isArray(parts) ? parts : [parts];
    }
    return { namesOf, bodyOf, formulaOf, resultOf };
  }

  // numbers/embedding.js
  var Embedding = class {
    /** @param {any} answer */
    constructor({ vectors, dimensions }) {
      const of = (name2) => vectors[name2] ? floatsOf(vectors[name2][1]) : null;
      const [channels, height, width] = vectors.pixels[0];
      this.channels = channels;
      this.height = height;
      this.width = width;
      this.dimensions = dimensions;
      this.pixels = /** @type {Float32Array} */
      of("pixels");
      this.weights = /** @type {Float32Array} */
      of("weights");
      this.bias = /** @type {Float32Array} */
      of("bias");
      this.made = /** @type {Float32Array} */
      of("made");
      this.token = /** @type {Float32Array} */
      of("token");
      this.position = of("position");
    }
    /** The vector that the sums here explain: the token, or what the norm before the first layer turns into it. */
    get explained() {
      return this.position ? this.token : this.made;
    }
    /** Whether a position is added. Networks with rotary positions add nothing. */
    get hasPlace() {
      return this.position?.some((value) => value !== 0) ?? false;
    }
    /** The number of the token to look at: the wanted one, or the largest. @param {number | null} wanted */
    chosen(wanted) {
      if (wanted !== null && this.dimensions.includes(wanted)) return wanted;
      const size = (i) => Math.abs(this.explained[i]);
      return this.dimensions.reduce((best, i) => size(i) > size(best) ? i : best);
    }
    /** The weights of one number of the token, in the shape of the pixels. @param {number} dimension */
    filter(dimension) {
      const at = this.dimensions.indexOf(dimension) * this.pixels.length;
      return this.weights.subarray(at, at + this.pixels.length);
    }
    /** pixel x weight, for each colour. @param {number} dimension */
    products(dimension) {
      return this.filter(dimension).map((weight, i) => weight * this.pixels[i]);
    }
    /** @param {number} dimension */
    sumOf(dimension) {
      const bias = this.bias[this.dimensions.indexOf(dimension)];
      const position = this.position ? this.position[dimension] : null;
      return { dot: sum2(this.products(dimension)), bias, position, made: this.made[dimension], token: this.token[dimension] };
    }
    /** Bars for all numbers of a short token, or for those whose weights were sent. @param {Float32Array} values */
    bars(values) {
      const shown = values.length <= ALL ? Array.from(values, (_, i) => i) : this.dimensions;
      return shown.map((index2) => ({ value: values[index2], index: index2 }));
    }
  };

  // panels/steps.js
  var CROP = 44;
  var panel_steps = {
    name: "steps",
    place: "maps",
    order: 5,
    shows: ({ depth }) => depth === "number",
    html: `
    <section class="viz-steps" aria-label="$number" hidden>
      <div class="viz-steps-head">
        <h2 class="viz-steps-said"></h2>
        <span class="viz-steps-walk"><button class="viz-steps-back" aria-label="$steps_back">‹</button><output class="viz-steps-at"></output><button class="viz-steps-on" aria-label="$steps_on">›</button></span>
      </div>
      <p class="viz-steps-hint">$steps_hint</p>
      <p class="viz-steps-heads"></p>
      <ol class="viz-steps-list"></ol>
    </section>`,
    state: { step: index(0, MOST_STEPS - 1), dimension: index(null) },
    // which step is open, and which number of the token it shows
    mount(root, { state, ask, words }) {
      const find = finder(root);
      const bodies = stepBodies(words);
      const box2 = find("steps");
      let view = null;
      let asked = "";
      let steps = null;
      let why = "";
      let patchAsked = { key: "", number: (
        /** @type {number | null} */
        null
      ) };
      let patch = null;
      let patchLate = false;
      let drawn = "";
      let wasOpen = false;
      let names = (
        /** @type {string[]} */
        []
      );
      const go = (step) => state.set({ step: Math.max(0, Math.min(names.length - 1, step)) });
      find("steps-back").addEventListener("click", () => go(state.get("step") - 1));
      find("steps-on").addEventListener("click", () => go(state.get("step") + 1));
      box2.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
        if (event.key === "Escape") state.set({ steps: false });
        else if (by) go(state.get("step") + by);
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
      find("steps-list").addEventListener("pointerover", ({ target }) => light(target));
      find("steps-list").addEventListener("click", ({ target }) => {
        const key = target.closest("[data-of=tokens] [data-index]")?.dataset.index;
        if (key !== void 0 && Number(key) >= 0 && steps) choose(steps.keys[Number(key)]);
        const number2 = target.closest("[data-of=patch] [data-index]")?.dataset.index ?? target.closest("[data-dimension]")?.dataset.dimension;
        if (number2 !== void 0 && Number(number2) >= 0) state.set({ dimension: Number(number2) });
      });
      function light(target) {
        const bar = target.closest?.(".viz-bars [data-index]");
        const symbol = target.closest?.(".viz-formula [class^=viz-of-]");
        const of = bar?.closest("[data-of]")?.dataset.of;
        const step = target.closest?.("details");
        const lit = (
          /** @type {Element[]} */
          []
        );
        if (of) lit.push(...root.querySelectorAll(`[data-of="${of}"] rect[data-index="${bar.dataset.index}"]`));
        const kind = /viz-of-[qkvp]/.exec((symbol ?? bar?.closest(".viz-bars"))?.getAttribute("class") ?? "")?.[0];
        if (kind) lit.push(...step.querySelectorAll(`.viz-formula .${kind}`));
        if (symbol) lit.push(...step.querySelectorAll(`.viz-bars.${kind}`));
        for (const one of root.querySelectorAll(".viz-pointed")) one.classList.remove("viz-pointed");
        for (const one of lit) one.classList.add("viz-pointed");
        const said = bar?.closest(".viz-step-body")?.querySelector(".viz-step-pointed");
        if (said) write(said, bar.querySelector("title")?.textContent ?? "");
      }
      function choose(token) {
        const cell = view?.map.layout.cellOf(token);
        if (cell) state.set({ number: view?.placeOf(cell) });
      }
      function show(next) {
        view = next;
        put(box2, { hidden: !view.steps });
        if (!view.steps) {
          wasOpen = false;
          return;
        }
        const reason = whyNot(view);
        if (reason) return tell(reason);
        const [query, key] = pairOf(view);
        const wanted = JSON.stringify([view.payload.run, view.layer, query, key]);
        if (wanted !== asked) bring(wanted, view.payload.run, [view.layer, query, key]);
        if (!steps) return tell(why || words.say("steps_wait"));
        drawSteps(steps, query, key);
      }
      async function bring(wanted, run, what) {
        asked = wanted;
        why = "";
        const answer = await ask("steps", run, what);
        if (asked !== wanted) return;
        steps = answer.vectors ? new Steps(answer) : null;
        why = answer.why ?? (steps ? "" : words.say("asked_lost"));
        drawn = "";
        if (view?.steps) show(view);
      }
      function bringPatch({ payload, here, direction }, token) {
        const layout = direction === "to" ? here.queries : here.keys;
        const cell = layout.cellOf(token);
        const number2 = state.get("dimension");
        const known = patch?.found?.dimensions.includes(number2 ?? -1) ?? false;
        const key = JSON.stringify([payload.run, layout.grid, cell]);
        if (key === patchAsked.key && (number2 === null || known || number2 === patchAsked.number)) return;
        patchLate = key === patchAsked.key && Boolean(patch?.found);
        if (!patchLate) patch = null;
        patchAsked = { key, number: number2 };
        if (!cell || String(layout.grid) !== String(payload.layers[0].queries.grid)) patch = { why: words.say("steps_merged") };
        else askPatch(payload.run, [cell[0], cell[1], number2], patchAsked);
      }
      async function askPatch(run, [row2, col, number2], about) {
        let answer = await ask("embedding", run, [row2, col, number2]);
        if (!answer.vectors && number2 !== null) answer = await ask("embedding", run, [row2, col, null]);
        if (patchAsked !== about) return;
        patchLate = false;
        patch = answer.vectors ? { found: new Embedding(answer) } : { why: answer.why ?? words.say("asked_lost") };
        drawn = "";
        if (view?.steps) show(view);
      }
      function tell(text3) {
        drawn = "";
        write(find("steps-said"), text3);
        find("steps-heads").replaceChildren();
        find("steps-list").replaceChildren();
      }
      function whyNot({ method, crossed, query, map }) {
        if (crossed) return words.say("steps_no_cross");
        if (method === "rollout") return words.say("steps_no_rollout");
        if (typeof query !== "number") return words.say("steps_no_mean");
        return map.values ? "" : words.say("arriving");
      }
      function drawSteps(found, query, key) {
        const head = view?.fusion === "one" ? view.head : found.strongest();
        const keys = view?.here.keys;
        names = bodies.namesOf({ found, keys });
        const at = Math.min(state.get("step"), names.length - 1);
        const ofPatch = view?.direction === "to" ? query : key;
        if (view && names[at] === "pixels") {
          bringPatch(view, ofPatch);
          if (patchLate) return;
        }
        const shown = JSON.stringify([
          asked,
          head,
          view?.fusion,
          at,
          names[at] === "pixels" && [patchAsked.key, state.get("dimension"), patch === null]
        ]);
        if (shown === drawn) return;
        drawn = shown;
        const share = found.vector("attention", head)[found.at];
        const tokens = { query: nameOf5(query, "queries"), key: nameOf5(key, "keys") };
        write(
          find("steps-said"),
          words.say("steps_said", { layer: (view?.layer ?? 0) + 1, head: head + 1, ...tokens, share: percent(share) })
        );
        find("steps-heads").replaceChildren(...headsOf(found, head));
        write(find("steps-at"), words.say("steps_at", { n: at + 1, all: names.length }));
        put(find("steps-back"), { disabled: at === 0 });
        put(find("steps-on"), { disabled: at === names.length - 1 });
        const pixels = { query: pixelsOf(query, "queries"), key: pixelsOf(key, "keys") };
        const patchName = view?.direction === "to" ? tokens.query : tokens.key;
        const dimension = state.get("dimension");
        const about = { found, head, layer: view?.layer ?? 0, names: tokens, pixels, nameOf: nameOf5, keys, patch, patchName, dimension };
        const every = names.map((name2, i) => stepOf2(name2, i, i === at, about));
        const held = /viz-patch-(back|on)/.exec(
          box2.contains(document.activeElement) ? document.activeElement?.className ?? "" : ""
        );
        find("steps-list").replaceChildren(...every);
        if (held) box2.querySelector(`.${held[0]}`)?.focus();
        if (!wasOpen && !view?.isReading) intoView(box2, "nearest");
        wasOpen = true;
      }
      function nameOf5(token, side2) {
        const layout = view?.here[side2];
        return layout?.cellOf(token) ? tokenName(words, view, token, layout) : words.say(...nameKey("name", layout?.prefix[token] ?? ""));
      }
      function pixelsOf(token, side2) {
        const canvas = document.createElement("canvas");
        const layout = view?.here[side2];
        const cell = layout?.cellOf(token);
        if (!view || !cell) return document.createTextNode("");
        const { bitmap, window: seen } = view.payload;
        const [left, top, right, bottom] = seen;
        const [rows, cols] = layout.grid;
        const [width, height] = [(right - left) / cols * bitmap.width, (bottom - top) / rows * bitmap.height];
        const [x, y] = [left * bitmap.width + cell[1] * width, top * bitmap.height + cell[0] * height];
        canvas.className = "viz-crop";
        canvas.width = canvas.height = CROP;
        canvas.getContext("2d")?.drawImage(bitmap, x, y, width, height, 0, 0, CROP, CROP);
        return canvas;
      }
      function headsOf(found, head) {
        const shares = found.shares();
        const buttons2 = shares.map((share, i) => {
          const button = tagged("button", words.say("steps_head", { head: i + 1, share: percent(share) }));
          button.addEventListener("click", () => state.set({ head: i, fusion: "one" }));
          put(button, { "aria-pressed": i === head });
          return button;
        });
        const mean = percent(shares.reduce((a, b) => a + b, 0) / shares.length);
        const said = view?.fusion === "one" ? words.say("steps_of_heads") : words.say("steps_of_mean", { n: shares.length, mean });
        return [tagged("span", said), ...buttons2];
      }
      function stepOf2(name2, at, isOpen, about) {
        const item = document.createElement("li");
        const details = document.createElement("details");
        const summary = document.createElement("summary");
        details.open = isOpen;
        details.dataset.step = name2;
        summary.append(tagged("b", words.say(`step_${name2}`)), " ", bodies.formulaOf(name2, about), tagged("span", ""));
        summary.lastElementChild.className = "viz-step-result";
        details.append(summary);
        summary.addEventListener("click", (event) => {
          event.preventDefault();
          if (isOpen) details.open = !details.open;
          else go(at);
        });
        item.append(details);
        if (isOpen) {
          const body = document.createElement("div");
          body.className = "viz-step-body";
          body.append(...bodies.bodyOf(name2, about));
          const pointed = tagged("output", "");
          pointed.className = "viz-step-pointed";
          body.append(pointed);
          details.append(body);
        }
        write(
          /** @type {HTMLElement} */
          summary.lastElementChild,
          bodies.resultOf(name2, about)
        );
        return item;
      }
      const forget = () => {
        asked = "";
        steps = null;
        patchAsked = { key: "", number: null };
        patchLate = false;
        patch = null;
      };
      return { reset: forget, swap: forget, show };
    }
  };
  function pairOf({ map, query, asksNumber, direction }) {
    const token = asksNumber ? map.layout.tokenOf(asksNumber) : strongest2(map);
    return direction === "to" ? [token, query] : [query, token];
  }
  function strongest2({ values, layout }) {
    let best = layout.first;
    for (let token = layout.first; token < layout.tokens; token++) if (values[token] > values[best]) best = token;
    return best;
  }

  // numbers/half.js
  var halves = null;
  function halfToFloat(bits2) {
    if (!halves) {
      halves = new Float32Array(65536);
      for (let i = 0; i < 65536; i++) {
        const exponent = i >> 10 & 31;
        const fraction = i & 1023;
        let value;
        if (exponent === 0) value = fraction * 2 ** -24;
        else if (exponent === 31) value = fraction ? NaN : Infinity;
        else value = (1 + fraction / 1024) * 2 ** (exponent - 15);
        halves[i] = i & 32768 ? -value : value;
      }
    }
    const floats2 = new Float32Array(bits2.length);
    for (let i = 0; i < bits2.length; i++) floats2[i] = halves[bits2[i]];
    return floats2;
  }

  // numbers/prototypes.js
  function meanOf(rows) {
    const mean = new Float32Array(rows[0].length);
    for (const row2 of rows) for (let i = 0; i < mean.length; i++) mean[i] += row2[i] / rows.length;
    return mean;
  }
  function sharesOf(features, prototypes, temperature = TEMPERATURE) {
    const [things, width] = [prototypes.length, prototypes[0].length];
    const lengths = prototypes.map((one) => Math.max(Math.hypot(...one), 1e-12));
    const shares = new Float32Array(features.length / width * things);
    for (let at = 0; at < shares.length; at += things) {
      const from = at / things * width;
      let highest = -Infinity;
      for (let k = 0; k < things; k++) {
        let dot = 0;
        for (let i = 0; i < width; i++) dot += features[from + i] * prototypes[k][i];
        shares[at + k] = dot / lengths[k] / temperature;
        highest = Math.max(highest, shares[at + k]);
      }
      let sum3 = 0;
      for (let k = 0; k < things; k++) sum3 += shares[at + k] = Math.exp(shares[at + k] - highest);
      for (let k = 0; k < things; k++) shares[at + k] /= sum3;
    }
    return shares;
  }
  function nearest(shares, things) {
    return Array.from({ length: shares.length / things }, (_, patch) => {
      const own = shares.subarray(patch * things, (patch + 1) * things);
      const thing = own.indexOf(Math.max(...own));
      return { thing, share: own[thing] };
    });
  }

  // panels/teach.js
  var KEPT2 = 4;
  var panel_teach = {
    name: "teach",
    place: "maps",
    order: 6,
    shows: ({ depth }) => depth === "teach",
    html: `
    <section class="viz-teach" aria-label="$teach" hidden>
      <div class="viz-teach-head">
        <p class="viz-teach-said"></p>
      </div>
      <ul class="viz-teach-things"></ul>
      <p class="viz-teach-row">
        <button class="viz-teach-add">$teach_add</button><button class="viz-teach-forget">$teach_forget</button><button class="viz-teach-colours" aria-pressed="true" title="$teach_colours_help">$teach_colours</button>
      </p>
      <p class="viz-teach-explained"><span data-term="norm cosine softmax">$teach_how_label</span>: <span class="viz-teach-how"></span></p>
    </section>`,
    keys: { 1: "", 2: "", 3: "", 4: "", 5: "" },
    mount(root, { state, ask, words }) {
      const find = finder(root);
      const box2 = find("teach");
      const speak = speaker(find("teach-things"));
      let view = null;
      const known = /* @__PURE__ */ new Map();
      let kept = [];
      let last = { run: "", model: "", picture: "", things: "" };
      let wasOpen = false;
      let labelled = "";
      const things = () => state.get("things").length ? state.get("things") : begun();
      const nameOf5 = (i) => nameIn(things(), i, words);
      const rows = Array.from({ length: MOST_THINGS }, (_, i) => rowOf3(i));
      find("teach-things").append(...rows.map(({ item }) => item));
      find("teach-colours").addEventListener("click", () => state.set({ labelled: !state.get("labelled") }));
      find("teach-add").addEventListener("click", () => {
        state.set({ things: [...things(), { name: "", at: [] }], thing: things().length });
        rows[state.get("thing")].name.focus();
      });
      find("teach-forget").addEventListener("click", () => {
        kept = [];
        state.set({ things: [], thing: 0, taught: null });
      });
      box2.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        state.set({ teach: false });
        event.stopPropagation();
      });
      function rowOf3(i) {
        const item = document.createElement("li");
        const choose = document.createElement("button");
        const name2 = document.createElement("input");
        const remove = tagged("button", "×");
        const [count, share] = [tagged("span", ""), tagged("output", "")];
        choose.className = "viz-teach-choose";
        choose.style.setProperty("--thing", COLOURS[i]);
        name2.maxLength = THING_LETTERS;
        count.className = "viz-teach-count";
        share.className = "viz-teach-share";
        choose.addEventListener("click", () => state.set({ thing: i }));
        name2.addEventListener("focus", () => state.set({ thing: i }));
        name2.addEventListener(
          "input",
          () => state.set({ things: things().map((one, n) => n === i ? { ...one, name: name2.value } : one) })
        );
        name2.addEventListener("keydown", (event) => {
          if (event.key === "Enter") root.closest(".viz")?.querySelector(".viz-stage")?.focus();
        });
        remove.addEventListener("click", () => {
          kept.splice(i, 1);
          const left = things().filter((_, n) => n !== i);
          state.set({ things: left, thing: Math.min(state.get("thing"), left.length - 1) });
        });
        item.append(choose, name2, count, share, remove);
        return { item, choose, name: name2, count, share, remove };
      }
      function show(next) {
        view = next;
        put(box2, { hidden: !view.teach });
        if (!view.teach) {
          wasOpen = false;
          return;
        }
        const { run, model, id: picture } = view.payload;
        last = { run, model, picture, things: JSON.stringify(state.get("things")) };
        const features = known.get(view.payload.run);
        if (features === void 0) bring(view.payload.run);
        const ready = features && "all" in features ? features : null;
        if (ready) label(ready);
        const cannot = Boolean(features && "why" in features);
        for (const part2 of ["teach-things", "teach-row", "teach-explained"]) put(find(part2), { hidden: cannot });
        showThings(ready);
        write(find("teach-said"), said(features));
        write(find("teach-how"), words.say(ready && !ready.normed ? "teach_how_plain" : "teach_how", { temperature: TEMPERATURE }));
        put(find("teach-add"), { disabled: things().length >= MOST_THINGS });
        put(find("teach-colours"), { "aria-pressed": view.labelled });
        if (!wasOpen && !view.isReading) intoView(box2, "nearest");
        wasOpen = true;
      }
      function showThings(ready) {
        const taught = view?.taught?.run === view?.payload.run ? view?.taught : null;
        const chosen = Math.min(view?.thing ?? 0, things().length - 1);
        rows.forEach(({ item, choose, name: name2, count, share, remove }, i) => {
          const thing = things()[i];
          put(item, { hidden: !thing });
          if (!thing) return;
          const label2 = words.say("teach_thing", { n: i + 1 });
          put(choose, { "aria-pressed": i === chosen, "aria-label": words.say("teach_choose", { name: nameOf5(i) }) });
          if (document.activeElement !== name2) put(name2, { value: thing.name });
          put(name2, { placeholder: label2, "aria-label": words.say("teach_name", { n: i + 1 }) });
          const n = ready ? rowsOf(i, ready).length : thing.at.length;
          write(count, words.say(n === 1 ? "teach_count_1" : "teach_count", { n }));
          write(share, taught ? shareOf2(i, taught.labels) : "");
          put(remove, { hidden: things().length <= 2, "aria-label": words.say("teach_remove", { name: nameOf5(i) }) });
        });
      }
      function shareOf2(i, labels) {
        const share = labels.filter(([thing]) => thing === i).length / labels.length;
        return words.say("teach_share", { share: percent(share) });
      }
      function said(features) {
        if (features === null || features === void 0) return words.say("teach_wait");
        if ("why" in features) return features.why;
        const counts = things().map((_, i) => rowsOf(i, features).length);
        const others = kept.flat().find(({ model }) => model !== view?.payload.model);
        if (counts.filter(Boolean).length >= 2) return words.say("teach_done");
        if (others && !counts.some(Boolean)) return words.say("teach_other_model", { model: others.model });
        return words.say("teach_hint");
      }
      async function bring(run) {
        known.set(run, null);
        const answer = await ask("features", run);
        known.set(
          run,
          answer.features ? unpacked(answer) : { why: answer.why ?? words.say(answer.large ? "teach_too_many" : "asked_lost") }
        );
        if (known.size > KEPT2) known.delete(known.keys().next().value);
        if (view?.teach && view.payload.run === run) show(view);
      }
      function rowsOf(i, features) {
        const earlier = (kept[i] ?? []).filter(({ model, row: row2 }) => model === view?.payload.model && row2.length === features.width);
        return [...markedOf(i, features), ...earlier.map(({ row: row2 }) => row2)];
      }
      function markedOf(i, features) {
        const cells = (things()[i]?.at ?? []).map((place2) => view?.patchAt(place2)).filter(Boolean);
        return cells.map(([row2, col]) => features.rows(row2 * features.grid[1] + col));
      }
      async function label(features) {
        const { run, model } = view?.payload ?? { run: "", model: "" };
        const made2 = JSON.stringify([run, things().map(({ at }) => at), kept.map((some2) => some2.length)]);
        if (made2 === labelled) return;
        labelled = made2;
        const marks = marksOf(things());
        const marked = things().map((_, i) => rowsOf(i, features));
        const these = [...marked.keys()].filter((i) => marked[i].length);
        await null;
        if (these.length < 2) return state.set({ taught: null });
        const prototypes = these.map((i) => meanOf(marked[i]));
        const shares = sharesOf(features.all, prototypes);
        const labels = nearest(shares, these.length).map(({ thing, share }) => [these[thing], share]);
        state.set({ taught: { run, model, grid: features.grid, things: these.length, labels, marks, these, prototypes } });
        speak(() => words.list(these.map((i) => `${nameOf5(i)} ${shareOf2(i, labels)}`)));
      }
      function reset({ id }) {
        const before = known.get(last.run);
        const isOurs = last.run && last.things === JSON.stringify(state.get("things"));
        if (isOurs && before && "all" in before && view) {
          const { model, picture } = last;
          const rows2 = (i) => markedOf(i, before).map((row2) => ({ model, picture, row: row2.slice() }));
          kept = things().map((_, i) => [...kept[i] ?? [], ...rows2(i)]);
        }
        if (isOurs) state.set({ things: state.get("things").map(({ name: name2 }) => ({ name: name2, at: [] })) });
        else kept = kept.map((some2) => some2.filter(({ picture }) => picture !== id));
        last = { run: "", model: "", picture: "", things: "" };
        labelled = "";
      }
      function press2(key) {
        if (!state.get("teach") || Number(key) > things().length) return false;
        state.set({ thing: Number(key) - 1 });
        speak(() => words.say("teach_choose", { name: nameOf5(Number(key) - 1) }));
      }
      return { reset, show, press: press2 };
    }
  };
  function unpacked({ features, grid, normed }) {
    const all = halfToFloat(new Uint16Array(bytesOf(features).buffer));
    const width = all.length / (grid[0] * grid[1]);
    return { all, grid, normed, width, rows: (patch) => all.subarray(patch * width, (patch + 1) * width) };
  }

  // numbers/film.js
  var Film = class {
    /** @param {Said} said */
    constructor({ steps, curves, levels, learned, classes, pictures }) {
      this.steps = steps;
      this.curves = curves;
      this.levels = levels;
      this.learned = learned;
      this.classes = classes;
      this.pictures = pictures;
    }
    get last() {
      return this.steps[this.steps.length - 1];
    }
    /** The index of the film's step nearest to a step of the training, since a link may name any. @param {number} step */
    nearest(step) {
      const far = this.steps.map((one) => Math.abs(one - step));
      return far.indexOf(Math.min(...far));
    }
    /** A row of a curve, or null: of a layer, where it has one for each. @param {import("../../../vocabulary.js").Curve} name @param {number} layer */
    curve(name2, layer = 0) {
      const rows = this.curves[name2];
      return rows ? rows[rows.length > 1 ? layer : 0] ?? null : null;
    }
    /** The classes that are known at a step. @param {number} step @returns {string[]} in the order in which they were learnt */
    known(step) {
      return Object.entries(this.learned).filter(([, since]) => since <= step).sort(([, one], [, other]) => one - other).map(([label]) => label);
    }
    /** The steps at which classes were learnt. @returns {[number, string[]][]} a step's index, and the classes known from then on */
    marks() {
      const found = /* @__PURE__ */ new Map();
      for (const [label, step] of Object.entries(this.learned)) {
        const at = this.steps.indexOf(step);
        if (at >= 0) found.set(at, [...found.get(at) ?? [], label]);
      }
      return [...found].sort(([one], [other]) => one - other);
    }
    /**
     * The step whose maps to fetch next: the one on the stage, then its neighbours; undefined if all are here.
     * @param {number} at the index of the step on the stage @param {(step: number) => boolean} has
     */
    next(at, has) {
      const order = [...this.steps.keys()].sort((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one);
      return order.map((one) => this.steps[one]).find((step) => !has(step));
    }
  };

  // numbers/layout.js
  var SLIP = 1e-9;
  var Layout = class {
    constructor({ prefix: prefix2, grid }, window2) {
      this.prefix = prefix2;
      this.grid = grid;
      this.first = prefix2.length;
      this.tokens = prefix2.length + grid[0] * grid[1];
      this.onPicture = this.patchesOnPicture(window2);
    }
    // For each token, 1 if it is a patch that shows some of the picture. Patches of the input's padding show none.
    patchesOnPicture([left, top, right, bottom]) {
      const [rows, cols] = this.grid;
      const seen = new Uint8Array(this.tokens);
      for (let row2 = 0; row2 < rows; row2++) {
        for (let col = 0; col < cols; col++) {
          const x = left + (right - left) * col / cols;
          const y = top + (bottom - top) * row2 / rows;
          const inside = x < 1 && y < 1 && x + (right - left) / cols > 0 && y + (bottom - top) / rows > 0;
          seen[this.tokenOf([row2, col])] = Number(inside);
        }
      }
      return seen;
    }
    tokenOf([row2, col]) {
      return this.first + row2 * this.grid[1] + col;
    }
    // [row, col] of a token; null for a prefix token or the name of a weighted query.
    cellOf(token) {
      const patch = typeof token === "string" ? -1 : token - this.first;
      return patch < 0 ? null : [Math.floor(patch / this.grid[1]), patch % this.grid[1]];
    }
    cellAt([x, y]) {
      const at = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count + SLIP)));
      return [at(y, this.grid[0]), at(x, this.grid[1])];
    }
    centreOf([row2, col]) {
      return [(col + 0.5) / this.grid[1], (row2 + 0.5) / this.grid[0]];
    }
  };

  // numbers/pieces.js
  var OF_LAYER = /^(?:q|k|lse|dense|mean|queries|keys)\.(\d+)$/;
  function nameOf2(block) {
    const layer = OF_LAYER.exec(block);
    if (layer) return nameOfLayer(layer[1]);
    return block.startsWith("cross.") ? "cross" : "named";
  }
  var nameOfLayer = (layer) => `layer ${layer}`;
  var Pieces = class {
    /**
     * @param {Record<string, [number, string, number[]]>} blocks by the header's table
     * @param {number} start the offset of the blocks in the file
     * @param {number} first the bytes of the blocks that a first map needs
     * @param {number} end the length of the file
     */
    constructor(blocks, start2, first, end2) {
      this.all = [{ name: "first", from: 0, to: start2 + first, arrived: 0 }];
      for (const [block, [offset]] of Object.entries(blocks)) {
        if (offset < first) continue;
        const from = start2 + offset;
        const last = this.all[this.all.length - 1];
        if (last.name === nameOf2(block)) continue;
        last.to = from;
        this.all.push({ name: nameOf2(block), from, to: end2, arrived: from });
      }
      this.all[this.all.length - 1].to = end2;
    }
    /** Note that a stream which began at `from` has arrived up to `end`. */
    note(from, end2) {
      for (const piece of this.all) {
        const isNext = from <= piece.arrived && piece.arrived < end2;
        if (isNext) piece.arrived = Math.min(end2, piece.to);
      }
    }
    /** Whether the bytes of a block, which lies within one piece, are here. */
    has(from, to) {
      const piece = this.all.find((one) => from < one.to);
      return piece ? to <= piece.arrived : to <= from;
    }
    /** @param {string} name */
    hasPiece(name2) {
      return this.all.every((one) => one.name !== name2 || one.arrived >= one.to);
    }
    get isComplete() {
      return this.all.every(({ arrived, to }) => arrived >= to);
    }
    /**
     * The part of the file to request next, [from, to]: the first wanted piece that is missing, together with the wanted pieces
     * that follow it, up to `most` bytes. null if all are here.
     * @param {string[]} wanted @param {number} most
     */
    next(wanted, most) {
      const missing = (one) => wanted.includes(one.name) && one.arrived < one.to;
      const name2 = wanted.find((one) => this.all.some((piece) => piece.name === one && missing(piece)));
      let at = this.all.findIndex((piece) => piece.name === name2 && missing(piece));
      if (at < 0) return null;
      const { arrived: from } = this.all[at];
      let { to } = this.all[at];
      for (at += 1; at < this.all.length; at++) {
        const piece = this.all[at];
        if (!missing(piece) || piece.arrived > piece.from || piece.to - from > most) break;
        to = piece.to;
      }
      return [from, to];
    }
    /** Forget what has arrived after `end`. */
    cut(end2) {
      for (const piece of this.all) piece.arrived = Math.max(piece.from, Math.min(end2, piece.to));
    }
  };

  // numbers/payload.js
  var MOST5 = 1e6;
  var BYTES = { bytes: 1, f16: 2, f32: 4, i32: 4 };
  var Lost = class extends Error {
    constructor(key, values = {}) {
      super(key);
      this.key = key;
      this.values = values;
    }
  };
  var Payload = class _Payload {
    /** @param {any} header @param {number} headerEnd @param {Uint8Array} buffer */
    constructor(header, headerEnd, buffer) {
      this.url = "";
      this.run = "";
      this.bitmap = null;
      this.id = header.id;
      this.model = header.model;
      this.notes = header.notes;
      this.pages = header.pages ?? null;
      this.lesson = header.lesson ?? null;
      this.prefix = header.prefix;
      this.grid = header.grid;
      this.readout = header.readout;
      this.named = header.named;
      this.noChain = header.noChain;
      this.skipped = header.aside;
      this.top = header.top;
      this.caution = header.caution ?? "";
      this.sinks = header.sinks ?? null;
      this.picture = header.picture;
      this.input = header.input;
      this.sees = header.sees ?? null;
      this.window = header.window;
      this.film = header.film ?? null;
      this.truth = header.truth;
      this.blocks = header.blocks;
      this.layouts = header.layouts.map((layout) => new Layout(layout, this.window));
      this.masks = header.masks ?? [];
      this.layers = header.layers.map((layer) => ({
        ...layer,
        layout: layer.queries,
        like: `${layer.queries} ${layer.keys}`,
        queries: this.layouts[layer.queries],
        keys: this.layouts[layer.keys]
      }));
      this.cross = (header.cross ?? []).map((block) => ({ ...block, keys: new Layout(block.keys, this.window) }));
      this.isPlain = this.layouts.length === 1 && !this.layers.some((layer) => layer.windowed);
      this.isLarge = this.layers.some((layer) => layer.kind === "asked");
      this.isMean = this.layers.some((layer) => layer.kind === "mean");
      this.finest = this.finestLayout();
      this.start = headerEnd;
      this.buffer = buffer;
      this.pieces = new Pieces(this.blocks, headerEnd, header.first, buffer.length);
      this.arrived = headerEnd;
      this.decoded = /* @__PURE__ */ new Map();
    }
    // Fetch the `first` bytes, which a first map needs, or the whole file if `first` is 0. Calls `onFirst(payload)` when they are
    // here, and `onMore(payload)` for each later piece of the same answer. `answer`: the promise of a request made earlier.
    static async load(url, { bytes, first = 0, answer = null }, { onFirst, onMore, signal }) {
      const response = await (answer ?? fetch(url, { signal, headers: first ? { Range: `bytes=0-${first - 1}` } : {} }));
      if (!response.ok) throw new Lost("load_status", { status: response.status });
      const buffer = new Uint8Array(bytes);
      let payload = null;
      let isBegun = false;
      await streamed(response, buffer, 0, (arrived) => {
        payload = payload || _Payload.parse(buffer, arrived);
        if (!payload) return;
        payload.pieces.note(0, arrived);
        if (!isBegun && payload.has("picture") && payload.hasFirst()) {
          isBegun = true;
          onFirst(payload);
        } else if (isBegun) {
          onMore(payload);
        }
      });
      if (!isBegun) throw new Lost("load_short");
      payload.url = url;
      return payload;
    }
    // Fetch the pieces that `wanted()` names, one request after the other, until none is missing. `wanted()` is called anew before
    // each, because the reader may turn to another layer meanwhile.
    async fetchRest(wanted, { onMore, signal }) {
      for (let part2 = this.pieces.next(wanted(), MOST5); part2; part2 = this.pieces.next(wanted(), MOST5)) {
        const [from, to] = part2;
        const response = await fetch(this.url, { signal, headers: { Range: `bytes=${from}-${to - 1}` } });
        if (!response.ok) throw new Lost("load_status", { status: response.status });
        const at = response.status === 206 ? from : 0;
        const end2 = await streamed(response, this.buffer, at, (arrived) => {
          this.pieces.note(at, arrived);
          onMore(this);
        });
        if (end2 < to) throw new Lost("load_short");
      }
    }
    // The payload once its header has arrived, else null.
    static parse(buffer, arrived) {
      if (arrived < 8) return null;
      const length2 = new DataView(buffer.buffer).getUint32(4, true);
      if (arrived < 8 + length2) return null;
      const header = JSON.parse(new TextDecoder().decode(buffer.subarray(8, 8 + length2)));
      return new _Payload(header, 8 + length2, buffer);
    }
    finestLayout() {
      const { queries, keys } = this.layers[0];
      if (this.isPlain) return queries;
      const prefix2 = [...new Set(this.layouts.flatMap((layout) => layout.prefix))];
      const { grid } = queries.tokens - queries.first >= keys.tokens - keys.first ? queries : keys;
      return new Layout({ prefix: prefix2, grid }, this.window);
    }
    // Whether rollout is defined for this network, and its layers are sent.
    get canRoll() {
      return !this.noChain && !this.isLarge;
    }
    has(name2) {
      if (!(name2 in this.blocks)) return false;
      const [offset, kind, shape] = this.blocks[name2];
      const from = this.start + offset;
      return this.pieces.has(from, from + BYTES[kind] * shape.reduce((a, b) => a * b, 1));
    }
    hasFirst() {
      return this.pieces.all[0].arrived >= this.pieces.all[0].to;
    }
    hasLayer(layer) {
      const { kind, windowed } = this.layers[layer];
      const parts = { dense: ["dense"], factors: ["q", "k", "lse"], mean: ["mean"], asked: ["never"] }[kind];
      return [...parts, ...windowed ? ["queries", "keys"] : []].every((part2) => this.has(`${part2}.${layer}`));
    }
    hasCross(block) {
      const parts = { dense: ["dense"], factors: ["q", "k", "lse"], asked: ["never"] }[this.cross[block].kind];
      return parts.every((part2) => this.has(`cross.${part2}.${block}`));
    }
    async decodePicture() {
      if (this.bitmap) return;
      const blob = new Blob([this.get("picture")], { type: this.picture.type });
      this.bitmap = await createImageBitmap(blob);
    }
    // A text that is equal for networks of the same shape: these keep the layer on the stage.
    get shape() {
      return JSON.stringify([this.layers.length, this.layouts.map(({ prefix: prefix2 }) => prefix2)]);
    }
    get complete() {
      return this.pieces.isComplete;
    }
    // Forget what lies behind this byte, as if only the file's beginning had arrived.
    set arrived(end2) {
      this.pieces.cut(end2);
    }
    /** A block as Float32Array (or Uint8Array for "bytes"), decoded once. @param {string} name @returns {any} */
    get(name2) {
      if (!this.decoded.has(name2)) this.decoded.set(name2, this.decode(name2));
      return this.decoded.get(name2);
    }
    decode(name2) {
      const [offset, kind, shape] = this.blocks[name2];
      const length2 = shape.reduce((a, b) => a * b, 1);
      const at = this.start + offset;
      if (kind === "bytes") return this.buffer.subarray(at, at + length2);
      if (kind === "f32") return new Float32Array(this.buffer.buffer, at, length2);
      if (kind === "i32") return new Int32Array(this.buffer.buffer, at, length2);
      return halfToFloat(this.halves(name2));
    }
    // A block in half precision, not decoded: some are too large to be decoded whole.
    halves(name2) {
      const [offset, , shape] = this.blocks[name2];
      return new Uint16Array(
        this.buffer.buffer,
        this.start + offset,
        shape.reduce((a, b) => a * b, 1)
      );
    }
  };
  async function streamed(response, buffer, at, tell) {
    const reader = response.body.getReader();
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) return at;
      if (at + value.length > buffer.length) throw new Lost("load_short");
      buffer.set(value, at);
      at += value.length;
      tell(at);
    }
  }

  // drawing/curves.js
  var HIGH2 = 46;
  var KINDS = { right: ["accuracy", "unmarked"], looks: ["object", "mark"] };
  var Curves = class {
    /** @param {HTMLElement} root @param {import("../words.js").Words} words @param {(at: number) => void} go to the number of a step */
    constructor(root, words, go) {
      this.root = root;
      this.words = words;
      this.go = go;
      this.drawn = "";
    }
    /** @param {import("../numbers/film.js").Film} film */
    begin(film) {
      this.film = film;
      this.drawn = "";
      this.root.replaceChildren();
      if (!film.curve("accuracy")) return;
      this.charts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, this.chart(kind)]));
      this.root.append(this.charts.right.box, this.marks(), this.charts.looks.box);
    }
    chart(kind) {
      const box2 = document.createElement("figure");
      box2.className = `viz-curve viz-curve-${kind}`;
      const title = box2.appendChild(document.createElement("figcaption"));
      const drawing = svg("svg", { viewBox: `0 0 100 ${HIGH2}`, preserveAspectRatio: "none", "aria-hidden": "true" });
      box2.append(drawing);
      drawing.addEventListener("pointerdown", (event) => {
        const { left, width } = drawing.getBoundingClientRect();
        this.go(Math.round((event.clientX - left) / width * (this.film.steps.length - 1)));
      });
      return { box: box2, title, drawing };
    }
    // One button for each step at which classes were learnt.
    marks() {
      const row2 = document.createElement("div");
      row2.className = "viz-curve-marks";
      row2.append(Object.assign(document.createElement("span"), { textContent: this.words.say("time_marks") }));
      for (const [at, labels] of this.film.marks()) {
        const button = document.createElement("button");
        const said = this.words.say("time_learnt", { step: this.film.steps[at], list: this.words.list(labels) });
        button.style.left = `${100 * at / (this.film.steps.length - 1)}%`;
        button.textContent = String(labels.length);
        button.title = said;
        button.setAttribute("aria-label", said);
        button.dataset.at = String(at);
        button.addEventListener("click", () => this.go(at));
        row2.append(button);
      }
      return row2;
    }
    /** @param {number} at the number of the step that is shown @param {number} layer */
    show(at, layer) {
      if (!this.charts) return;
      const now = `${at} ${layer}`;
      if (now === this.drawn) return;
      this.drawn = now;
      for (const [kind, names] of Object.entries(KINDS)) {
        const { title, drawing } = this.charts[kind];
        const lines = names.map((name2) => [name2, this.film.curve(name2, layer)]).filter(([, row2]) => row2);
        title.replaceChildren(
          ...lines.map(
            ([name2, row2]) => keyOf(name2, this.words.say(`curve_${name2}`, { layer: layer + 1, share: percent(row2[at]) }))
          )
        );
        const level = this.film.levels[names[0]];
        drawing.replaceChildren(
          ...level === void 0 ? [] : [lineOf("viz-curve-level", [level, level], 1)],
          ...lines.map(([name2, row2]) => lineOf(`viz-curve-${name2}`, row2, row2.length - 1)),
          lineAt(at / (this.film.steps.length - 1))
        );
      }
      for (const button of this.root.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(Number(button.dataset.at) <= at));
      }
    }
  };
  function keyOf(name2, text3) {
    const key = document.createElement("span");
    key.className = `viz-curve-key viz-curve-${name2}`;
    key.textContent = text3;
    return key;
  }
  function lineOf(name2, row2, last) {
    const points = row2.map((share, i) => `${100 * i / last},${((1 - share) * (HIGH2 - 2) + 1).toFixed(2)}`).join(" ");
    return svg("polyline", { class: name2, points });
  }
  function lineAt(share) {
    return svg("line", { class: "viz-curve-now", x1: 100 * share, x2: 100 * share, y1: 0, y2: HIGH2 });
  }

  // panels/time.js
  var STEP2 = 500;
  var CALM_STEP2 = 1500;
  var panel_time = {
    name: "time",
    place: "explore",
    order: 15,
    html: `
    <section class="viz-time" aria-label="$time" hidden>
      <div class="viz-row">
        <label><span data-term="training">$time</span></label>
        <button class="viz-time-play" aria-pressed="false" title="$time_play" aria-label="$time_play">&#9654;</button>
        <input class="viz-time-at" type="range" min="0" max="1" step="1" value="0" title="$time_help" />
        <output class="viz-time-value"></output>
      </div>
      <div class="viz-time-curves"></div>
      <p class="viz-time-said"></p>
    </section>`,
    keys: { "<": "", ">": "" },
    state: { moment: moving(index(null)) },
    // a step of the training; null: the one that the network was opened at
    mount(root, { state, ask, words, change: change2 }) {
      const find = finder(root);
      const speak = speaker(find("time-said"));
      const curves = new Curves(find("time-curves"), words, (at2) => go(at2));
      let film = null;
      let home = null;
      let known = /* @__PURE__ */ new Map();
      let why = /* @__PURE__ */ new Map();
      let shown = null;
      let playing = 0;
      pair(root.querySelector("label"), find("time-at"));
      find("time-at").addEventListener("input", ({ target }) => go(Number(target.value)));
      find("time-play").addEventListener("click", () => play());
      const at = () => film?.nearest(state.get("moment") ?? home?.film.at) ?? 0;
      function go(number2) {
        if (!film) return;
        const step = film.steps[Math.min(Math.max(0, number2), film.steps.length - 1)];
        state.set({ moment: step === home?.film.at ? null : step });
      }
      function play() {
        if (playing) return stop();
        const calm = isStill();
        const on = () => {
          if (!film || shown && shown.film.at !== film.steps[at()]) return;
          if (at() + 1 < film.steps.length) go(at() + 1);
          else stop();
        };
        playing = setInterval(on, calm ? CALM_STEP2 : STEP2);
        go(at() + 1 < (film?.steps.length ?? 0) ? at() + 1 : 0);
        showPlayer();
      }
      function stop() {
        clearInterval(playing);
        playing = 0;
        showPlayer();
      }
      function showPlayer() {
        put(find("time-play"), { "aria-pressed": Boolean(playing) });
        write(find("time-play"), playing ? "‖" : "▶");
      }
      function begin(payload) {
        shown = payload;
        if (payload.film && known.get(payload.film.at) === payload) return;
        stop();
        home = payload;
        film = payload.film ? new Film(payload.film) : null;
        known = new Map(film ? [[payload.film.at, payload]] : []);
        why = /* @__PURE__ */ new Map();
        put(find("time"), { hidden: !film });
        if (!film) return;
        put(find("time-at"), { max: film.steps.length - 1 });
        curves.begin(film);
        fetchAll(film);
      }
      async function fetchAll(mine) {
        const run = home?.run ?? "";
        for (; ; ) {
          const step = mine.next(at(), (one) => known.has(one) || why.has(one));
          if (mine !== film || step === void 0) return;
          const answer = await ask("moments", run, step);
          if (mine !== film || !home) return;
          if (answer.maps) known.set(step, payloadOf(answer, home));
          else why.set(step, answer.why ?? words.say("asked_lost"));
          settle();
        }
      }
      function settle() {
        const wanted = film && known.get(film.steps[at()]);
        if (wanted && wanted !== shown) change2(wanted);
        else if (film && lastView) show(lastView);
      }
      let lastView = null;
      function show(view) {
        lastView = view;
        if (!film || !shown) return;
        const number2 = at();
        const step = film.steps[number2];
        put(find("time-at"), { value: number2, "aria-valuetext": words.say("time_at", { step, last: film.last }) });
        write(find("time-value"), words.say("time_at", { step, last: film.last }));
        curves.show(number2, view.layer);
        write(find("time-said"), sentence(film, step, number2, view.layer));
        speak(() => find("time-said").textContent);
        const wanted = known.get(step);
        if (wanted && wanted !== shown) queueMicrotask(settle);
      }
      function sentence(film2, step, number2, layer) {
        if (why.has(step)) return words.say("time_none", { step, why: why.get(step) });
        if (!known.has(step)) return words.say("time_wait", { step, shown: shown?.film.at });
        const accuracy = film2.curve("accuracy");
        if (!accuracy) return "";
        const parts = [];
        const unmarked = film2.curve("unmarked");
        const place2 = film2.curve("mark", layer) ? "mark" : "object";
        const shares = { n: film2.pictures, right: percent(accuracy[number2]), chance: percent(film2.levels.accuracy) };
        if (unmarked) parts.push(words.say("time_right_both", { ...shares, unmarked: percent(unmarked[number2]) }));
        else parts.push(words.say("time_right", shares));
        const row2 = film2.curve(place2, layer);
        if (row2) {
          const said = { layer: layer + 1, share: percent(row2[number2]), even: percent(film2.levels[place2]) };
          parts.push(words.say(`time_on_${place2}`, said));
        }
        const labels = film2.known(step);
        const n = labels.length;
        if (n === film2.classes) parts.push(words.say("time_knows_all", { n }));
        else if (n) parts.push(words.say("time_knows", { n, all: film2.classes, list: words.list(labels) }));
        else parts.push(words.say("time_knows_none"));
        return words.told(parts);
      }
      function press2(key) {
        if (!film) return false;
        go(at() + (key === "<" ? -1 : 1));
      }
      return { reset: begin, swap: begin, show, press: press2, stop };
    }
  };
  function payloadOf({ maps, run, sinks }, { bitmap, lesson, caution }) {
    const bytes = bytesOf(maps);
    const payload = Payload.parse(bytes, bytes.length);
    payload.arrived = bytes.length;
    return Object.assign(payload, { run, sinks: sinks ?? payload.sinks, bitmap, lesson, caution });
  }

  // panels/tokens.js
  var panel_tokens = {
    name: "tokens",
    place: "explore",
    order: 5,
    html: `
    <div class="viz-line">
      <span class="viz-direction" role="group" aria-label="$direction_label">
        <button data-set="direction" data-value="from" title="$from_help">$from</button><button data-set="direction" data-value="to" title="$to_help">$to</button>
      </span>
      <span class="viz-chips" role="group" aria-label="$chips_label"></span>
    </div>`,
    mount(root, { state, words }) {
      const box2 = finder(root)("chips");
      const direction = new Choice(root, state);
      let chips = [];
      function begin({ finest, layers, named }) {
        const prefix2 = finest.prefix.filter((name2) => layers.some(({ queries }) => queries.prefix.includes(name2)));
        chips = [.../* @__PURE__ */ new Set([...prefix2, ...named])].map((name2) => chipOf(name2, prefix2.includes(name2)));
        box2.replaceChildren(...chips.map(({ chip }) => chip));
      }
      function chipOf(name2, getsShare) {
        const chip = document.createElement("button");
        chip.classList.toggle("viz-with-share", getsShare);
        chip.innerHTML = "<b></b> <span></span><i></i>";
        chip.children[0].textContent = words.say(...nameKey("chip", name2));
        chip.title = words.say(...nameKey("chip", name2, "_help"));
        chip.onclick = () => {
          const isPinned = state.get("pinned") && chip.dataset.pinned === "true";
          state.set({ token: name2, place: null, pinned: !isPinned, crossBlock: null });
        };
        return { chip, name: name2 };
      }
      function show(view) {
        const { map } = view;
        direction.show(view.direction, (value) => value === "to" && (typeof view.query === "string" || !view.hasColumns));
        for (const { chip, name: name2 } of chips) {
          const query = view.tokenIn(name2);
          put(chip, {
            disabled: !view.isKnown(name2),
            "aria-pressed": view.query === query,
            "data-pinned": view.pinned && view.chosen === query
          });
          const at = map.layout.prefix.indexOf(name2);
          const share = at >= 0 && map.values ? map.values[at] : null;
          write(chip.children[1], share === null ? "" : view.hiddenBy(at) ? words.say("chip_hidden") : percent(share));
          chip.children[2].style.width = share === null ? "0" : `${Math.min(100, 100 * share)}%`;
        }
      }
      return { reset: begin, swap: begin, show };
    }
  };

  // exercises/choose.js
  var exercise = {
    kind: "choose",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { spec, state, words, done }) {
      let view = null;
      const group = document.createElement("div");
      const verdict = tagged("p", "");
      group.className = "viz-options";
      verdict.className = "viz-verdict";
      const options = Object.entries(spec.options).map(([key, html]) => {
        const button = document.createElement("button");
        button.addEventListener("click", () => choose(key));
        group.append(button);
        return { key, button, html };
      });
      box2.append(group, verdict);
      function right() {
        if (!view) return null;
        return Object.hasOwn(READINGS, spec.right) ? READINGS[spec.right]({ view, words, then: [] }) : spec.right;
      }
      function choose(key) {
        if (spec.sets) state.set(state.said(spec.sets));
        const truth = right();
        if (truth === null) return;
        for (const option of options) {
          put(option.button, { disabled: true, "aria-pressed": option.key === key });
          if (option.key === truth) option.button.dataset.right = "true";
        }
        verdict.textContent = words.say(key === truth ? "book_right" : "book_wrong");
        done();
      }
      function show(shown) {
        view = shown;
        for (const { button, html } of options)
          if (!button.childNodes.length) button.innerHTML = filled2(html, { view, words, then: [] }) ?? "";
      }
      return { show };
    }
  };

  // drawing/small_map.js
  var SIDE2 = 200;
  function paintMap(payload, values, layout, map) {
    const canvas = document.createElement("canvas");
    const stage = new Stage(canvas, { width: SIDE2, height: SIDE2, ratio: 1 });
    stage.setPicture(payload);
    stage.draw({
      values,
      layout,
      map,
      high: largest2(values, layout.onPicture) || 1e-12,
      queries: layout,
      reach: null,
      opacity: 0.8,
      byValue: true,
      smooth: false,
      showGrid: false,
      marks: [],
      outlines: [],
      inputSize: payload.input
    });
    return canvas;
  }

  // exercises/classes.js
  var exercise2 = {
    kind: "classes",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { words, ask, colours, done }) {
      const button = tagged("button", words.say("classes_ask"));
      const figures = document.createElement("div");
      const told = tagged("p", "");
      figures.className = "viz-pairs";
      told.className = "viz-verdict";
      box2.append(button, figures, told);
      let view = null;
      let shown = "";
      button.addEventListener("click", bring);
      async function bring() {
        if (!view) return;
        const { payload, truth } = view;
        shown = payload.run;
        put(button, { disabled: true });
        write(told, words.say("book_waits"));
        const answer = await ask("classes");
        if (payload.run !== view.payload.run) return;
        put(button, { disabled: false });
        write(told, answer.why ?? (answer.classes ? "" : words.say("asked_lost")));
        if (!answer.classes) return;
        const layout = new Layout({ prefix: [], grid: answer.grid }, payload.window);
        figures.replaceChildren(
          ...answer.classes.map(({ label, share, map }) => {
            const values = floatsOf(map);
            const figure = document.createElement("figure");
            const parts = truth.parts.map(
              ({ name: name2, on }) => words.say("score_part", { name: name2, share: percent(METRICS.energy(values, on(answer.grid)) ?? 0) })
            );
            figure.append(
              paintMap(payload, values, layout, colours.viridis),
              tagged("figcaption", words.say("classes_said", { label, share: percent(share), parts: words.list(parts) }))
            );
            return figure;
          })
        );
        done();
      }
      return {
        show(next) {
          view = next;
          if (!shown || shown === view.payload.run) return;
          shown = "";
          figures.replaceChildren();
          write(told, "");
          put(button, { disabled: false });
        }
      };
    }
  };

  // drawing/chart.js
  var [WIDE, HIGH3, EDGE] = [150, 70, 6];
  function chart(lines, { title, said, at, label }) {
    const count = Math.max(...lines.map(({ values }) => values.length), 2);
    const high = Math.max(...lines.flatMap(({ values }) => values.map((value2) => value2 ?? 0)), 1e-9);
    const x = (layer) => EDGE + layer / (count - 1) * (WIDE - 2 * EDGE);
    const y = (value2) => HIGH3 - EDGE - value2 / high * (HIGH3 - 2 * EDGE);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH3}`, role: "img", "aria-label": `${title}, ${label}: ${said}` });
    drawing.append(svg("line", { x1: EDGE, x2: WIDE - EDGE, y1: HIGH3 - EDGE, y2: HIGH3 - EDGE, class: "viz-axis" }));
    drawing.append(svg("line", { x1: x(at), x2: x(at), y1: EDGE, y2: HIGH3 - EDGE, class: "viz-now" }));
    for (const { values, isOwn } of [...lines].sort((a, b) => Number(a.isOwn) - Number(b.isOwn))) {
      const points = values.flatMap((value3, layer) => value3 === null ? [] : [`${x(layer).toFixed(1)},${y(value3).toFixed(1)}`]);
      if (points.length) drawing.append(svg("polyline", { points: points.join(" "), class: isOwn ? "viz-own" : "viz-other" }));
      const value2 = values[at];
      if (isOwn && value2 !== null && value2 !== void 0) drawing.append(svg("circle", { cx: x(at), cy: y(value2), r: 3 }));
    }
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const value = document.createElement("b");
    value.textContent = said;
    caption.append(`${title} `, value);
    figure.append(drawing, caption);
    return figure;
  }
  function layerAt(drawing, clientX, count) {
    const { left, width } = drawing.getBoundingClientRect();
    const along = ((clientX - left) / width * WIDE - EDGE) / (WIDE - 2 * EDGE);
    return Math.round(Math.min(Math.max(along, 0), 1) * (count - 1));
  }

  // exercises/curves.js
  var KINDS2 = [
    ["object", percent],
    ["entropy", digits],
    ["apart", (value) => value.toFixed(0)],
    ["own", percent]
  ];
  var ENOUGH = 3;
  var exercise3 = {
    kind: "curves",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { state, words, open, here, done }) {
      const figures = document.createElement("div");
      const more = tagged("button", words.say("curves_more"));
      const count = tagged("output", "");
      const habit = tagged("p", "");
      figures.className = "viz-curves";
      habit.className = "viz-verdict";
      box2.append(figures, more, " ", count, habit);
      const seen = /* @__PURE__ */ new Map();
      let model = "";
      let drawn = "";
      let isDone = false;
      let pressed = -1;
      let depth = 0;
      more.addEventListener("click", next);
      figures.addEventListener("pointerdown", (event) => {
        pressed = [...figures.children].findIndex((one) => one.firstElementChild?.contains(
          /** @type {Node} */
          event.target
        ));
        if (pressed < 0) return;
        figures.setPointerCapture(event.pointerId);
        move2(event);
      });
      figures.addEventListener("pointermove", (event) => figures.hasPointerCapture(event.pointerId) && move2(event));
      function move2({ clientX }) {
        const drawing = figures.children[pressed]?.firstElementChild;
        if (drawing) state.set({ layer: layerAt(drawing, clientX, depth) });
      }
      function next() {
        open(
          here().replace(
            /picture=lesson\/([a-z]+)\/(\d+)/,
            (_, lesson, number2) => `picture=lesson/${lesson}/${(Number(number2) + 1) % 40}`
          )
        );
      }
      function show(view) {
        const { payload } = view;
        if (model !== payload.model) seen.clear();
        model = payload.model;
        const isReadout = view.query === view.tokenIn(payload.readout) && !view.crossed;
        const found = isReadout && !seen.has(payload.id) && depthOf2(view);
        if (found) seen.set(payload.id, found);
        put(more, { hidden: !payload.lesson });
        depth = payload.layers.length;
        const shown = JSON.stringify([payload.id, seen.size, view.layer]);
        if (shown === drawn) return;
        drawn = shown;
        write(count, words.say("curves_seen", { n: seen.size }));
        const own = seen.get(payload.id);
        figures.replaceChildren(
          ...KINDS2.map(([key, written]) => {
            const lines = [...seen].map(([id, layers]) => ({ values: layers.map((one) => one[key]), isOwn: id === payload.id }));
            const value = own?.[view.layer][key];
            const said = value === null || value === void 0 ? "" : written(value);
            return chart(lines, {
              title: words.say(`depth_${key}`),
              said,
              at: view.layer,
              label: words.say("depth_label", { layer: view.layer + 1 })
            });
          })
        );
        const all = [...seen.values()].map((layers) => [layers[0].object, layers.at(-1)?.object]).filter(([a, b]) => a !== null && b !== null);
        const grown = all.filter(([first, last]) => last > first).length;
        write(habit, all.length >= ENOUGH ? words.say("curves_habit", { n: all.length, grown }) : "");
        if (!isDone && seen.size >= ENOUGH) {
          isDone = true;
          done();
        }
      }
      return { show };
    }
  };

  // exercises/do.js
  var REST4 = 500;
  var BESIDE = ["picture", "model"];
  var exercise4 = {
    kind: "do",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { spec, state, words, done }) {
      const wanted = Object.entries(spec.done);
      const strange = wanted.find(([key]) => !BESIDE.includes(key) && !Object.hasOwn(state.declared, key));
      if (strange) {
        box2.append(tagged("p", words.say("book_strange", { kind: strange[0] })));
        return {};
      }
      let before = null;
      let last = 1;
      let timer = 0;
      let isDone = false;
      if (spec.sets) {
        const button = tagged("button", words.say("book_show"));
        const changes = () => spec.sets === "layer=last" ? { layer: last - 1 } : state.said(spec.sets);
        button.addEventListener("click", () => state.set(changes()));
        box2.append(button);
      }
      function show(view) {
        last = view.payload.layers.length;
        const now = { ...view, picture: view.payload.id, model: view.payload.model };
        before ??= now;
        if (isDone) return;
        const isSo = wanted.every(([key, how]) => is(now[key], how, before?.[key]));
        if (isSo && !timer) timer = later(finish, REST4);
        else if (!isSo) stop();
      }
      function is(value, how, was) {
        if (how === "changed") return String(value) !== String(was);
        if (how === "last") return value === last - 1;
        if (how === "none") return value === null;
        if (how === "any") return value !== null && value !== false;
        if (typeof how === "string" && how.startsWith(">=")) return value >= Number(how.slice(2));
        return value === how;
      }
      function finish() {
        isDone = true;
        for (const button of box2.querySelectorAll("button")) put(button, { disabled: true });
        done();
      }
      function stop() {
        callOff(timer);
        timer = 0;
      }
      return { show, stop };
    }
  };

  // exercises/guesses.js
  var exercise5 = {
    kind: "guesses",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { words, book, done }) {
      const list = document.createElement("div");
      const forget = tagged("button", words.say("guesses_forget"));
      list.className = "viz-guesses";
      box2.append(list, forget);
      forget.addEventListener("click", () => {
        book.memory.forget();
        draw();
      });
      function draw() {
        const all = Object.entries(book.memory.guesses);
        put(forget, { hidden: !all.length });
        if (!all.length) return list.replaceChildren(tagged("p", words.say("guesses_none")));
        list.replaceChildren(
          ...all.map(([, guess]) => {
            const line = document.createElement("div");
            const bar = document.createElement("i");
            bar.style.setProperty("--mine", String(guess.mine));
            bar.style.setProperty("--centre", String(guess.centre));
            bar.style.setProperty("--chance", String(guess.chance));
            line.append(
              tagged("span", words.say("guesses_one", { n: guess.chapter, mine: percent(guess.mine) })),
              bar,
              tagged("span", words.say("guesses_beside", { centre: percent(guess.centre), chance: percent(guess.chance) }))
            );
            return line;
          })
        );
      }
      draw();
      Promise.resolve().then(() => done());
      return {};
    }
  };

  // exercises/mark.js
  var exercise6 = {
    kind: "mark",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { words, open, here, done }) {
      const button = tagged("button", words.say("mark_take"));
      const told = tagged("p", "");
      told.className = "viz-verdict";
      box2.append(button, told);
      let handle = null;
      let isDone = false;
      function take() {
        put(button, { disabled: true });
        write(told, words.say("mark_waits"));
        open(here().replace(/(picture=lesson\/[a-z]+\/\d+)(?!\/bare)/, "$1/bare"));
      }
      button.addEventListener("click", take);
      function show(view) {
        const { payload } = view;
        if (payload.lesson?.isBare) {
          leave();
          write(told, "");
          put(button, { hidden: true });
          if (!isDone && view.map.values) done();
          isDone ||= Boolean(view.map.values);
          return;
        }
        const mark = view.truth.parts.find(({ object }) => !object);
        if (!mark || isDone) return leave();
        place2(view, mark.on(payload.grid));
      }
      function place2(view, target) {
        const stage = box2.closest(".viz")?.querySelector(".viz-canvas-box");
        const canvas = (
          /** @type {HTMLCanvasElement | null} */
          stage?.querySelector(".viz-picture") ?? null
        );
        if (!stage || !canvas || handle?.isConnected) return;
        const [top, left, bottom, right] = boxOf(target);
        handle = document.createElement("button");
        handle.className = "viz-mark";
        handle.title = words.say("mark_drag");
        handle.setAttribute("aria-label", words.say("mark_take"));
        const { bitmap } = view.payload;
        const picture = document.createElement("canvas");
        [picture.width, picture.height] = [Math.round((right - left) * bitmap.width), Math.round((bottom - top) * bitmap.height)];
        picture.getContext("2d")?.drawImage(bitmap, -left * bitmap.width, -top * bitmap.height);
        handle.append(picture);
        Object.assign(handle.style, {
          left: `${100 * left}%`,
          top: `${100 * top}%`,
          width: `${100 * (right - left)}%`,
          height: `${100 * (bottom - top)}%`
        });
        handle.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && take());
        handle.addEventListener("pointerdown", (event) => drag(event, canvas));
        stage.append(handle);
      }
      function drag(event, canvas) {
        const held = (
          /** @type {HTMLButtonElement} */
          handle
        );
        const [x, y] = [event.clientX, event.clientY];
        held.setPointerCapture(event.pointerId);
        held.dataset.held = "true";
        event.preventDefault();
        const move2 = (at) => held.style.translate = `${at.clientX - x}px ${at.clientY - y}px`;
        const end2 = (at) => {
          held.removeEventListener("pointermove", move2);
          const { left, top, right, bottom } = canvas.getBoundingClientRect();
          const isOff = at.type === "pointerup" && (at.clientX < left || at.clientX > right || at.clientY < top || at.clientY > bottom);
          if (isOff) return take();
          held.style.translate = "";
          delete held.dataset.held;
        };
        held.addEventListener("pointermove", move2);
        held.addEventListener("pointerup", end2, { once: true });
        held.addEventListener("pointercancel", end2, { once: true });
      }
      function leave() {
        handle?.remove();
        handle = null;
      }
      return { show, stop: leave };
    }
  };
  function boxOf({ cover, rows, cols }) {
    const on = [...cover.keys()].filter((i) => cover[i] > 0.25);
    const [ys, xs] = [on.map((i) => Math.floor(i / cols)), on.map((i) => i % cols)];
    return [Math.min(...ys) / rows, Math.min(...xs) / cols, (Math.max(...ys) + 1) / rows, (Math.max(...xs) + 1) / cols];
  }

  // exercises/network.js
  var exercise7 = {
    kind: "network",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { words, book, done }) {
      const network = new Network(words);
      network.element.classList.add("viz-way-whole");
      book.chapters.forEach((chapter, number2) => {
        if (chapter === book.whole) return;
        const isDone = book.memory.done.includes(chapter.name);
        const button = tagged("button", `${number2} · ${plain(chapter.title)}${isDone ? " ✓" : ""}`);
        button.dataset.chapter = chapter.name;
        button.addEventListener("click", () => book.open(chapter.name));
        network.parts[chapter.part].place.append(button);
      });
      box2.append(network.element);
      Promise.resolve().then(() => done());
      const show = (view) => network.show(view, words.say(...nameKey("chip", view.payload.readout)));
      return { show };
    }
  };

  // exercises/taps.js
  var PATCHES = 3;
  var exercise8 = {
    kind: "taps",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { name: name2, chapter, state, words, done, book }) {
      const count = tagged("output", "");
      const reveal = tagged("button", words.say("guess_reveal"));
      const told = tagged("p", "");
      box2.classList.add("viz-taps");
      box2.dataset.open = "true";
      told.className = "viz-verdict";
      box2.append(count, reveal, told);
      let view = null;
      let isDone = false;
      reveal.addEventListener("click", finish);
      const begin = () => Promise.resolve().then(
        () => !isDone && state.set({ guess: [], marked: [], place: null, token: null, pinned: false, hover: null })
      );
      begin();
      function finish() {
        const places = state.get("guess") ?? [];
        if (!view?.map.values || places.length < PATCHES) return;
        isDone = true;
        state.set({ guess: null, marked: places, hover: null });
        const { map } = view;
        const cells = places.map(view.cellAt).filter(Boolean);
        const found = scoreGuess(map.values, map.layout, cells);
        delete box2.dataset.open;
        put(reveal, { hidden: true });
        put(count, { hidden: true });
        if (found) {
          const { mine, centre, chance } = found;
          write(told, words.say("guess_found", { mine: percent(mine), centre: percent(centre), chance: percent(chance) }));
          book.memory.guessed(name2, { mine, centre, chance, chapter });
        }
        done();
      }
      function stop() {
        isDone = true;
        state.set({ guess: null, marked: [] });
      }
      function show(shown) {
        view = shown;
        if (!isDone && !view.guess) begin();
        const n = view.guess?.length ?? 0;
        write(count, words.say("guess_count", { n, all: PATCHES }));
        put(reveal, { disabled: n < PATCHES });
      }
      return { show, stop };
    }
  };

  // exercises/trial.js
  var exercise9 = {
    kind: "trial",
    /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
    mount(box2, { words, ask, done }) {
      const button = tagged("button", words.say("trial_ask"));
      const table = document.createElement("table");
      const told = tagged("p", "");
      told.className = "viz-verdict";
      box2.append(button, table, told);
      put(table, { hidden: true });
      let view = null;
      let shown = "";
      button.addEventListener("click", bring);
      async function bring() {
        if (!view) return;
        const { run, layers } = view.payload;
        shown = run;
        put(button, { disabled: true });
        write(told, words.say("book_waits"));
        const answer = await ask("trial", layers.length - 1);
        if (run !== view.payload.run) return;
        put(button, { disabled: false });
        write(told, answer.why ?? (answer.by_map ? "" : words.say("asked_lost")));
        if (!answer.by_map) return;
        const inner = answer.shares.map((_, i) => i).slice(0, -1);
        const head = row("th", [words.say("trial_gone"), ...inner.map((i) => percent(answer.shares[i]))]);
        const lines = [
          row("td", [words.say("trial_by_map"), ...inner.map((i) => percent(answer.by_map[i]))]),
          row("td", [words.say("trial_by_chance"), ...inner.map((i) => percent(answer.by_chance[i]))])
        ];
        table.replaceChildren(tagged("caption", words.say("trial_title", { label: answer.label })), head, ...lines);
        put(table, { hidden: false });
        const left = TRIED.map(
          (name2) => words.say(`trial_${name2}`, { left: answer.forgotten[name2].toFixed(2).replace("-", "−") })
        );
        write(told, words.say("trial_forgot", { list: words.list(left) }));
        const at = (curve, share) => percent(curve[answer.shares.indexOf(share)]);
        done({
          tenth: at(answer.by_map, 0.1),
          tenth_chance: at(answer.by_chance, 0.1),
          most: at(answer.by_map, 0.4),
          most_chance: at(answer.by_chance, 0.4)
        });
      }
      return {
        show(next) {
          view = next;
          if (!shown || shown === view.payload.run) return;
          shown = "";
          put(table, { hidden: true });
          write(told, "");
          put(button, { disabled: false });
        }
      };
    }
  };
  function row(tag, cells) {
    const line = document.createElement("tr");
    line.append(...cells.map((text3, i) => tagged(i ? tag : "th", text3)));
    return line;
  }

  // memory.js
  var KEY2 = "vizapp-book";
  var Memory = class {
    constructor() {
      this.kept = { chapter: "", guesses: {} };
      try {
        const found = JSON.parse(localStorage.getItem(KEY2) ?? "null");
        if (found && typeof found.chapter === "string" && isTable(found.guesses)) this.kept = found;
      } catch {
      }
    }
    /** The chapter that was open last; "" before the first. */
    get chapter() {
      return this.kept.chapter;
    }
    set chapter(name2) {
      this.keep({ ...this.kept, chapter: name2 });
    }
    /** The names of chapters whose exercises are all done. @returns {string[]} */
    get done() {
      return Array.isArray(this.kept.done) ? this.kept.done : [];
    }
    /** @param {string} chapter */
    finished(chapter) {
      if (!this.done.includes(chapter)) this.keep({ ...this.kept, done: [...this.done, chapter] });
    }
    /** The guesses by the names of exercises, in the order of the first attempts. @returns {Record<string, Guess>} */
    get guesses() {
      return this.kept.guesses;
    }
    /** @param {string} name @param {Guess} guess */
    guessed(name2, guess) {
      this.keep({ ...this.kept, guesses: { ...this.kept.guesses, [name2]: guess } });
    }
    forget() {
      this.keep({ ...this.kept, guesses: {}, done: [] });
    }
    keep(kept) {
      this.kept = kept;
      try {
        localStorage.setItem(KEY2, JSON.stringify(kept));
      } catch {
      }
    }
  };
  function isTable(found) {
    const isShare = (one) => typeof one === "number" && one >= 0 && one <= 1 + 1e-9;
    return typeof found === "object" && found !== null && Object.values(found).every(
      (one) => ["mine", "centre", "chance"].every((key) => isShare(one?.[key])) && Number.isInteger(one.chapter)
    );
  }

  // book.js
  var Book = class {
    /** @param {Chapter[]} chapters @param {Road} road @param {import("./state.js").State} state */
    constructor(chapters, road, state) {
      this.chapters = chapters;
      this.road = road;
      this.state = state;
      this.memory = new Memory();
      this.before = "";
    }
    /** The number of a chapter, from 0, by its name or an earlier one; -1 if there is none. @param {string | null} name */
    at(name2) {
      return this.chapters.findIndex((one) => one.name === name2 || one.was.includes(name2 ?? ""));
    }
    /** The chapter with the drawing of the whole network, where all others are found; undefined in a book without one. */
    get whole() {
      return this.chapters.find(({ exercises: exercises2 }) => exercises2.some(({ kind }) => kind === "network"));
    }
    /** The complete link of a chapter. @param {Chapter} chapter */
    linkOf({ opens, name: name2 }) {
      return `v=1&${opens}&chapter=${name2}`;
    }
    /** Open a chapter: without a name the last one read, or the first. @param {string} [name] */
    open(name2 = this.memory.chapter) {
      const chapter = this.chapters[Math.max(0, this.at(name2))];
      if (!chapter) return;
      if (this.at(this.state.get("chapter")) < 0) this.before = this.road.here();
      this.memory.chapter = chapter.name;
      this.road.open(this.linkOf(chapter));
    }
    /** Close the book and restore the view before it. If a link opened the book, the chapter's picture and network stay. */
    close() {
      const { before } = this;
      const [page] = this.road.here().match(/^[^]*?(?=&(?!v=|picture=|model=|fit=)|$)/) ?? [""];
      this.before = "";
      if (before && !/picture=(upload|photo)/.test(page)) this.road.open(before);
      else this.road.open(page || "#v=1");
    }
  };

  // keys.js
  var MOST_SHAPES = 500;
  var isPoint = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
  var isLine = (points) => Array.isArray(points) && points.length > 0 && points.every(isPoint);
  var isShape = (shape) => Array.isArray(shape?.box) ? shape.box.length === 4 && shape.box.every(Number.isFinite) : isLine(shape?.stroke ?? shape?.erase) && isPoint(shape.radius);
  var areShapes = (shapes) => Array.isArray(shapes) && shapes.length <= MOST_SHAPES && shapes.every(isShape);
  var areGuesses = (places) => places === null || Array.isArray(places) && places.length <= MOST_MARKS && places.every(isPoint);
  var isThing = (thing) => typeof thing?.name === "string" && thing.name.length <= THING_LETTERS && thing.at !== null && areGuesses(thing.at);
  var areThings = (things) => Array.isArray(things) && things.length <= MOST_THINGS && things.every(isThing);
  var KEYS2 = {
    // the query: the patch at a place, a token by its name, or, with neither, the query that the classifier reads
    place: place(),
    token: name(null),
    pinned: flag(false),
    hover: moving(passing(place())),
    // the patch under the mouse: the query if none is pinned, else only read out
    // which map
    layer: index(null),
    // null: no picture yet; the picture then chooses the layer on which it opens
    head: index(0),
    fusion: oneOf("mean", ["one", ...FUSIONS]),
    // "one": the head alone
    method: oneOf("attention", CHAINS),
    skipWeight: number(SKIP_WEIGHT, 0, 1),
    direction: oneOf("from", DIRECTIONS),
    crossBlock: index(null),
    // a block whose queries are not patches, shown in place of a layer; null: the layer is shown
    crossQuery: index(0),
    peek: moving(passing(json(null, (value) => value === null || isPoint(value)))),
    // [row, column] of the atlas under the mouse
    // how deep the visitor has gone, see zoom.js: at most one of `atlas`, `score`, `steps` and `teach` is true
    atlas: flag(false),
    // whether all maps are shown at once
    score: flag(false),
    // whether the map is compared with the object
    question: flag(false),
    // whether the question of a scene stands beside the picture, too, and not only beside the scores
    // how one number of the map is computed
    steps: flag(false),
    // whether the steps are shown
    number: place(),
    // the patch whose number it is; null: the one with the largest value
    // things that are taught by example
    teach: flag(false),
    // whether a click marks a patch
    things: json([], areThings),
    // [{name, at: places}]
    thing: passing(index(0)),
    // the one that a click marks
    labelled: passing(flag(true)),
    // whether the patches' labels are shown in place of the map
    taught: passing(json(null, (taught) => taught === null || Array.isArray(taught?.labels))),
    // {run, grid, things: how many, labels: [[thing, share], ...], these, prototypes}
    // the textbook
    chapter: name(null),
    // the open one
    guess: passing(json(null, areGuesses)),
    // the patches that a reader guesses the query looks at; meanwhile the map is hidden
    marked: passing(json([], areGuesses)),
    // the guessed patches, shown on the map afterwards
    // how it looks
    scale: oneOf("map", SCALES),
    fixed: number(0.05, 0, 1),
    // the value of the top colour of the fixed scale
    colours: name("viridis"),
    opacity: number(OPACITY, 0, 1),
    byValue: flag(true),
    smooth: flag(false),
    grid: flag(true),
    // how maps are scored against the object
    metric: name("energy"),
    outline: flag(true),
    hand: moving(passing(json(null, (hand) => hand === null || isPoint(hand?.at) && (!hand.from || isPoint(hand.from))))),
    // see key_pen.js
    tool: passing(oneOf(null, [null, ...TOOLS])),
    shapes: moving(json([], areShapes)),
    past: moving(passing(json([], (past) => Array.isArray(past) && past.every(areShapes)))),
    // for undo
    // sinks, [[row, col, share, first layer, last layer], ...] each; some runs send their maps without them, and are asked later
    sinks: flag(true),
    // find and mark them, and say how much attention they take
    sinksApart: flag(false),
    // leave them out of the colour scale
    sinksFound: passing(json({}, (found) => typeof found === "object" && found !== null))
  };
  var OF_FRAME = {
    guess: null,
    marked: [],
    tool: null,
    hand: null,
    shapes: [],
    past: []
  };
  var OF_PICTURE = {
    place: null,
    token: null,
    pinned: false,
    hover: null,
    number: null,
    direction: "from",
    question: true,
    ...OF_FRAME
  };

  // version.js
  var PAGE_KEYS = ["v", "picture", "page", "model", "fit", "edits", "tab"];

  // numbers/asker.js
  var ROWS_KEPT = 16e6;
  var Asker = class {
    // `ask("maps", run, [direction, [[layer, token], ...]])` promises {rows: base64 of half precision, one after the other}.
    // An answer without rows means that the server no longer has the maps.
    constructor(payload, ask, arrived) {
      this.payload = payload;
      this.ask = ask;
      this.arrived = arrived;
      this.known = /* @__PURE__ */ new Map();
      this.size = 0;
      this.wanted = /* @__PURE__ */ new Map();
      this.underway = /* @__PURE__ */ new Map();
      this.asked = "";
      this.isLost = false;
    }
    // Whether an answer is on its way, or will be asked for.
    get isBusy() {
      return this.underway.size > 0 || this.wanted.size > 0 && !this.isLost;
    }
    // Whether the maps are here. If not, asks for them. While an answer is on its way, only the latest wish is remembered: a mouse
    // passes over many patches in that time.
    has(layer, query, direction) {
      const name2 = `${direction} ${query} ${layer}`;
      if (this.known.has(name2)) return true;
      if (typeof query === "string" || this.isLost) return false;
      const asked = `${direction} ${query}`;
      if (this.asked !== asked) this.wanted.clear();
      this.asked = asked;
      if (this.underway.has(name2)) return false;
      if (!this.wanted.size) setTimeout(() => this.send());
      this.wanted.set(name2, [layer, query, direction]);
      return false;
    }
    get(layer, query, direction, head, tokens) {
      return this.known.get(`${direction} ${query} ${layer}`).subarray(head * tokens, (head + 1) * tokens);
    }
    async send() {
      if (this.underway.size || !this.wanted.size) return;
      this.underway = this.wanted;
      this.wanted = /* @__PURE__ */ new Map();
      const wanted = [...this.underway];
      const tokens = wanted.map(([, [layer, query]]) => [layer, query]);
      const answer = await this.ask("maps", this.payload.run, [wanted[0][1][2], tokens]);
      this.underway = /* @__PURE__ */ new Map();
      if (answer.rows) this.keep(wanted, answer.rows);
      else this.isLost = true;
      this.arrived();
      if (!this.isLost) this.send();
    }
    keep(wanted, rows) {
      const bytes = bytesOf(rows);
      const values = halfToFloat(new Uint16Array(bytes.buffer));
      if (this.size + values.length > ROWS_KEPT) {
        this.known.clear();
        this.size = 0;
      }
      this.size += values.length;
      let from = 0;
      for (const [name2, [layer, , direction]] of wanted) {
        const { heads, queries, keys } = this.payload.layers[layer];
        const count = heads * (direction === "to" ? queries : keys).tokens;
        this.known.set(name2, values.subarray(from, from + count));
        from += count;
      }
    }
  };

  // numbers/fuse.js
  var FUSE = {
    mean(rows, out) {
      out.fill(0);
      for (const row2 of rows) for (let j = 0; j < out.length; j++) out[j] += row2[j] / rows.length;
    },
    max(rows, out) {
      out.set(rows[0]);
      for (const row2 of rows) for (let j = 0; j < out.length; j++) out[j] = Math.max(out[j], row2[j]);
    },
    min(rows, out) {
      out.set(rows[0]);
      for (const row2 of rows) for (let j = 0; j < out.length; j++) out[j] = Math.min(out[j], row2[j]);
    }
  };
  function fuseInto(rows, fusion, out) {
    if (!Object.hasOwn(FUSE, fusion)) throw new Error(`'${fusion}' is no head fusion.`);
    FUSE[fusion](rows, out);
  }
  function fuseHeads(rows, fusion) {
    const out = new Float32Array(rows[0].length);
    fuseInto(rows, fusion, out);
    return out;
  }
  function factorsOf(sum3, skipWeight) {
    const total = skipWeight + (1 - skipWeight) * sum3;
    return total > 0 ? [(1 - skipWeight) / total, skipWeight / total] : [0, 1];
  }

  // numbers/chain.js
  var Chain = class {
    constructor(attention) {
      this.attention = attention;
      this.layers = attention.layers;
      this.finest = attention.payload.finest;
      this.first = this.finest.first;
      this.onto = this.layers.map(({ queries, keys }) => ({ queries: this.indices(queries), keys: this.indices(keys) }));
    }
    // The index of each token of a layout among the shares on that layout's grid.
    indices({ prefix: prefix2, first, tokens }) {
      return Int32Array.from(
        { length: tokens },
        (_, i) => i < first ? this.finest.prefix.indexOf(prefix2[i]) : this.first + i - first
      );
    }
    // Plan rollout's steps once the heads are fused inside the windows: which row belongs to which token. A token that stands in
    // several windows gets a row over all tokens instead.
    stepsOf(layers, fusion) {
      return layers.map((fused, layer) => {
        const { windowed, queries, keys, slots, keySlots, heads } = this.layers[layer];
        const { keys: onto } = this.onto[layer];
        const every = Int32Array.from({ length: queries.tokens }, (_, token) => token);
        if (!windowed) return this.step(fused, keys.tokens, every, onto, 0);
        const { starts, at } = this.attention.places(layer, "queries");
        if (every.every((token) => starts[token + 1] - starts[token] <= 1)) {
          const rows = every.map((token) => starts[token] < starts[token + 1] ? at[starts[token]] : -1);
          const nowhere = this.first + keys.tokens - keys.first;
          const columns = this.attention.payload.get(`keys.${layer}`).map((token) => token < 0 ? nowhere : onto[token]);
          return this.step(fused, keySlots, rows, columns, slots, nowhere);
        }
        const whole2 = new Float32Array(queries.tokens * keys.tokens);
        for (const token of every) {
          const maps = Array.from({ length: heads }, (_, head) => this.attention.rowOfWindows(layer, head, token));
          whole2.set(fuseHeads(maps, fusion), token * keys.tokens);
        }
        return this.step(whole2, keys.tokens, every, onto, 0);
      });
    }
    // `rows`: the matrix row of each token, -1 for none; `columns`: the index that each share of a row goes to. Each group of
    // `slots` rows has its own columns (0: all share one set). A share that goes to `nowhere` belongs to padding and is dropped.
    step(matrix, width, rows, columns, slots, nowhere = -1) {
      const froms = slots ? rows.map((row2) => Math.floor(row2 / slots) * width) : rows.map(() => 0);
      const sums = Float64Array.from(rows, (row2, token) => {
        let sum3 = 0;
        for (let j = 0; row2 >= 0 && j < width; j++) if (columns[froms[token] + j] !== nowhere) sum3 += matrix[row2 * width + j];
        return sum3;
      });
      return { matrix, width, rows, columns, froms, sums };
    }
    rollout(layer, query, steps, skipWeight) {
      const { queries } = this.layers[layer];
      let r = new Float32Array(this.first + queries.tokens - queries.first);
      this.attention.weights(layer, query).forEach((weight, token) => r[this.onto[layer].queries[token]] = weight);
      for (let l = layer; l >= 0; l--) r = this.back(l, r, steps[l], skipWeight);
      return r;
    }
    back(layer, r, { matrix, width, rows, columns, froms, sums }, skipWeight) {
      const { queries, keys } = this.layers[layer];
      const { queries: own } = this.onto[layer];
      const below = layer ? this.layers[layer - 1].queries.grid : this.finest.grid;
      const attended = new Float32Array(this.first + keys.tokens - keys.first + 1);
      const rest = r.slice();
      for (let token = 0; token < queries.tokens; token++) {
        const value = r[own[token]];
        if (value === 0) continue;
        const [given, kept2] = factorsOf(sums[token], skipWeight);
        rest[own[token]] = value * kept2;
        if (rows[token] < 0) continue;
        const share = value * given;
        const from = rows[token] * width;
        const column = froms[token];
        for (let j = 0; j < width; j++) attended[columns[column + j]] += share * matrix[from + j];
      }
      const out = this.spread(attended.subarray(0, -1), keys.grid, below);
      const kept = this.spread(rest, queries.grid, below);
      for (let i = 0; i < out.length; i++) out[i] += kept[i];
      return out;
    }
    // Spread the shares of a coarse grid over the finer one below it.
    spread(shares, [rows, cols], [fineRows, fineCols]) {
      if (rows === fineRows && cols === fineCols) return shares;
      const [tall, wide] = [fineRows / rows, fineCols / cols];
      const out = new Float32Array(this.first + fineRows * fineCols);
      out.set(shares.subarray(0, this.first));
      for (let row2 = 0; row2 < fineRows; row2++) {
        const from = this.first + Math.floor(row2 / tall) * cols;
        const to = this.first + row2 * fineCols;
        for (let col = 0; col < fineCols; col++) out[to + col] = shares[from + Math.floor(col / wide)] / (tall * wide);
      }
      return out;
    }
  };

  // numbers/products.js
  function dots(vectors, from, rows, start2, width, out, count) {
    let j = 0;
    for (; j + 3 < count; j += 4) {
      const a = start2 + j * width;
      const b = a + width;
      const c = b + width;
      const d = c + width;
      let [sumA, sumB, sumC, sumD] = [0, 0, 0, 0];
      for (let i = 0; i < width; i++) {
        const value = vectors[from + i];
        sumA += value * rows[a + i];
        sumB += value * rows[b + i];
        sumC += value * rows[c + i];
        sumD += value * rows[d + i];
      }
      out[j] = sumA;
      out[j + 1] = sumB;
      out[j + 2] = sumC;
      out[j + 3] = sumD;
    }
    for (; j < count; j++) {
      out[j] = 0;
      for (let i = 0; i < width; i++) out[j] += vectors[from + i] * rows[start2 + j * width + i];
    }
  }
  function product(r, matrix) {
    const n = r.length;
    const out = new Float32Array(n);
    let i = 0;
    for (; i + 3 < n; i += 4) {
      const [a, b, c, d] = [i * n, (i + 1) * n, (i + 2) * n, (i + 3) * n];
      const [rA, rB, rC, rD] = [r[i], r[i + 1], r[i + 2], r[i + 3]];
      for (let j = 0; j < n; j++) out[j] += rA * matrix[a + j] + rB * matrix[b + j] + rC * matrix[c + j] + rD * matrix[d + j];
    }
    for (; i < n; i++) for (let j = 0; j < n; j++) out[j] += r[i] * matrix[i * n + j];
    return out;
  }
  function rowSums(fused, n) {
    return Float64Array.from({ length: n }, (_, i) => {
      let sum3 = 0;
      for (let j = 0; j < n; j++) sum3 += fused[i * n + j];
      return sum3;
    });
  }

  // numbers/attention.js
  var KEPT3 = 8e6;
  var QUICK = 16e6;
  var DECODED = 8e6;
  var Attention = class {
    // `asker` fetches the maps of layers that were too large to be sent.
    constructor(payload, asker) {
      this.payload = payload;
      this.layers = payload.layers;
      this.asker = asker;
      this.tokens = payload.finest.tokens;
      this.kept = [];
      this.scores = new Float64Array(Math.max(...this.layers.map(({ slots, keySlots }) => Math.max(slots, keySlots))));
      this.placed = /* @__PURE__ */ new Map();
      this.fused = {};
      this.joint = null;
      this.chain = payload.isPlain ? null : new Chain(this);
    }
    heads(layer) {
      return this.layers[layer].heads;
    }
    // Whether the query exists in this layer: CLS may join late, and "pool" weighs the tokens of one grid only.
    knows(layer, query) {
      return typeof query !== "string" || `weights.${query}.${this.layers[layer].layout}` in this.payload.blocks;
    }
    // Whether what has arrived is enough to make this query's map in each head.
    ready(layer, query, direction = "from") {
      if (direction === "from" && this.isNamed(layer, query)) return this.payload.has(`rows.${this.nameOf(layer, query)}`);
      if (this.layers[layer].kind === "asked") return this.asker.has(layer, query, direction);
      return this.layers[layer].kind !== "mean" && this.payload.hasLayer(layer);
    }
    // One map of all heads, fused; null while its numbers have not arrived, or if they are never sent: a "mean" layer has only the
    // mean of its heads.
    fuse(layer, query, direction, fusion) {
      if (this.ready(layer, query, direction)) return fuseHeads(this.maps(layer, query, direction), fusion);
      const isSent = this.layers[layer].kind === "mean" && typeof query !== "string" && this.payload.hasLayer(layer);
      if (!isSent || fusion !== "mean") return null;
      const { queries, keys } = this.layers[layer];
      const mean = this.payload.get(`mean.${layer}`);
      if (direction === "from") return mean.subarray(query * keys.tokens, (query + 1) * keys.tokens);
      return Float32Array.from({ length: queries.tokens }, (_, i) => mean[i * keys.tokens + query]);
    }
    // The attention of the mean patch in a layer, averaged over the heads. It is sent before the rows of "mean" themselves.
    // null if the layer's queries are not patches, or if "mean" is what the classifier reads.
    rowOfMeanPatch(layer) {
      if (!this.payload.has("opening") || !this.knows(layer, "mean")) return null;
      const from = this.layers.slice(0, layer).reduce((sum3, { keys }) => sum3 + keys.tokens, 0);
      return this.payload.get("opening").subarray(from, from + this.layers[layer].keys.tokens);
    }
    isNamed(layer, query) {
      return this.payload.named.includes(this.nameOf(layer, query)) && this.knows(layer, query);
    }
    nameOf(layer, query) {
      return typeof query === "string" ? query : this.layers[layer].queries.prefix[query];
    }
    // The attention of `query` in one head: softmax(q_query . k).
    row(layer, head, query) {
      const one = this.layers[layer];
      if (this.isNamed(layer, query)) {
        const before = this.layers.slice(0, layer).reduce((sum3, { heads, keys }) => sum3 + heads * keys.tokens, 0);
        const n = one.keys.tokens;
        return this.payload.get(`rows.${this.nameOf(layer, query)}`).subarray(before + head * n, before + (head + 1) * n);
      }
      if (one.kind === "asked") return this.asker.get(layer, query, "from", head, one.keys.tokens);
      return one.windowed ? this.rowOfWindows(layer, head, query) : this.rowOfSlot(layer, head, query, null);
    }
    // One row inside a window, over its key slots; `part` is window * heads + head. It is a view of the matrices if those are
    // here, otherwise computed into `out`. A layer without windows is one window with all its tokens.
    rowOfSlot(layer, part2, slot, out) {
      const { slots, keySlots: n, width } = this.layers[layer];
      const at = part2 * slots + slot;
      const dense = this.dense(layer);
      if (dense) return dense.subarray(at * n, (at + 1) * n);
      if (this.layers[layer].kind === "dense")
        return halfToFloat(this.payload.halves(`dense.${layer}`).subarray(at * n, (at + 1) * n));
      out = out ?? new Float32Array(n);
      const { q, k, logsumexp } = this.factors(layer);
      dots(q, at * width, k, part2 * n * width, width, this.scores, n);
      const shift = logsumexp[at];
      for (let j = 0; j < n; j++) out[j] = Math.exp(this.scores[j] - shift);
      return out;
    }
    // A row over all tokens: zero outside the query's window, the mean if the query stands in several.
    rowOfWindows(layer, head, query) {
      const { heads, slots, keySlots, keys } = this.layers[layer];
      const { starts, at } = this.places(layer, "queries");
      const tokens = this.payload.get(`keys.${layer}`);
      const out = new Float32Array(keys.tokens);
      const share = 1 / (starts[query + 1] - starts[query]);
      for (let p = starts[query]; p < starts[query + 1]; p++) {
        const window2 = Math.floor(at[p] / slots);
        const part2 = this.rowOfSlot(layer, window2 * heads + head, at[p] % slots, null);
        for (let j = 0; j < keySlots; j++) {
          const token = tokens[window2 * keySlots + j];
          if (token >= 0) out[token] += share * part2[j];
        }
      }
      return out;
    }
    // A column: how much of its attention each token gives to `token`, in one head.
    column(layer, head, token) {
      const { kind, windowed, heads, keySlots, queries, slots } = this.layers[layer];
      if (kind === "asked") return this.asker.get(layer, token, "to", head, queries.tokens);
      const out = new Float32Array(queries.tokens);
      if (!windowed) return this.columnOfSlot(layer, head, token, out);
      const { starts, at } = this.places(layer, "keys");
      const own = this.places(layer, "queries").starts;
      const tokens = this.payload.get(`queries.${layer}`);
      const part2 = new Float32Array(slots);
      for (let p = starts[token]; p < starts[token + 1]; p++) {
        const window2 = Math.floor(at[p] / keySlots);
        this.columnOfSlot(layer, window2 * heads + head, at[p] % keySlots, part2);
        for (let i = 0; i < slots; i++) {
          const query = tokens[window2 * slots + i];
          if (query >= 0) out[query] += part2[i] / (own[query + 1] - own[query]);
        }
      }
      return out;
    }
    columnOfSlot(layer, part2, slot, out) {
      const { slots, keySlots, width, kind } = this.layers[layer];
      const dense = this.dense(layer);
      const first = part2 * slots * keySlots + slot;
      if (dense) {
        for (let i = 0; i < slots; i++) out[i] = dense[first + i * keySlots];
      } else if (kind === "dense") {
        const halves2 = this.payload.halves(`dense.${layer}`);
        out.set(halfToFloat(Uint16Array.from({ length: slots }, (_, i) => halves2[first + i * keySlots])));
      } else {
        const { q, k, logsumexp } = this.factors(layer);
        dots(k, (part2 * keySlots + slot) * width, q, part2 * slots * width, width, this.scores, slots);
        for (let i = 0; i < slots; i++) out[i] = Math.exp(this.scores[i] - logsumexp[part2 * slots + i]);
      }
      return out;
    }
    // The slots of each token in a layer's windows: at[starts[token]] ... at[starts[token + 1] - 1], each window * slots + slot.
    places(layer, side2) {
      const name2 = `${side2}.${layer}`;
      if (!this.placed.has(name2)) {
        const tokens = this.payload.get(name2);
        const starts = new Int32Array(this.layers[layer][side2].tokens + 1);
        for (const token of tokens) if (token >= 0) starts[token + 1] += 1;
        for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
        const next = starts.slice();
        const at = new Int32Array(starts.at(-1));
        tokens.forEach((token, place2) => {
          if (token >= 0) at[next[token]++] = place2;
        });
        this.placed.set(name2, { starts, at });
      }
      return this.placed.get(name2);
    }
    // The matrices of a layer, (part, slot, key slot), if they were sent or kept and are at most DECODED values; else null.
    dense(layer) {
      if (this.kept[layer]) return this.kept[layer];
      const { kind, windows, heads, slots, keySlots } = this.layers[layer];
      const isSmall = kind === "dense" && windows * heads * slots * keySlots <= DECODED;
      return isSmall && this.payload.has(`dense.${layer}`) ? this.payload.get(`dense.${layer}`) : null;
    }
    factors(layer) {
      return { q: this.payload.get(`q.${layer}`), k: this.payload.get(`k.${layer}`), logsumexp: this.payload.get(`lse.${layer}`) };
    }
    // One map per head of a layer, in the direction "from" the query or "to" it.
    maps(layer, query, direction) {
      const maps = [];
      for (let head = 0; head < this.heads(layer); head++) {
        maps.push(direction === "to" ? this.column(layer, head, query) : this.row(layer, head, query));
      }
      return maps;
    }
    // ---- rollout (Abnar & Zuidema 2020): r <- r ((1 - skipWeight) fuse(A) + skipWeight I), each row divided by its sum
    hasFused(fusion) {
      return this.fused[fusion]?.ready === true;
    }
    // The number of values to compute in order to fuse all heads.
    get work() {
      const made2 = this.layers.filter(({ kind }) => kind !== "mean");
      return made2.reduce((sum3, { heads, windows, slots, keySlots }) => sum3 + heads * windows * slots * keySlots, 0);
    }
    // Whether fusing is cheap enough to do before anybody asks for rollout.
    get isQuick() {
      return this.work <= QUICK;
    }
    // Fuse the heads of all layers into one matrix each. This is the costly part, so it runs in slices to keep the page responsive.
    async fuseAll(fusion, onProgress, isStale) {
      if (this.fused[fusion] || this.payload.isMean && fusion !== "mean") return;
      const layers = this.layers.map(
        ({ kind, windows, slots, keySlots }, layer) => kind === "mean" ? this.payload.get(`mean.${layer}`) : new Float32Array(windows * slots * keySlots)
      );
      const fused = this.fused[fusion] = { layers, sums: null, steps: null, ready: false };
      const keeps = this.payload.isPlain && this.work <= KEPT3;
      let sliceStart = performance.now();
      for (let layer = layers.length - 1; layer >= 0; layer--) {
        const { kind, heads, windows, slots, keySlots: n } = this.layers[layer];
        if (kind === "mean") continue;
        const made2 = keeps && !this.dense(layer) ? new Float32Array(heads * slots * n) : null;
        const scratch = Array.from({ length: made2 ? 0 : heads }, () => new Float32Array(n));
        const rows = Array(heads);
        for (let at = 0; at < windows * slots; at++) {
          const out = layers[layer].subarray(at * n, (at + 1) * n);
          const window2 = Math.floor(at / slots);
          const slot = at % slots;
          for (let head = 0; head < heads; head++) {
            const place2 = made2 ? made2.subarray((head * n + slot) * n, (head * n + slot + 1) * n) : scratch[head];
            rows[head] = this.rowOfSlot(layer, window2 * heads + head, slot, place2);
          }
          fuseInto(rows, fusion, out);
          if (performance.now() - sliceStart > 12) {
            onProgress((layers.length - 1 - layer + at / (windows * slots)) / layers.length);
            await new Promise((resume) => setTimeout(resume));
            if (isStale()) {
              delete this.fused[fusion];
              return;
            }
            sliceStart = performance.now();
          }
        }
        if (made2) this.keep(layer, made2);
      }
      if (this.chain) fused.steps = this.chain.stepsOf(layers, fusion);
      else fused.sums = layers.map((matrix) => rowSums(matrix, this.tokens));
      fused.ready = true;
      onProgress(1);
    }
    keep(layer, maps) {
      this.kept[layer] = maps;
      for (const factor of ["q", "k"]) this.payload.decoded.delete(`${factor}.${layer}`);
    }
    // Multiply the layers' matrices, so that any rollout becomes a row or a column to look up. It saves 66 products of a vector
    // and a matrix on each move of the mouse. Until it is done, and for another skipWeight, `rollout` multiplies vectors.
    async joinAll(fusion, skipWeight, isStale) {
      if (this.chain || !this.hasFused(fusion) || this.isJoint(fusion, skipWeight)) return;
      const joint = this.joint = { fusion, skipWeight, layers: [] };
      const n = this.tokens;
      const { layers, sums } = this.fused[fusion];
      const one = new Float32Array(n);
      let sliceStart = performance.now();
      for (let layer = 0; layer < layers.length; layer++) {
        const matrix = new Float32Array(n * n);
        for (let token = 0; token < n; token++) {
          one.fill(0)[token] = 1;
          const row2 = this.pushBack(one, layers[layer], sums[layer], skipWeight);
          matrix.set(layer ? product(row2, joint.layers[layer - 1]) : row2, token * n);
          if (performance.now() - sliceStart > 12) {
            await new Promise((resume) => setTimeout(resume));
            if (isStale() || this.joint !== joint) return;
            sliceStart = performance.now();
          }
        }
        joint.layers.push(matrix);
      }
    }
    isJoint(fusion, skipWeight) {
      return this.joint?.fusion === fusion && this.joint.skipWeight === skipWeight;
    }
    // Rollout through `layer` for a query: its row ("from") or the column of one token ("to").
    rollout(layer, query, direction, fusion, skipWeight) {
      if (!this.payload.canRoll || !this.knows(layer, query)) return null;
      const name2 = this.nameOf(layer, query);
      if (!this.hasFused(fusion)) {
        if (this.chain || direction !== "from" || fusion !== "mean" || skipWeight !== 0.5 || !this.isNamed(layer, query))
          return null;
        if (!this.payload.has(`rollout.${name2}`)) return null;
        return this.payload.get(`rollout.${name2}`).subarray(layer * this.tokens, (layer + 1) * this.tokens);
      }
      if (this.chain) return this.chain.rollout(layer, query, this.fused[fusion].steps, skipWeight);
      const n = this.tokens;
      const joint = this.isJoint(fusion, skipWeight) && this.joint.layers[layer];
      if (joint && direction === "to") return Float32Array.from({ length: n }, (_, i) => joint[i * n + query]);
      if (joint)
        return typeof query === "string" ? product(this.weights(layer, query), joint) : joint.subarray(query * n, (query + 1) * n);
      const { layers, sums } = this.fused[fusion];
      let r = this.weights(layer, query);
      if (direction === "from") for (let l = layer; l >= 0; l--) r = this.pushBack(r, layers[l], sums[l], skipWeight);
      else for (let l = 0; l <= layer; l++) r = this.pushForward(r, layers[l], sums[l], skipWeight);
      return r;
    }
    // The query as weights on a layer's query tokens.
    weights(layer, query) {
      const { queries, layout } = this.layers[layer];
      const r = new Float32Array(queries.tokens);
      if (typeof query !== "string") r[query] = 1;
      else r.set(this.payload.get(`weights.${query}.${layout}`));
      return r;
    }
    pushBack(r, fused, sums, skipWeight) {
      const n = this.tokens;
      const out = new Float32Array(n);
      for (let i = 0; i < n; i++) {
        if (r[i] === 0) continue;
        const [given, kept] = factorsOf(sums[i], skipWeight);
        const share = r[i] * given;
        for (let j = 0; j < n; j++) out[j] += share * fused[i * n + j];
        out[i] += r[i] * kept;
      }
      return out;
    }
    pushForward(c, fused, sums, skipWeight) {
      const n = this.tokens;
      const out = new Float32Array(n);
      for (let i = 0; i < n; i++) {
        let sum3 = 0;
        for (let j = 0; j < n; j++) sum3 += fused[i * n + j] * c[j];
        const [given, kept] = factorsOf(sums[i], skipWeight);
        out[i] = given * sum3 + kept * c[i];
      }
      return out;
    }
  };

  // numbers/wanted.js
  var sparesData = () => (
    /** @type {any} */
    navigator.connection?.saveData === true
  );
  var FIRST2 = {
    attention: (shown, others) => [shown, "named", ...others, "cross"],
    rollout: (shown, others) => ["named", shown, ...others, "cross"]
  };
  function inOrder2({ layers }, { layer, method, crossBlock }) {
    const away = [...layers.keys()].sort((a, b) => Math.abs(a - layer) - Math.abs(b - layer) || b - a).map(nameOfLayer);
    const [shown, ...others] = away;
    if (crossBlock !== null) return ["cross", shown, "named", ...others];
    return FIRST2[method](shown, others);
  }
  function atRest(payload, view) {
    return [...inOrder2(payload, view).slice(0, 2), ...spared(payload, view)];
  }
  function spared(payload, view) {
    const { layer, method, query, crossBlock, knows, map } = view;
    if (map.values || !knows) return [];
    if (crossBlock !== null) return ["cross"];
    const isNamed = payload.named.includes(typeof query === "string" ? query : payload.layers[layer].queries.prefix[query]);
    if (isNamed && !payload.pieces.hasPiece("named")) return ["named"];
    return THROUGH_LAYERS[method] ? inOrder2(payload, view) : [nameOfLayer(layer)];
  }

  // frame.js
  var HTML = `
  <div class="viz-refusal" role="alert"></div>
  <div class="viz-columns">
    <section class="viz-stage" data-place="stage" tabindex="0" role="application" aria-label="$stage_label"></section>
    <div class="viz-side">
      <div class="viz-told" data-place="told"></div>
      <div class="viz-place" data-place="top"></div>
      <section class="viz-explore" data-place="explore"></section>
      <div class="viz-deep" data-place="maps"></div>
      <div class="viz-found" data-place="found"></div>
      <div class="viz-doors" data-place="doors"></div>
      <div class="viz-foot">
        <details class="viz-more viz-look-more">
          <summary title="$look_help">$look_open</summary>
          <div class="viz-more-panel">
            <div class="viz-row" data-place="show"></div>
            <div class="viz-place" data-place="look"></div>
          </div>
        </details>
        <details class="viz-more viz-keys-more">
          <summary title="$keys_open" aria-label="$keys_open">?</summary>
          <div class="viz-more-panel">
            <div class="viz-keys"></div><p class="viz-keys-when">$keys_help</p><p class="viz-touch">$touch_help</p>
          </div>
        </details>
      </div>
    </div>
  </div>
  <div class="viz-below" data-place="below"></div>
`;
  var ARROWS2 = { ArrowLeft: "←", ArrowUp: "↑", ArrowRight: "→", ArrowDown: "↓" };
  function frame(root, words) {
    root.replaceChildren(words.fill(HTML));
    for (const box2 of root.querySelectorAll(".viz-foot details")) closing(
      /** @type {HTMLDetailsElement} */
      box2
    );
    return Object.fromEntries([...root.querySelectorAll("[data-place]")].map((place2) => [place2.dataset.place, place2]));
  }
  function legend(line, panels2, table) {
    const order = Object.keys(table.table);
    const place2 = (word) => table.has(word) ? order.indexOf(word) : order.length;
    const entries = /* @__PURE__ */ new Map();
    for (const { keys, words } of panels2) {
      for (const [key, word] of Object.entries(keys)) {
        if (!word) continue;
        if (!entries.has(word)) entries.set(word, { said: words.say(word), keys: [] });
        const { keys: known } = entries.get(word);
        if (!known.includes(key)) known.push(key);
      }
    }
    const sorted2 = [...entries].sort(([a], [b]) => place2(a) - place2(b)).map(([, entry]) => entry);
    line.replaceChildren(table.say("keys"), ...sorted2.flatMap((entry) => [" ", entryOf(entry, table)]));
  }
  function entryOf({ said, keys }, words) {
    const arrows = keys.filter((key) => key in ARROWS2).map((key) => ARROWS2[key]);
    const others = keys.filter((key) => !(key in ARROWS2)).map((key) => nameOf3(key, words));
    const texts = [...arrows.length ? [arrows.join("")] : [], ...others];
    const caps = texts.map((textContent) => Object.assign(document.createElement("kbd"), { textContent }));
    const entry = document.createElement("span");
    entry.append(...caps.flatMap((cap) => [cap, " "]), said);
    return entry;
  }
  function nameOf3(key, words) {
    if (key === "Escape") return words.say("key_escape");
    return key === " " ? words.say("key_space") : key;
  }

  // idle.js
  function pending({ root, waiting, later: later2, asking, working, attention }) {
    const all = {
      "the maps of another choice": root.dataset.waiting === "true",
      "pieces of the payload": working > 0,
      "a paint": waiting || later2,
      "answers to questions": asking > 0,
      "rows of the maps": attention?.asker.isBusy,
      "what waits for the hand to rest": isAnyRunning(),
      "what moves": root.getAnimations({ subtree: true }).some(isPassing)
    };
    return Object.keys(all).filter((one) => all[one]);
  }
  async function idle(viewer) {
    const placeOf = () => Object.values(viewer.root.getBoundingClientRect().toJSON()).join();
    let before = "";
    for (let frames = 0; frames < 2; ) {
      await new Promise(requestAnimationFrame);
      const place2 = placeOf();
      frames = pending(viewer).length || place2 !== before ? 0 : frames + 1;
      before = place2;
    }
  }
  var isPassing = ({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity;

  // keyboard.js
  var OWN = "input, select, textarea, [role=dialog], [aria-expanded=true], details[open], .drawer";
  function listen(viewer) {
    const { root } = viewer;
    root.addEventListener("keydown", (event) => viewer.payload && press(viewer, event));
    root.ownerDocument.addEventListener("keydown", (event) => {
      const { target } = event;
      const isFree = target === root.ownerDocument.body || event.key === "Escape" && !root.contains(target) && !target.closest(OWN);
      if (isFree && !event.defaultPrevented && viewer.payload && hears(root, event.key)) press(viewer, event);
    });
  }
  function hears(root, key) {
    const isAlone = root.getClientRects().length > 0 && root.ownerDocument.querySelectorAll(".viz").length === 1;
    return isAlone && (key === "Escape" || key === "p" || root.classList.contains("viz-presented"));
  }
  function openKeys(root, event) {
    const box2 = (
      /** @type {HTMLDetailsElement} */
      root.querySelector(".viz-keys-more")
    );
    if (!box2.getClientRects().length) return;
    box2.open = true;
    box2.firstElementChild.focus();
    event.preventDefault();
  }
  function press(viewer, event) {
    viewer.use();
    const typed = "[]".includes(event.key) && event.altKey;
    if (event.target.matches("input, select") || event.metaKey || (event.ctrlKey || event.altKey) && !typed) return;
    if (event.key === "?") return openKeys(viewer.root, event);
    const mine = viewer.panels.filter(({ keys }) => Object.hasOwn(keys, event.key));
    if (!mine.length || [" ", "Enter"].includes(event.key) && event.target.matches("button, summary, a, [role=button]")) return;
    if (mine.find(({ mounted }) => mounted.press(event.key) !== false)) event.preventDefault();
  }

  // drawing/outline.js
  var SMOOTH = 1;
  function outlineOf(mask, [height, width]) {
    const path = new Path2D();
    let top = null;
    const wide = width + 2;
    const field = blurred(mask, height, width);
    const cross = (a, b) => (0.5 - a) / (b - a);
    for (let y = -1; y < height; y++) {
      for (let x = -1; x < width; x++) {
        const at = (y + 1) * wide + x + 1;
        const [a, b, c, d] = [field[at], field[at + 1], field[at + wide + 1], field[at + wide]];
        if (a > 0.5 === b > 0.5 && b > 0.5 === c > 0.5 && c > 0.5 === d > 0.5) continue;
        const ends2 = [];
        if (a > 0.5 !== b > 0.5) ends2.push([x + cross(a, b), y]);
        if (b > 0.5 !== c > 0.5) ends2.push([x + 1, y + cross(b, c)]);
        if (d > 0.5 !== c > 0.5) ends2.push([x + cross(d, c), y + 1]);
        if (a > 0.5 !== d > 0.5) ends2.push([x, y + cross(a, d)]);
        for (let i = 0; i + 1 < ends2.length; i += 2) {
          path.moveTo(ends2[i][0] + 0.5, ends2[i][1] + 0.5);
          path.lineTo(ends2[i + 1][0] + 0.5, ends2[i + 1][1] + 0.5);
          top = top ?? [ends2[i][0] + 0.5, ends2[i][1] + 0.5];
        }
      }
    }
    return { path, top };
  }
  function blurred(mask, height, width) {
    const wide = width + 2;
    const field = new Float32Array((height + 2) * wide);
    const share = 1 / (2 * SMOOTH + 1) ** 2;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (!mask[y * width + x]) continue;
        for (let v = Math.max(0, y - SMOOTH); v <= Math.min(height - 1, y + SMOOTH); v++) {
          for (let u = Math.max(0, x - SMOOTH); u <= Math.min(width - 1, x + SMOOTH); u++) field[(v + 1) * wide + u + 1] += share;
        }
      }
    }
    return field;
  }

  // drawing/truth.js
  var Truth = class {
    constructor(payload) {
      this.size = payload.input;
      this.grid = payload.grid;
      this.window = payload.window;
      this.things = payload.truth.map((thing, i) => ({ ...thing, mask: bits(payload.get(`truth.${i}`), payload.input) }));
      this.shapes = null;
      this.known = null;
    }
    // The known things, given these shapes. A drawing replaces what the server knows. The result is cached for each drawing.
    of(shapes) {
      if (this.known && this.shapes === shapes) return this.known;
      const things = shapes.length ? [{ name: "", object: true, mask: this.drawnMask(shapes) }] : this.things;
      const whole2 = new Uint8Array(this.size[0] * this.size[1]);
      for (const { object, mask } of things) if (object) for (let i = 0; i < whole2.length; i++) whole2[i] |= mask[i];
      const parts = things.map(({ name: name2, object, mask }) => ({
        name: name2,
        object,
        on: this.targets(mask),
        ...outlineOf(mask, this.size)
      }));
      this.shapes = shapes;
      this.known = new Known(shapes.length > 0, parts, this.targets(whole2), this.grid);
      return this.known;
    }
    // grid -> Target, each made once.
    targets(mask) {
      const made2 = /* @__PURE__ */ new Map();
      return (grid) => {
        if (!made2.has(String(grid))) made2.set(String(grid), new Target(mask, this.size, grid));
        return made2.get(String(grid));
      };
    }
    drawnMask(shapes) {
      const [height, width] = this.size;
      const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      const [left, top, right, bottom] = this.window;
      context.scale(width / (right - left), height / (bottom - top));
      context.translate(-left, -top);
      for (const { box: box2, stroke, erase, radius } of shapes) {
        context.globalCompositeOperation = erase ? "destination-out" : "source-over";
        if (box2) {
          const [x, y] = [Math.min(box2[0], box2[2]), Math.min(box2[1], box2[3])];
          context.fillRect(x, y, Math.abs(box2[2] - box2[0]), Math.abs(box2[3] - box2[1]));
        } else paintStroke(context, stroke ?? erase, radius);
      }
      const { data } = context.getImageData(0, 0, width, height);
      const mask = new Uint8Array(height * width);
      for (let i = 0; i < mask.length; i++) mask[i] = Number(data[4 * i + 3] > 127);
      return mask;
    }
  };
  var Known = class {
    constructor(isDrawn, parts, whole2, grid) {
      this.isDrawn = isDrawn;
      this.parts = parts;
      this.whole = whole2;
      this.target = this.targetOn(grid);
    }
    // The same for maps of another grid.
    targetOn(grid) {
      const target = this.whole(grid);
      return target.isUsable ? target : null;
    }
  };
  function paintStroke(context, points, [wide, high]) {
    context.save();
    context.scale(wide, high);
    context.lineWidth = 2;
    context.lineCap = context.lineJoin = "round";
    context.beginPath();
    context.moveTo(points[0][0] / wide - 1e-3, points[0][1] / high);
    for (const [x, y] of points) context.lineTo(x / wide, y / high);
    context.stroke();
    context.restore();
  }
  function bits(packed, [height, width]) {
    return Uint8Array.from({ length: height * width }, (_, i) => packed[i >> 3] >> 7 - (i & 7) & 1);
  }

  // numbers/cross.js
  var Cross = class {
    /** @param {import("./payload.js").Payload} payload */
    constructor(payload) {
      this.payload = payload;
      this.made = {
        block: -1,
        query: -1,
        /** @type {Float32Array[]} */
        maps: []
      };
    }
    /** The attention of one query of a block: per head a Float32Array over the keys; null while its numbers have not arrived. */
    maps(block, query) {
      if (!this.payload.hasCross(block)) return null;
      if (this.made.block === block && this.made.query === query) return this.made.maps;
      const maps = Array.from({ length: this.payload.cross[block].heads }, (_, head) => this.row(block, head, query));
      this.made = { block, query, maps };
      return maps;
    }
    row(block, head, query) {
      const { kind, queries, keys, width } = this.payload.cross[block];
      const n = keys.tokens;
      const at = head * queries.length + query;
      const part2 = (name2) => this.payload.get(`cross.${name2}.${block}`);
      if (kind === "dense") return part2("dense").subarray(at * n, (at + 1) * n);
      const scores = new Float64Array(n);
      dots(part2("q"), at * width, part2("k"), head * n * width, width, scores, n);
      const shift = part2("lse")[at];
      return Float32Array.from(scores, (score) => Math.exp(score - shift));
    }
  };

  // numbers/opening.js
  var LEAST2 = 1e-7;
  function divergence(shares, others, counts) {
    const p = sharesOf2(shares, counts);
    const q = sharesOf2(others ?? counts, counts);
    if (!p.whole || !q.whole) return 0;
    let sum3 = 0;
    for (let i = 0; i < counts.length; i++) {
      const own = p.of(i);
      if (own > 0) sum3 += own * Math.log(own / Math.max(LEAST2, q.of(i)));
    }
    return sum3;
  }
  function sharesOf2(values, counts) {
    const of = (i) => counts[i] ? Math.max(0, values[i]) : 0;
    let whole2 = 0;
    for (let i = 0; i < counts.length; i++) whole2 += of(i);
    return { whole: whole2, of: (i) => of(i) / whole2 };
  }
  function mostTelling(found, layers) {
    const last = layers.length - 1;
    let best = last;
    for (let layer = last; layer >= 0; layer--) {
      if (found[layer] === null || layers[layer].like !== layers[last].like) continue;
      if (found[best] === null || found[layer] > found[best]) best = layer;
    }
    return best;
  }

  // numbers/query.js
  var Queries = class {
    constructor(payload) {
      this.payload = payload;
      this.layers = payload.layers;
    }
    /** Convert fractions of the picture to fractions of the model's input, which may be less or more than the picture. @param {number[]} place @returns {[number, number]} */
    toInput([x, y]) {
      const [left, top, right, bottom] = this.payload.window;
      return [(x - left) / (right - left), (y - top) / (bottom - top)];
    }
    /** The inverse of `toInput`. @param {number[]} spot */
    toPicture([x, y]) {
      const [left, top, right, bottom] = this.payload.window;
      return [left + x * (right - left), top + y * (bottom - top)];
    }
    /** The query that a state has chosen. If this network lacks the token, the query that its classifier reads. @returns {Asked} */
    chosen({ place: place2, token }) {
      if (place2) return { spot: this.toInput(place2) };
      return { name: token !== null && this.has(token) ? token : this.payload.readout };
    }
    has(name2) {
      return this.payload.named.includes(name2) || this.payload.layouts.some(({ prefix: prefix2 }) => prefix2.includes(name2));
    }
    // The patch of a layout at a place of the picture, [row, col]; null outside the model's input.
    cellAt(layout, place2) {
      const spot = this.toInput(place2);
      return spot.every((share) => share >= 0 && share < 1) ? layout.cellAt(spot) : null;
    }
    /** The centre of the patch that is nearest to a place. @param {import("./layout.js").Layout} layout @param {number[]} place */
    nearest(layout, place2) {
      const [row2, col] = layout.cellAt(this.toInput(place2));
      return this.toPicture(layout.centreOf([row2, col]));
    }
    /** The query in a layer: the index of a token, or the name of a weighted query. @param {number} layer @param {Asked} asked */
    in(layer, { spot, name: name2 }) {
      const { queries } = this.layers[layer];
      if (spot) return queries.tokenOf(queries.cellAt(spot));
      const at = queries.prefix.indexOf(name2);
      return at >= 0 ? at : name2;
    }
    /** The inverse of `in`: a layer's query, independent of the layer. @returns {Asked} */
    asked(layer, query) {
      const { queries } = this.layers[layer];
      const cell = queries.cellOf(query);
      if (cell) return { spot: queries.centreOf(cell) };
      return { name: typeof query === "string" ? query : queries.prefix[query] };
    }
    // Whether one can ask who looks at a token: only if a layer's keys are its queries, and through layers only in plain networks.
    hasColumns(layer, method) {
      const { queries, keys } = this.layers[layer];
      return THROUGH_LAYERS[method] ? this.payload.isPlain : queries === keys;
    }
    // A mean of tokens has no column.
    direction(query, { layer, method, direction }) {
      return typeof query === "string" || !this.hasColumns(layer, method) ? "from" : direction;
    }
  };

  // numbers/reach.js
  var Reach = class {
    /** @param {import("./payload.js").Payload} payload @param {import("./attention.js").Attention} attention */
    constructor(payload, attention) {
      this.payload = payload;
      this.attention = attention;
      this.counts = /* @__PURE__ */ new Map();
    }
    /**
     * 1 for each token that the query can see ("from"), or that can see it ("to"); null if that are all, or if it is not known.
     * @param {number} layer @param {number | string} query the index of a token, or the name of a weighted query
     * @param {"from" | "to"} direction @param {boolean} [isMasked] false: as if the masks inside of windows were not there
     */
    of(layer, query, direction, isMasked = true) {
      const one = this.payload.layers[layer];
      if (one.mask === void 0 && !one.windowed || one.windowed && one.kind === "asked") return null;
      const seen = new Uint8Array(direction === "to" ? one.queries.tokens : one.keys.tokens);
      if (one.windowed && !["queries", "keys"].every((side2) => this.payload.has(`${side2}.${layer}`))) return null;
      for (const token of this.tokensOf(layer, query)) {
        if (one.windowed) this.inWindows(layer, token, direction, seen, isMasked);
        else for (let i = 0; i < seen.length; i++) if (!this.hides(one, ...pair2(direction, token, i))) seen[i] = 1;
      }
      return seen.includes(0) ? seen : null;
    }
    /**
     * What hides a token from a query: its windows, or a mask; "" for one within reach.
     * @param {Uint8Array | null} reach as `of` has found @param {number} layer @param {number | string} query @param {number} token
     * @param {"from" | "to"} direction
     * @returns {"" | "window" | "mask"}
     */
    hiddenBy(reach, layer, query, token, direction) {
      if (!reach || reach[token]) return "";
      if (!this.payload.layers[layer].windowed) return "mask";
      return !this.isKnown(layer, query) || this.of(layer, query, direction, false)?.[token] === 0 ? "window" : "mask";
    }
    /** As `of`, for a query of a block whose queries are no patches. @param {number} block @param {number} query */
    ofCross(block, query) {
      const { mask, queries, keys } = this.payload.cross[block];
      if (mask === void 0) return null;
      const one = { mask, slots: queries.length, keySlots: keys.tokens };
      const seen = Uint8Array.from({ length: keys.tokens }, (_, key) => Number(!this.hides(one, query, key)));
      return seen.includes(0) ? seen : null;
    }
    // How many keys a query can see; of a query of several tokens, how many at least one of them sees. Where it is not known, all, or
    // for a token those of a window.
    /** @param {number} layer @param {number | string} query @returns {number} */
    count(layer, query) {
      const { mask, keys, keySlots, windowed } = this.payload.layers[layer];
      if (mask === void 0 && !windowed) return keys.tokens;
      if (!this.isKnown(layer, query)) return windowed && typeof query !== "string" ? Math.min(keySlots, keys.tokens) : keys.tokens;
      if (!this.counts.has(layer)) this.counts.set(layer, /* @__PURE__ */ new Map());
      const counts = this.counts.get(layer);
      if (!counts.has(query)) counts.set(query, this.of(layer, query, "from")?.reduce((sum3, one) => sum3 + one, 0) ?? keys.tokens);
      return counts.get(query);
    }
    /**
     * The number of tokens that share an even spread: of those that the query can see; null if it differs among the values of a column,
     * each of which is of another token's attention.
     * @param {string} kind what the numbers are @param {number} layer @param {number | string} query
     * @param {Uint8Array | null} reach as `of` has found @param {{tokens: number}} layout @param {number} [token] the value of one alone
     * @returns {number | null}
     */
    even(kind, layer, query, reach, layout, token) {
      if (kind === "to") return token === void 0 ? this.countTo(
        layer,
        /** @type {number} */
        query
      ) : this.count(layer, token);
      if (kind !== "from") return layout.tokens;
      return reach && typeof query !== "string" ? reach.reduce((sum3, one) => sum3 + one, 0) : this.count(layer, query);
    }
    // How many keys each of the tokens sees that can see a key; null where some see more than others.
    /** @param {number} layer @param {number} key @returns {number | null} */
    countTo(layer, key) {
      const { mask, keys, queries, windowed } = this.payload.layers[layer];
      if (mask === void 0 && !windowed) return keys.tokens;
      const seen = this.of(layer, key, "to");
      const counts = /* @__PURE__ */ new Set();
      for (let token = 0; token < queries.tokens; token++) if (!seen || seen[token]) counts.add(this.count(layer, token));
      return counts.size === 1 ? [...counts][0] : null;
    }
    // Whether all has arrived that tells what a query can see.
    isKnown(layer, query) {
      const { windowed, kind } = this.payload.layers[layer];
      if (typeof query === "string" && !this.payload.has(this.weightsOf(layer, query))) return false;
      return !windowed || kind !== "asked" && ["queries", "keys"].every((side2) => this.payload.has(`${side2}.${layer}`));
    }
    // Whether a mask hides a key slot from a slot; those of the window w are slots w * slots to (w + 1) * slots - 1.
    /** @param {Masked} one @param {number} slot @param {number} key @returns {boolean} */
    hides({ mask, keySlots }, slot, key) {
      if (mask === void 0) return false;
      if (this.payload.masks[mask] === "causal") return key > slot;
      const name2 = `mask.at.${mask}`;
      const row2 = name2 in this.payload.blocks ? this.payload.get(name2)[slot] : 0;
      return (this.payload.get(`mask.${mask}`)[row2 * Math.ceil(keySlots / 8) + (key >> 3)] >> 7 - (key & 7) & 1) === 1;
    }
    inWindows(layer, token, direction, seen, isMasked) {
      const one = this.payload.layers[layer];
      const [own, other] = direction === "to" ? ["keys", "queries"] : ["queries", "keys"];
      const [here, there] = direction === "to" ? [one.keySlots, one.slots] : [one.slots, one.keySlots];
      const { starts, at } = this.attention.places(layer, own);
      const tokens = this.payload.get(`${other}.${layer}`);
      for (let p = starts[token]; p < starts[token + 1]; p++) {
        const window2 = Math.floor(at[p] / here);
        for (let i = 0; i < there; i++) {
          const [slot, key] = pair2(direction, at[p] % here, i);
          const found = tokens[window2 * there + i];
          if (found >= 0 && !(isMasked && this.hides(one, window2 * one.slots + slot, key))) seen[found] = 1;
        }
      }
    }
    tokensOf(layer, query) {
      if (typeof query !== "string") return [query];
      const name2 = this.weightsOf(layer, query);
      if (!this.payload.has(name2)) return [];
      return [...this.payload.get(name2).keys()].filter((token) => this.payload.get(name2)[token] > 0);
    }
    weightsOf(layer, query) {
      return `weights.${query}.${this.payload.layers[layer].layout}`;
    }
  };
  var pair2 = (direction, asked, other) => direction === "to" ? [other, asked] : [asked, other];

  // numbers/rest.js
  var SLOW = 8;
  var REST5 = 150;
  var Rest = class {
    // `again` is called when the mouse has rested, to do the work that waits.
    constructor(again) {
      this.again = again;
      this.cost = 0;
      this.timer = 0;
      this.isResting = false;
    }
    stop() {
      callOff(this.timer);
    }
    // Whether the work has to wait this time.
    waits() {
      this.stop();
      if (this.cost <= SLOW || this.isResting) return false;
      this.timer = later(() => {
        this.isResting = true;
        this.again();
        this.isResting = false;
      }, REST5);
      return true;
    }
    // Do the work, and measure what it costs.
    time(work) {
      const started = performance.now();
      const result = work();
      this.cost += 0.3 * (performance.now() - started - this.cost);
      return result;
    }
  };

  // numbers/scores.js
  var Scores = class {
    constructor(payload, again) {
      this.grid = payload.grid;
      this.priors = /* @__PURE__ */ new Map();
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
        const table = cells.map((row2) => row2.map((cell) => cell ? of(cell) : null));
        const best = bestOf(table, heads);
        const priorOn = (grid2) => score(this.prior(grid2), truth.targetOn(grid2));
        const evenOn = (grid2) => score(new Float32Array(grid2[0] * grid2[1]).fill(1), truth.targetOn(grid2));
        const top = best && table[best.row][best.column];
        const grid = best && cells[best.row][best.column].layout.grid;
        const isChance = best !== null && top <= Math.max(priorOn(grid), evenOn(grid));
        const isBest = (row2, column) => !isChance && column < heads && table[row2][column] === top;
        return { table, best, isBest, isChance, priorOn, evenOn };
      });
    }
    prior(grid) {
      if (!this.priors.has(String(grid))) this.priors.set(String(grid), centrePrior(grid));
      return this.priors.get(String(grid));
    }
  };
  function bestOf(table, heads) {
    let best = null;
    table.forEach((row2, r) => {
      row2.slice(0, heads).forEach((value, column) => {
        if (value !== null && (!best || value > table[best.row][best.column])) best = { row: r, column };
      });
    });
    return best;
  }

  // selectors.js
  var FEW2 = 0.5;
  var sumOf = (values) => values.reduce((a, b) => a + b, 0);
  var Selectors = class {
    // `again()` requests another paint when the mouse has rested. `opens`: the layer on which the picture has opened, or null.
    /** @param {import("./numbers/payload.js").Payload} payload @param {import("./numbers/attention.js").Attention} attention */
    constructor(payload, attention, again, opens = null) {
      this.payload = payload;
      this.attention = attention;
      this.queries = new Queries(payload);
      this.cross = new Cross(payload);
      this.reaches = new Reach(payload, attention);
      this.truth = new Truth(payload);
      this.scores = new Scores(payload, again);
      this.rolling = new Rest(again);
      this.heads = Math.max(...payload.layers.map((layer) => layer.heads));
      this.columns = [...Array(this.heads).keys(), "mean", ...payload.canRoll ? ["rollout"] : []];
      this.sinkMasks = /* @__PURE__ */ new Map();
      this.opens = opens ?? this.opening();
    }
    stop() {
      this.rolling.stop();
      this.scores.rest.stop();
    }
    // The state, limited to what this network has: its layers, its heads, rollout if it is defined.
    choice(state) {
      const { layers, canRoll, cross } = this.payload;
      const layer = Math.min(state.layer ?? this.opens.layer, layers.length - 1);
      const head = Math.min(state.head, layers[layer].heads - 1);
      const crossBlock = state.crossBlock === null || !cross.length ? null : Math.min(state.crossBlock, cross.length - 1);
      const crossQuery = crossBlock === null ? state.crossQuery : Math.min(state.crossQuery, cross[crossBlock].queries.length - 1);
      const method = canRoll && crossBlock === null ? state.method : "attention";
      return { ...state, layer, head, method, crossBlock, crossQuery };
    }
    // The parts of the state that this network does not have, as they are shown instead: {layer: 4} for layer 999 of five. The state
    // keeps its own, for a network that has them; a link holds what is shown.
    /** @param {Record<string, any>} state */
    fitted(state) {
      const { payload } = this;
      const choice = this.choice(state);
      const { queries } = payload.layers[choice.layer];
      const isOutside = (place2) => place2 && !this.queries.cellAt(queries, place2);
      const film = payload.film && new Film(payload.film);
      const shown = {
        layer: state.layer === null ? null : choice.layer,
        head: choice.fusion === "one" ? choice.head : Math.min(state.head, this.heads - 1),
        method: payload.canRoll ? state.method : "attention",
        crossBlock: choice.crossBlock,
        crossQuery: choice.crossQuery,
        token: state.token !== null && this.queries.has(state.token) ? state.token : null,
        direction: this.queries.hasColumns(choice.layer, choice.method) ? state.direction : "from",
        place: isOutside(state.place) ? this.queries.nearest(queries, state.place) : state.place,
        number: isOutside(state.number) ? null : state.number,
        question: state.question && Boolean(payload.lesson),
        moment: film && Number.isInteger(state.moment) ? film.steps[film.nearest(state.moment)] : null,
        ...Object.fromEntries(Object.keys(OPENS).map((key) => [key, state[key] && OPENS[key] === depthOf(state)]))
      };
      return Object.fromEntries(Object.entries(shown).filter(([key, value]) => key in state && value !== state[key]));
    }
    // The patch under the mouse, [row, col]: the query, or, if another one is pinned, the patch whose value is read out.
    hovered(choice) {
      if (!choice.hover) return null;
      if (choice.crossBlock !== null) return this.queries.cellAt(this.payload.cross[choice.crossBlock].keys, choice.hover);
      const { queries } = this.payload.layers[choice.layer];
      if (!choice.pinned) return this.queries.cellAt(queries, choice.hover);
      return this.queries.cellAt(this.layoutOf(this.queries.in(choice.layer, this.queries.chosen(choice)), choice), choice.hover);
    }
    // The layout of a map's values: the keys', or the queries' if the map shows who looks at the token.
    layoutOf(query, choice) {
      const { queries, keys } = this.payload.layers[choice.layer];
      if (THROUGH_LAYERS[choice.method]) return this.payload.finest;
      return this.queries.direction(query, choice) === "to" ? queries : keys;
    }
    // One map, a value per token of `layoutOf`, prefix tokens first; null while its numbers have not arrived. The heads are fused
    // unless `fusion` is "one".
    values(query, choice) {
      const { attention } = this;
      const { layer, head, fusion, method, skipWeight } = choice;
      const direction = this.queries.direction(query, choice);
      if (method === "rollout") {
        return attention.rollout(layer, query, direction, fusedAs(choice), skipWeight);
      }
      if (!attention.knows(layer, query)) return null;
      if (fusion !== "one") return attention.fuse(layer, query, direction, fusion);
      if (!attention.ready(layer, query, direction)) return null;
      return direction === "to" ? attention.column(layer, head, query) : attention.row(layer, head, query);
    }
    // The layer on which this picture opens, {layer, nats: see numbers/opening.js, isEven: compared with a uniform spread, mark}.
    // If a lesson has put a tell-tale mark into the picture, it is the layer that looks at it most, and `mark` is the mark's name.
    opening() {
      const { payload, attention } = this;
      const isEven = payload.readout === "mean";
      const rows = payload.layers.map((_, layer2) => {
        const query = this.queries.in(layer2, { name: payload.readout });
        if (!attention.knows(layer2, query) || !attention.ready(layer2, query)) return null;
        return fuseHeads(attention.maps(layer2, query, "from"), "mean");
      });
      const nats = rows.map(
        (row2, layer2) => row2 && divergence(row2, attention.rowOfMeanPatch(layer2), payload.layers[layer2].keys.onPicture)
      );
      const mark = this.truth.things.find(({ object }) => !object);
      const on = mark && this.truth.targets(mark.mask);
      const onMark = on && rows.map((row2, layer2) => row2 && shareOn(row2, payload.layers[layer2].keys, on));
      const layer = mostTelling(onMark ?? nats, payload.layers);
      return { layer, nats: nats[layer] ?? 0, isEven, mark: mark?.name ?? "" };
    }
    // panels/README.md has a table of what panels ask for most.
    /** @param {Record<string, any>} state */
    view(state) {
      const { payload } = this;
      const choice = this.choice(state);
      const { layer, method, pinned } = choice;
      const here = payload.layers[layer];
      const hovered = this.hovered(choice);
      const chosen = this.queries.in(layer, this.queries.chosen(choice));
      const isHovered = !pinned && hovered && choice.crossBlock === null;
      const query = isHovered ? here.queries.tokenOf(hovered) : chosen;
      const asked = isHovered ? this.queries.asked(layer, query) : this.queries.chosen(choice);
      const layout = this.layoutOf(query, choice);
      const sinksFound = payload.sinks ?? state.sinksFound[payload.run] ?? null;
      const sinks = state.sinks && sinksFound || [];
      const cells = this.cells(asked, query, choice, sinks);
      const isOne = !THROUGH_LAYERS[method] && choice.fusion === "one";
      const column = method === "rollout" ? this.heads + 1 : isOne ? choice.head : this.heads;
      const cell = cells[layer][column];
      const reach = cell?.reach ?? null;
      const direction = this.queries.direction(query, choice);
      const kind = method === "attention" ? direction : direction === "to" ? "rollout_to" : "rollout";
      const known = this.truth.of(state.shapes);
      const now = sinks.filter(([, , , first, last]) => first <= layer && (THROUGH_LAYERS[method] || layer <= last));
      const view = {
        ...choice,
        // every key of the state, as far as this network has it
        payload,
        depth: depthOf(state),
        // "picture", or what is shown beside it
        heads: this.heads,
        // the most of any layer
        columns: this.columns,
        // of the atlas: the heads, "mean", "rollout"
        column,
        // of the map on the stage
        here,
        // the layer on the stage
        query,
        // on the stage: a token of that layer, or the name of a weighted query
        chosen,
        // the query to which the stage returns when the mouse leaves
        cell: here.queries.cellOf(query),
        // the query's patch, or null
        hovered,
        handCell: state.hand && this.queries.cellAt(payload.finest, state.hand.at),
        // [row, col] under the hand that draws by keys
        asksNumber: choice.number && this.queries.cellAt(layout, choice.number),
        // [row, col] of the patch whose number is explained
        direction,
        kind,
        // what the numbers are: shares of the query's attention ("from"), of the others' ("to"), or rollout's results
        hasColumns: this.queries.hasColumns(layer, method),
        isKnown: (name2) => this.attention.knows(layer, this.queries.in(layer, { name: name2 })),
        knows: this.attention.knows(layer, query),
        isLost: this.attention.asker.isLost,
        cells,
        // of the atlas: [row][column] -> {values, layout, high, reach}, null (not here yet), undefined (there is none)
        selected: { row: layer, column },
        isOne,
        // whether the map is of `head` alone
        pointed: this.peeked(state.peek, cells),
        map: { values: cell ? cell.values : null, layout, high: cell ? cell.high : 1 },
        // values: one per token of layout, see `values`
        reach,
        // where windows or a mask hide some tokens from the query: 1 for those that it can see; else null
        hiddenBy: (token) => this.reaches.hiddenBy(reach, layer, query, token, direction),
        // "window" or "mask"; "" for a token within reach
        even: this.reaches.even(kind, layer, query, reach, layout),
        // the number of tokens that share uniform attention, so that each gets 1 / even; null if it differs
        evenOf: (token) => this.reaches.even(kind, layer, query, reach, layout, token),
        // the same for the value of one token
        isMean: !isOfHeads(choice),
        // whether the column of fused maps shows the mean of the heads
        rollsLater: payload.canRoll && method !== "rollout" && isOfHeads(choice) && !this.attention.isQuick,
        opens: this.opens,
        // the layer on which this picture opens
        sinksFound,
        // the picture's sinks, see keys.js; null while they are unknown
        sinksHere: sinksOn(layout, payload, sinks),
        // their cells
        sinksNow: sinksOn(layout, payload, now),
        // the cells that are sinks in the layer shown, or for rollout up to it
        truth: known,
        // see truth.js
        scores: this.scores.of(cells, known, state.metric, this.heads),
        // see scores.js
        measured: ({ row: row2, column: column2 }) => this.measured(cells[row2][column2], row2, asked, direction, sinksFound),
        placeOf: (cell2) => this.queries.toPicture(here.queries.centreOf(cell2)),
        // the place of a patch of the queries
        cellAt: (place2) => place2 && this.queries.cellAt(here.queries, place2),
        // the inverse
        patchAt: (place2) => this.queries.cellAt(payload.layers[payload.layers.length - 1].queries, place2),
        // the last layer's patch at a place, [row, col]
        placeOfPatch: (cell2) => this.queries.toPicture(payload.layers[payload.layers.length - 1].queries.centreOf(cell2)),
        tokenIn: (name2) => this.queries.in(layer, { name: name2 }),
        crossed: null
        // {head, cells: its heads together and each alone} if the stage shows a query that is not a patch, in place of a layer
      };
      const shown = choice.crossBlock === null ? view : { ...view, ...this.crossed(choice, state, sinks) };
      return { ...shown, ...tellingOf(shown) };
    }
    // The parts of the view that change when the stage shows a query that is not a patch: `crossQuery` of `crossBlock`.
    crossed({ crossBlock, crossQuery, fusion, scale, fixed }, state, sinks) {
      const block = this.payload.cross[crossBlock];
      const { keys } = block;
      const head = Math.min(state.head, block.heads - 1);
      const mapsOf = (one) => this.cross.maps(one, crossQuery);
      const shown = (maps2) => fusion === "one" ? [maps2[head]] : [fuseHeads(maps2, fusion)];
      const compared = (maps2) => fusion === "one" ? maps2 : shown(maps2);
      const alike = ({ queries, keys: others }) => String(others.grid) === String(keys.grid) && queries.length === block.queries.length;
      const maps = mapsOf(crossBlock);
      const values = maps && shown(maps)[0];
      let high = fixed;
      if (maps && scale !== "fixed") {
        const blocks = [...this.payload.cross.keys()].filter((one) => alike(this.payload.cross[one]));
        const all = () => blocks.map(mapsOf).filter(Boolean).flatMap(compared);
        const among = { map: () => [values], layer: () => compared(maps), all }[scale]();
        high = Math.max(...among.map((one) => largest2(one, this.counts(keys, state.sinksApart ? sinks : [])))) || 1e-12;
      }
      const reach = this.reaches.ofCross(crossBlock, crossQuery);
      const cellOf2 = (one) => ({
        values: one,
        layout: keys,
        reach,
        high: scale === "map" ? largest2(one, keys.onPicture) || 1e-12 : high
      });
      const cells = maps ? [fuseHeads(maps, fusedAs({ fusion })), ...maps].map(cellOf2) : Array(block.heads + 1).fill(null);
      return {
        crossed: { head, cells },
        here: { ...this.payload.layers[0], ...block, queries: keys, windowed: false },
        head,
        query: block.queries[crossQuery],
        cell: null,
        pinned: false,
        direction: "from",
        kind: "from",
        hasColumns: false,
        knows: true,
        selected: null,
        map: { values, layout: keys, high: maps ? high : 1 },
        reach,
        hiddenBy: (token) => reach && !reach[token] ? "mask" : "",
        even: reach ? sumOf(reach) : keys.tokens,
        evenOf: () => reach ? sumOf(reach) : keys.tokens,
        sinksHere: sinksOn(keys, this.payload, sinks),
        sinksNow: [],
        placeOf: (cell) => this.queries.toPicture(keys.centreOf(cell)),
        cellAt: (place2) => place2 && this.queries.cellAt(keys, place2)
      };
    }
    peeked(peek, cells) {
      return peek && cells[peek[0]] && peek[1] < this.columns.length ? { row: peek[0], column: peek[1] } : null;
    }
    // The measures of a map of the atlas, see numbers/measures.js; null until it has arrived, and for maps of who looks at a token.
    measured(cell, row2, asked, direction, sinks) {
      if (!cell || direction === "to") return null;
      const { grid } = this.payload.layers[row2].queries;
      return measures(cell.values, cell.layout, {
        cell: this.payload.layers[row2].queries.cellOf(this.queries.in(row2, asked)),
        grid,
        input: this.payload.input,
        sinks: sinksOn(cell.layout, this.payload, sinks ?? [])
      });
    }
    // Every map of the atlas. `high` is the value of the top colour.
    cells(asked, query, choice, sinks) {
      const { payload, attention } = this;
      const direction = this.queries.direction(query, choice);
      const fusion = fusedAs(choice);
      const rolled = payload.canRoll ? this.rolledCells(asked, direction, fusion, choice) : [];
      const rowOf3 = ({ kind, queries, keys }, layer) => {
        const own = this.queries.in(layer, asked);
        const isThere = attention.knows(layer, own) && (direction === "from" || queries === keys);
        const ready = isThere && attention.ready(layer, own, direction);
        const nothing = isThere && kind !== "mean" ? null : void 0;
        const maps = ready ? attention.maps(layer, own, direction) : Array(attention.heads(layer)).fill(nothing);
        const fused = isThere ? attention.fuse(layer, own, direction, fusion) : null;
        const layout = direction === "to" ? queries : keys;
        const reach = isThere ? this.reach(layer, own, direction, maps) : null;
        const row2 = maps.map((values) => values && { values, layout, high: 0, reach });
        while (row2.length < this.heads) row2.push(void 0);
        row2.push(fused ? { values: fused, layout, high: 0, reach } : nothing);
        if (payload.canRoll) row2.push(rolled[layer]);
        const leftOut = choice.sinksApart ? sinks : [];
        for (const cell of row2) if (cell) cell.high = largest2(cell.values, this.counts(cell.layout, leftOut)) || 1e-12;
        return row2;
      };
      const cells = onDemand(payload.layers.map((layer, i) => () => rowOf3(layer, i)));
      this.shareScale(cells, choice);
      return cells;
    }
    // Rollout through each layer. If that is too slow for each move of the mouse, only the map on the stage is made meanwhile.
    rolledCells(asked, direction, fusion, { method, layer: shown, skipWeight }) {
      const { payload, attention } = this;
      if (payload.isMean && fusion !== "mean") return payload.layers.map(() => void 0);
      const waits = this.rolling.waits();
      const roll = () => payload.layers.map((_, layer) => {
        const own = this.queries.in(layer, asked);
        if (!attention.knows(layer, own)) return void 0;
        if (waits && !(method === "rollout" && layer === shown)) return null;
        const values = attention.rollout(layer, own, direction, fusion, skipWeight);
        return values && { values, layout: payload.finest, high: 0 };
      });
      return waits || payload.isPlain ? roll() : this.rolling.time(roll);
    }
    // Give comparable maps the same top value: heads with heads, fused with fused, rollout with rollout, each among layers with the
    // same patches. Shares of 49 patches cannot be compared with shares of 3136.
    shareScale(cells, { scale, fixed }) {
      if (scale === "map") return;
      const { heads } = this;
      const { layers } = this.payload;
      const rowsLike = (one) => [...layers.keys()].filter((row2) => layers[row2].like === one);
      const alike = [...new Set(layers.map(({ like }) => like))].map(rowsLike);
      const kinds = [(row2) => row2.slice(0, heads), (row2) => [row2[heads]], (row2) => [row2[heads + 1]]];
      for (const kind of kinds) {
        const groups = scale === "layer" ? cells.map(kind) : alike.map((rows) => rows.flatMap((row2) => kind(cells[row2])));
        for (const group of groups) {
          const present = group.filter(Boolean);
          const high = scale === "fixed" ? fixed : Math.max(...present.map((cell) => cell.high));
          for (const cell of present) cell.high = high;
        }
      }
    }
    // 1 for each token that the query can see in a layer, or that can see it; null if that are all. In a shifted window a mask hides
    // some tokens of the same window: they are not within reach.
    reach(layer, query, direction, maps) {
      const { windowed, kind, queries } = this.payload.layers[layer];
      if (!windowed || kind !== "asked") return this.reaches.of(layer, query, direction);
      const here = maps.filter(Boolean);
      if (!queries.cellOf(query) || !here.length) return null;
      return Uint8Array.from(here[0], (_, token) => Number(here.some((values) => values[token] !== 0)));
    }
    // The tokens that decide the top colour of a map: patches of the picture, except these sinks.
    counts(layout, sinks) {
      if (!sinks.length) return layout.onPicture;
      if (this.sinkMasks.get("of") !== sinks) this.sinkMasks = /* @__PURE__ */ new Map([["of", sinks]]);
      if (!this.sinkMasks.has(layout)) {
        const mask = layout.onPicture.slice();
        for (const cell of sinksOn(layout, this.payload, sinks)) mask[layout.tokenOf(cell)] = 0;
        this.sinkMasks.set(layout, mask);
      }
      return this.sinkMasks.get(layout);
    }
  };
  function shareOn(row2, { first, grid }, on) {
    const { cover } = on(grid);
    return cover.reduce((sum3, share, i) => sum3 + share * row2[first + i], 0);
  }
  function tellingOf({ kind, method, fusion, map }) {
    const isFused = !THROUGH_LAYERS[method] && isOfHeads({ fusion });
    const isWhole = !kind.endsWith("to") && !isFused;
    const onPatches = map.values ? sumOf(map.values.subarray(map.layout.first)) : 1;
    const isFew = kind === "from" && isWhole && onPatches < FEW2;
    const phrase = isFused ? `${kind}_${fusion}` : isFew ? "from_few" : kind;
    return { isWhole, onPatches, phrase };
  }
  function onDemand(makers) {
    const all = [];
    makers.forEach((make, i) => {
      const keep = (value) => Object.defineProperty(all, i, { value, enumerable: true })[i];
      Object.defineProperty(all, i, { get: () => keep(make()), enumerable: true, configurable: true });
    });
    return all;
  }
  function sinksOn(layout, payload, sinks) {
    return layout.grid.join() === payload.finest.grid.join() ? sinks.map(([row2, col]) => [row2, col]) : [];
  }

  // shown_panels.js
  var FOLDED = ["maps", "show", "look"];
  var LATER = ["top", "explore", "found", "doors", "show", "look"];
  function choosePanels(root, places, panels2, view) {
    const before = root.dataset.depth;
    put(root, { "data-depth": view.depth, "data-reading": view.isReading });
    const held = document.activeElement?.closest(".viz-panel");
    for (const { name: name2, box: box2, place: place2, shows } of panels2) {
      const [isLit, isNeeded] = [view.lights.includes(name2), view.needs.includes(name2)];
      const speaks = shows?.(isNeeded ? { ...view, isReading: false } : view) !== false;
      const isLeftOut = view.isReading && !isNeeded && LATER.includes(place2);
      stand(box2, places[isLit && FOLDED.includes(place2) ? "explore" : place2], panels2);
      put(box2, { hidden: !isLit && (!speaks || isLeftOut) });
      box2.classList.toggle("viz-lit", isLit);
    }
    for (const place2 of Object.values(places))
      put(place2, { hidden: [...place2.children].every((box2) => (
        /** @type {HTMLElement} */
        box2.hidden
      )) });
    if (before && before !== view.depth) {
      travel(root.querySelector(".viz-side"), before === "picture");
      root.querySelector(".viz-back").scrollIntoView({ block: "nearest" });
    }
    const isGone = panels2.some(({ box: box2 }) => box2 === held && box2.hidden);
    if (isGone) root.querySelector(".viz-stage").focus({ preventScroll: true });
  }
  function stand(box2, place2, panels2) {
    if (box2.parentElement === place2) return;
    const boxes = panels2.map((panel) => (
      /** @type {Element} */
      panel.box
    ));
    const next = [...place2.children].find((one) => boxes.indexOf(one) > boxes.indexOf(box2));
    place2.insertBefore(box2, next ?? null);
  }

  // strange.js
  var MOST6 = 4;
  var INSTEAD = {
    layer: "instead_layer",
    head: "instead_head",
    method: "instead_method",
    token: "instead_token",
    step: "instead_step",
    chapter: "instead_chapter",
    fit: "instead_fit",
    model: "instead_model",
    tab: "instead_tab"
  };
  var NEAREST = { place: "nearest_place", moment: "nearest_moment" };
  var nameOf4 = (key) => key.replace(/\W/g, "·").slice(0, 20) || "·";
  function strangeSaid(words, unread, fitted, shown) {
    const keys = [.../* @__PURE__ */ new Set([...unread, ...Object.keys(fitted)])];
    if (!keys.length) return "";
    const each = keys.slice(0, MOST6).map((key) => {
      const isNear = (fitted[key] ?? null) !== null && Object.hasOwn(NEAREST, key);
      const instead = isNear ? NEAREST[key] : Object.hasOwn(INSTEAD, key) ? INSTEAD[key] : "left_out";
      const values = { layer: shown.layer + 1, head: shown.head + 1 };
      return words.say("strange_key", { key: nameOf4(key), instead: words.say(instead, values) });
    });
    if (keys.length > MOST6) each.push(words.say("strange_more", { n: keys.length - MOST6 }));
    return words.say("strange", { what: words.list(each) });
  }

  // words.js
  var byFinger = globalThis.matchMedia?.("(pointer: coarse)");
  var Words = class {
    /** @param {Record<string, string>} table @param {Record<string, string>} [own] */
    constructor(table, own = {}) {
      this.table = { ...own, ...table };
    }
    /** @param {string} key */
    has(key) {
      return Object.hasOwn(this.table, key);
    }
    /** A sentence with its values. @param {string} key @param {Record<string, string | number>} [values] @returns {string} */
    say(key, values = {}) {
      return joined2(this.sentence(key).replace(/\{(\w+)\}/g, (_, name2) => String(values[name2])));
    }
    // A missing word shows its key, which is better than a page that stops. The console reports it, to maintainers and to tests.
    sentence(key) {
      if (byFinger?.matches && this.has(`${key}_touch`)) return this.table[`${key}_touch`];
      if (this.has(key)) return this.table[key];
      console.error(`There is no word for '${key}'.`);
      return key.replaceAll("_", " ");
    }
    /** Join several things to a list. @param {string[]} things */
    list(things) {
      return things.join(this.say("list_comma"));
    }
    /** Join several sentences, leaving out empty ones. @param {string[]} sentences */
    told(sentences2) {
      return sentences2.filter(Boolean).join(this.say("sentence_gap"));
    }
    /** HTML in which $key stands for a word. @param {string} html @returns {DocumentFragment} */
    fill(html) {
      const made2 = document.createElement("template");
      made2.innerHTML = html.replace(/\$([a-z]\w*)/g, (_, key) => escaped2(this.say(key)));
      for (const term of made2.content.querySelectorAll("[data-term]")) {
        term.setAttribute("role", "button");
        term.setAttribute("tabindex", "0");
      }
      return made2.content;
    }
  };
  var joined2 = (text3) => text3.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g, "");
  var ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  function escaped2(text3) {
    return text3.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
  }

  // viewer.js
  var TOLD = 100;
  var Viewer = class {
    /**
     * @param {HTMLElement} root what the viewer fills
     * @param {import("./panel.js").Panel[]} panels
     * @param {import("./panel.js").Given} given
     */
    constructor(root, panels2, { words, colours, metrics, ask, state, book, exercises: exercises2, makes, turn }) {
      this.root = root;
      this.state = state;
      this.book = book;
      this.words = new Words(words);
      this.payload = null;
      this.attention = null;
      this.selectors = null;
      this.opened = null;
      this.view = null;
      this.loading = null;
      this.fetching = null;
      this.fetchMore = null;
      this.waiting = 0;
      this.asking = 0;
      this.working = 0;
      this.isSparing = false;
      this.isUsed = false;
      for (const kind of ["pointermove", "pointerdown", "keydown", "focusin"])
        root.addEventListener(kind, () => this.use(), { once: true, passive: true });
      this.progress = 0;
      this.later = 0;
      this.isFirst = true;
      this.paints = 0;
      this.paintTime = 0;
      this.afterPaint = Promise.resolve();
      this.door = ask;
      this.arrives = () => false;
      const places = this.places = frame(root, this.words);
      const asks = (kind, run, what, ...how) => this.ask(kind, run, what, ...how);
      this.panels = panels2.map((panel) => {
        const box2 = document.createElement("div");
        const own = new Words(words, panel.words);
        box2.className = "viz-panel";
        box2.dataset.panel = panel.name;
        box2.append(own.fill(panel.html));
        places[panel.place].append(box2);
        return {
          keys: panel.keys ?? {},
          box: box2,
          place: panel.place,
          shows: panel.shows,
          words: own,
          name: panel.name,
          mounted: panel.mount(box2, {
            state,
            ask: asks,
            words: own,
            colours,
            metrics,
            book,
            exercises: exercises2,
            makes,
            turn,
            change: (payload) => this.change(payload)
          })
        };
      });
      const nothing = { ...state.all(), depth: "picture", isReading: false, lights: [], needs: [], payload: {} };
      choosePanels(root, places, this.panels, nothing);
      legend(root.querySelector(".viz-keys"), this.panels, this.words);
      listen(this);
      state.subscribe((changed) => this.changed(changed));
      const sizes = new ResizeObserver(() => this.paintSoon());
      for (const one of [root, places.stage, places.explore]) sizes.observe(one);
      new MutationObserver(() => this.paint()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    }
    /** What the visitor has taught the current network: {names, prototypes}, or null. */
    get lesson() {
      return this.payload && lessonOf(this.state, this.payload.model, this.words);
    }
    // ---- a new picture
    // `value` is the component's value from the server: {file: {url}, bytes, first, run}, or {refused}. The first maps of a visit
    // are requested before Gradio has started (ui/early); `answer` is the promise of that request.
    async show(value) {
      if (value?.refused?.length) this.refuse(value.refused);
      if (!value?.file) return;
      this.loading?.abort();
      const loading = this.loading = new AbortController();
      const isStale = () => loading.signal.aborted;
      let begun2 = null;
      this.working += 1;
      try {
        const { signal } = loading;
        await Payload.load(value.file.url, value, {
          signal,
          onFirst: (payload) => {
            payload.run = value.run ?? "";
            begun2 = this.begin(payload, isStale);
          },
          onMore: (payload) => payload === this.payload && this.paintSoon()
        });
        if (isStale()) return;
        await begun2;
        if (!isStale()) await this.fetchRest(signal);
      } catch (error) {
        if (!isStale()) this.fail(error);
      } finally {
        this.working -= 1;
      }
    }
    /** Show maps that are here already, without a request. @param {Uint8Array} bytes @param {string} run */
    showHere(bytes, run) {
      const answer = new Response(
        /** @type {any} */
        bytes
      );
      return this.show({ file: { url: "" }, answer, bytes: bytes.byteLength, run });
    }
    // Fetch the rest of the maps on the stage, starting with what is looked at. To save data, fetch only what the stage waits for.
    async fetchRest(signal) {
      const { payload } = this;
      if (!payload || this.fetching === payload) return;
      this.fetching = payload;
      const wanted = () => {
        if (payload !== this.payload) return [];
        if (this.isSparing || sparesData()) return spared(payload, this.view);
        return this.isFirst && !this.isUsed ? atRest(payload, this.view) : inOrder2(payload, this.view);
      };
      await payload.fetchRest(wanted, { signal, onMore: () => payload === this.payload && this.paintSoon() });
      this.fetching = null;
      this.fetchMore = payload.complete ? null : () => this.fetchMissing(signal);
      this.paintSoon();
      if (payload === this.payload && this.attention?.isQuick) this.prepareRollout(this.isStale);
    }
    fetchMissing(signal) {
      return this.during(this.fetchRest(signal).catch((error) => signal.aborted || this.fail(error)));
    }
    /** Fetch all maps from now on: somebody uses this viewer. */
    use() {
      if (this.isUsed) return;
      this.isUsed = true;
      this.fetchMore?.();
    }
    // Show other maps of the same picture, which a panel has fetched: the same network at another step of its training. The state
    // stays.
    async change(payload) {
      if (payload === this.payload || payload.id !== this.payload?.id || this.root.dataset.waiting === "true") return;
      const { signal } = this.loading;
      await this.during(this.begin(payload, () => signal.aborted, this.selectors.opens));
      if (signal.aborted || payload !== this.payload) return;
      if (!payload.complete) await this.fetchMissing(signal);
      else if (this.attention.isQuick) this.prepareRollout(this.isStale);
    }
    // Put a payload on the stage, unless another picture was chosen while this one was decoded. `opens`: if these maps replace
    // others, the layer on which those opened.
    async begin(payload, isStale, opens = null) {
      await payload.decodePicture();
      if (isStale()) return;
      const before = this.payload;
      const same = before?.id === payload.id ? "swap" : "reset";
      this.selectors?.stop();
      this.payload = null;
      const isNextFrame = document.documentElement.classList.contains("next-frame");
      if (before && same === "reset") this.state.set(isNextFrame ? OF_FRAME : OF_PICTURE);
      const asker = new Asker(
        payload,
        (...asked) => this.ask(...asked),
        () => payload === this.payload && this.paintSoon()
      );
      this.attention = new Attention(payload, asker);
      this.selectors = new Selectors(payload, this.attention, () => payload === this.payload && this.paint(), opens);
      const byLink = !opens && this.arrives();
      this.state.set({ layer: this.layerFor(before, payload, isNextFrame ? "swap" : same, byLink) });
      this.payload = payload;
      this.isStale = isStale;
      this.fetchMore = null;
      this.root.dataset.plain = String(payload.isPlain);
      this.root.dataset.state = "ready";
      this.wait(false);
      this.afterPaint = new Promise((painted2) => requestAnimationFrame(() => painted2()));
      if (same === "reset") this.isFirst = !before && !byLink;
      for (const { mounted } of this.panels) mounted[same]?.(payload);
      this.paint();
    }
    // The layer to begin with. A layer that the visitor chose stays, and another network of the same shape keeps the layer, so that
    // the two can be compared. Otherwise the picture opens on its own layer. The state holds the number, so a link contains it.
    layerFor(before, payload, same, byLink) {
      const shown = this.state.get("layer");
      const isOther = before && before.shape !== payload.shape;
      const isByHand = byLink || !isOther && (same === "swap" || shown !== this.opened);
      if (shown !== null && isByHand) return shown;
      return this.opened = this.selectors.opens.layer;
    }
    // ---- links
    /**
     * Show what the viewer's part of a link says.
     * @param {string} text
     * @param {string[]} [unread] keys of the page's part that are not understood
     * @returns {string} a sentence about what is not understood; "" if all is
     */
    follow(text3, unread = []) {
      const all = [...unread, ...this.state.fromHash(text3)];
      const state = this.state.all();
      return strangeSaid(this.words, all, this.fitted(), this.selectors?.choice(state) ?? state);
    }
    /** The viewer's part of a link to what is shown. */
    toHash() {
      return this.state.toHash(this.fitted());
    }
    fitted() {
      return this.selectors?.fitted(this.state.all()) ?? {};
    }
    // Another picture or model was chosen: the maps shown are the old ones until the new ones arrive or fail. A choice that is
    // taken back changes nothing.
    choose(choice) {
      this.wait(choice !== this.settled);
    }
    settle(choice) {
      this.settled = choice;
      this.wait(false);
      const stage = this.root.querySelector(".viz-stage").getBoundingClientRect();
      if (stage.height && stage.bottom < 0) later(() => intoView(this.root), 100);
    }
    wait(isWaiting) {
      this.root.dataset.waiting = String(Boolean(isWaiting));
      this.root.setAttribute("aria-busy", String(Boolean(isWaiting)));
    }
    // Show a sentence in place of maps that would not be what the network computed.
    refuse([what, hint]) {
      this.loading?.abort();
      this.selectors?.stop();
      this.payload = this.attention = this.selectors = this.view = null;
      for (const { mounted } of this.panels) mounted.stop?.();
      const said = [this.words.say("refused"), what, this.words.say("refused_why"), hint];
      const paragraphs = said.map((text3) => Object.assign(document.createElement("p"), { textContent: text3 }));
      this.root.querySelector(".viz-refusal").replaceChildren(...paragraphs);
      this.root.dataset.state = "refused";
      this.wait(false);
    }
    fail(error) {
      const reason = error.key ? this.words.say(error.key, error.values) : error.message;
      for (const { mounted } of this.panels) mounted.fail?.(this.words.say("load_failed", { reason }));
    }
    // ---- the server
    // Ask the server about the maps of a run; resolves to {} if it does not answer. All questions go through here. It first waits
    // until the latest choice is painted. If the answer says that the maps must not be shown, they are removed; if the server is
    // busy, it asks again later. With `how` "unasked" the server computes only when idle, or answers {dropped: true}.
    async ask(kind, run, what = null, ...how) {
      this.asking += 1;
      const { payload } = this;
      try {
        await this.afterPaint;
        let answer = run && await this.door([kind, run, what, ...how]) || {};
        for (let pause = 1e3; answer.full && payload === this.payload; pause = Math.min(2 * pause, 3e4)) {
          await new Promise((over) => setTimeout(over, pause * (0.75 + Math.random() / 2)));
          answer = payload === this.payload && await this.door([kind, run, what, ...how]) || {};
        }
        if (answer.refused && payload === this.payload) this.refuse(answer.refused);
        return answer;
      } catch {
        return {};
      } finally {
        this.asking -= 1;
      }
    }
    // ---- what is still to be done
    // Count work until it is done.
    async during(work) {
      this.working += 1;
      return work.finally(() => this.working -= 1);
    }
    /** What is still to be done, in words. */
    pending = () => pending(this);
    /** Resolves when nothing is to be done, and nothing moves. */
    idle = () => idle(this);
    // ---- painting
    changed(keys) {
      if (!this.payload) return;
      const isOnlyHover = keys.length === 1 && keys[0] === "hover";
      if (isOnlyHover && String(this.selectors.hovered(this.selectors.choice(this.state.all()))) === String(this.view.hovered))
        return;
      if (this.attention.isQuick || this.state.get("method") === "rollout") this.prepareRollout(this.isStale);
      if (keys.every((key) => this.state.key(key).moves)) this.paintSoon();
      else this.paint();
    }
    paintSoon() {
      if (this.waiting) return;
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.paint();
      });
    }
    paint() {
      if (!this.payload) return;
      const started = performance.now();
      const chapter = this.book.chapters[this.book.at(this.state.get("chapter"))];
      const { lights = [], shows = [] } = chapter ?? {};
      const own = {
        progress: this.progress,
        lights,
        needs: [...lights, ...shows],
        isReading: Boolean(chapter)
      };
      this.view = { ...this.selectors.view(this.state.all()), ...own };
      choosePanels(this.root, this.places, this.panels, this.view);
      for (const { mounted } of this.panels) mounted.draw?.(this.view);
      for (const { mounted } of this.panels) mounted.show?.(this.view);
      if (!this.view.map.values) this.fetchMore?.();
      this.paints += 1;
      this.paintTime = performance.now() - started;
      clearTimeout(this.later);
      this.later = setTimeout(() => {
        this.later = 0;
        for (const { mounted, box: box2 } of this.panels) if (this.payload && !box2.hidden) mounted.drawLater?.(this.view);
      });
    }
    // Make the fused matrices that any rollout needs, unless they exist.
    async prepareRollout(isStale) {
      const { payload, attention } = this;
      if (!payload?.complete || !payload.canRoll) return;
      const fusion = this.state.get("fusion") === "one" ? "mean" : this.state.get("fusion");
      let told = performance.now();
      if (!attention.hasFused(fusion)) {
        const tell = (share) => {
          this.progress = share;
          if (attention !== this.attention || this.state.get("method") !== "rollout" || performance.now() - told < TOLD) return;
          told = performance.now();
          this.paintSoon();
        };
        await this.during(attention.fuseAll(fusion, tell, isStale));
        if (attention !== this.attention) return;
        this.paintSoon();
      }
      await attention.joinAll(fusion, this.state.get("skipWeight"), isStale);
    }
  };

  // mount.js
  var MADE = ["film", "page", "code", "link"];
  function stateFor(panels2) {
    const declared = { ...KEYS2 };
    for (const { name: name2, state = {} } of panels2) {
      for (const [key, how] of Object.entries(state)) {
        if (Object.hasOwn(declared, key) || PAGE_KEYS.includes(key))
          throw new TypeError(`The panel '${name2}' declares '${key}', which is there already.`);
        declared[key] = how;
      }
    }
    return new State(declared);
  }
  function mount(root, panels2, { colours, state = stateFor(panels2), chapters = [], road, exercises: exercises2 = [], makes = MADE, turn = null, ...given }) {
    const maps = Object.fromEntries(Object.entries(colours).map(([name2, table]) => [name2, new ColourMap(table)]));
    const book = new Book(chapters, road ?? { open: (link) => void state.fromHash(link), here: () => state.toHash() }, state);
    return new Viewer(root, sorted(panels2), { ...given, colours: maps, state, book, exercises: exercises2, makes, turn });
  }
  function sorted(panels2) {
    return [...panels2].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
  }

  // panels
  var panels = [panel_about, panel_atlas, panel_back, panel_book, panel_cross, panel_doors, panel_fusion, panel_headline, panel_heads, panel_invite, panel_layers, panel_legend, panel_lesson, panel_look, panel_notes, panel_pages, panel_prediction, panel_present, panel_proof, panel_save, panel_score, panel_sinks, panel_stage, panel_status, panel_steps, panel_teach, panel_time, panel_tokens];
  var exercises = [exercise, exercise2, exercise3, exercise4, exercise5, exercise6, exercise7, exercise8, exercise9];
  var mount2 = (root, given) => mount(root, panels, { ...given, exercises });
  var newState = () => stateFor(panels);
  return __toCommonJS(panels_exports);
})();
