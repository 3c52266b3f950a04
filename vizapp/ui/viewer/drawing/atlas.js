// The atlas: every layer (row) and head (column) as a small map of the current query, then the mean of the heads and
// the rollout through that layer. One look shows where something happens; a click goes there.

import { arrange, inOrder } from "./arrange.js";
import { hatchBelow } from "./hatch.js";
import { Measured } from "./measured.js";

const GAP = 2; // css pixels between maps
const ON_PHONES = 380; // css pixels of height, if the box has no height of its own
const SHORT = 42; // css pixels: narrower columns get short names
const LEGIBLE = 34; // css pixels: only a map of at least this size shows its score

export class Atlas {
  // `size` {width, height, ratio}: of a canvas that stands on no page, `ratio` device pixels for a css pixel.
  constructor(canvas, words, size = null) {
    this.canvas = canvas;
    this.size = size;
    const room = () => parseFloat(getComputedStyle(canvas.parentElement).minHeight) || ON_PHONES;
    this.onPage = size ? null : new Measured(canvas, () => [canvas.clientWidth, room()]);
    this.words = words;
    this.sheet = document.createElement("canvas"); // one pixel per patch of each map
  }

  // `heads` is the most of any layer; `columns` are the heads, "mean" and, where it is defined, "rollout".
  layout(payload, heads, columns) {
    this.grid = payload.grid;
    this.rows = payload.layers.length;
    this.heads = heads;
    this.columns = columns;
    this.aspect = Math.min(this.grid[0] / this.grid[1], 1.5); // of a small map: taller ones are squeezed
    this.counts = payload.layers.map((layer) => layer.heads);
    this.places = this.shelves(payload);
    this.image = new ImageData(this.sheet.width, this.sheet.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // The place of each map on the sheet, [x, y], each in its own grid: side by side on shelves.
  shelves({ layers, finest }) {
    const grids = layers.map(({ queries, keys, heads }) =>
      this.columns.map((name) => {
        if (typeof name === "number" && name >= heads) return [0, 0];
        return name === "rollout" ? finest.grid : queries.tokens > keys.tokens ? queries.grid : keys.grid;
      }),
    );
    const width = Math.max(1024, ...grids.flat().map(([, cols]) => cols));
    let [x, y, high] = [0, 0, 0];
    const places = grids.map((row) =>
      row.map(([rows, cols]) => {
        if (x + cols > width) [x, y, high] = [0, y + high, 0];
        const place = [x, y];
        x += cols;
        high = Math.max(high, rows);
        return place;
      }),
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
      const plain = () => arrange({ ...room, heads: this.counts, fused });
      this.plan = order ? inOrder({ ...room, order, rows: this.rows }) : plain();
      this.isSorted = Boolean(order);
      this.canvas.style.height = `${Math.ceil(this.plan.height)}px`;
    }
    const [across, down] = [width, Math.ceil(this.plan.height)].map((size) => Math.round(size * ratio));
    if (this.canvas.width !== across || this.canvas.height !== down) [this.canvas.width, this.canvas.height] = [across, down];
    this.ratio = ratio;
    return true;
  }

  // Of a small map in pixels of the canvas; null where it has no place.
  box(row, column) {
    const spot = this.plan.spots[row]?.[column];
    const { ratio, plan } = this;
    return spot ? { x: spot.x * ratio, y: spot.y * ratio, w: plan.step * ratio, h: plan.step * this.aspect * ratio } : null;
  }

  // `cells[row][column]` is {values, layout, high, reach}, null while its numbers are on their way, undefined where there is no such
  // head. `selected` and `hovered` are {row, column} or null; `scores` is {table, isBest, text(value)} or null,
  // `order` null (layers as rows) or [row, column] of all heads.
  draw({ cells, map, selected, hovered, ink, accent, scores, order, fusion }) {
    this.fusion = fusion;
    if (!this.resize(order)) return;
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        const cell = cells[row][column];
        if (!cell) continue;
        const { values, layout, high, reach } = cell;
        const place = this.places[row][column];
        map.fill(this.pixels, this.sheet.width, ...place, values, layout.first, layout.grid, high || 1, 255, reach);
      }
    }
    this.sheet.getContext("2d").putImageData(this.image, 0, 0);
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const gap = GAP * this.ratio;
    context.imageSmoothingQuality = "medium";
    context.fillStyle = map.css(0);
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        const cell = cells[row][column];
        const box = cell !== undefined && this.box(row, column);
        if (!box) continue;
        const { x, y, w, h } = box;
        if (cell) {
          const [rows, cols] = cell.layout.grid;
          if (cell.reach) hatchBelow(context, [x, y, w - gap, h - gap], this.ratio);
          context.imageSmoothingEnabled = cols > w - gap; // otherwise whole patches would be lost between two pixels
          context.drawImage(this.sheet, ...this.places[row][column], cols, rows, x, y, w - gap, h - gap);
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
    const say = (name, given = {}) => this.words.say(isShort ? `short_${name}` : `atlas_${name}`, given);
    if (column === "mean") return say(this.fusion);
    return this.fusion === "mean" ? say("rollout") : say("rollout_of", { fusion: say(this.fusion) });
  }

  drawNames(context, ink, selected) {
    const write = (text, { x, y, room }, isChosen = false) => {
      context.font = `${isChosen ? "bold " : ""}${11 * this.ratio}px sans-serif`;
      context.fillText(text, x * this.ratio, y * this.ratio, room * this.ratio); // long words are squeezed rather than overlap
    };
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const label of this.plan.labels) {
      const { layer, head, fused } = label.of;
      if (fused !== undefined) {
        write(this.nameOf(this.columns[this.heads + fused], label.room < SHORT), label, selected?.column === this.heads + fused);
      } else if (layer !== undefined) {
        write(head === undefined ? String(layer + 1) : `${head + 1}\u2192`, label, head === undefined && layer === selected?.row);
      } else write(String(head + 1), label, head === selected?.column);
    }
    if (this.isSorted) this.drawOwnNames(context);
  }

  // What the numbers beside the maps and on them are; `title` is that of the score, null without one.
  numbersInWords(title) {
    const scored = title && this.plan?.step >= LEGIBLE ? this.words.say("atlas_scored", { title }) : "";
    return [this.words.say(this.isSorted ? "atlas_sorted" : "atlas_rows"), scored].filter(Boolean).join(" \u00b7 ");
  }

  // Write layer.head into the upper corner of each map, for an order in which rows and columns do not tell the head.
  drawOwnNames(context) {
    this.onMaps(context, Math.min(11, this.plan.step * 0.26), "left");
    this.plan.spots.forEach((row, r) =>
      row.forEach((_, column) => {
        const { x, y } = this.box(r, column);
        this.written(
          context,
          `${r + 1}.${column + 1}`,
          x + GAP * this.ratio,
          y + Math.min(11, this.plan.step * 0.26) * this.ratio,
        );
      }),
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

  written(context, text, x, y) {
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }

  // Write into the lower corner of each map how well it finds the object; the best head gets a star.
  drawScores(context, { table, isBest, text }) {
    if (this.plan.step < LEGIBLE) return; // then only the enlarged map under the mouse shows it
    const size = Math.min(12, this.plan.step * this.aspect * 0.3);
    this.onMaps(context, size, "right");
    const regular = context.font;
    table.forEach((row, r) =>
      row.forEach((value, column) => {
        const box = value !== null && this.box(r, column);
        if (!box) return;
        const star = isBest(r, column);
        context.font = star ? `bold ${regular}` : regular;
        const edge = (GAP + 3) * this.ratio;
        this.written(context, (star ? "\u2605" : "") + text(value), box.x + box.w - edge, box.y + box.h - edge);
      }),
    );
  }

  // One map on a canvas of its own.
  drawLarge(canvas, { row, column }, cells) {
    const [rows, cols] = cells[row][column].layout.grid;
    const scale = Math.max(1, Math.round((320 * this.ratio) / 2 / Math.max(rows, cols)));
    [canvas.width, canvas.height] = [cols * scale, rows * scale];
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    if (cells[row][column].reach) hatchBelow(context, [0, 0, canvas.width, canvas.height], this.ratio);
    context.drawImage(this.sheet, ...this.places[row][column], cols, rows, 0, 0, canvas.width, canvas.height);
  }

  outline(context, { row, column }, colour, width) {
    const box = this.box(row, column);
    if (!box) return;
    context.strokeStyle = colour;
    context.lineWidth = width * this.ratio;
    context.lineJoin = "miter"; // `drawScores` sets it to round
    context.strokeRect(box.x - this.ratio, box.y - this.ratio, box.w, box.h);
  }

  // {row, column} under a mouse event, or null.
  cellAt(event) {
    if (!this.plan) return null;
    const area = this.canvas.getBoundingClientRect();
    const px = ((event.clientX - area.left) * this.canvas.width) / area.width;
    const py = ((event.clientY - area.top) * this.canvas.height) / area.height;
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        const box = this.box(row, column);
        if (box && px >= box.x && px < box.x + box.w && py >= box.y && py < box.y + box.h) {
          return { row, column, at: [(px - box.x) / box.w, (py - box.y) / box.h] }; // and where in that map, in shares of it
        }
      }
    }
    return null;
  }
}
