// The stage: the user's picture with its patch grid, the heatmap where the model looked, and the marked tokens.

import { COLOURS } from "../numbers/teaching.js";
import { shareOf } from "./colour.js";
import { hatchPatches } from "./hatch.js";
import { Measured } from "./measured.js";

export class Stage {
  // `size` {width, height, ratio}: for a canvas outside the page, with `ratio` device pixels per css pixel.
  constructor(canvas, size = null) {
    this.canvas = canvas;
    this.size = size;
    this.onPage = size ? null : new Measured(canvas, () => [canvas.clientWidth, canvas.clientHeight]);
    this.cells = document.createElement("canvas"); // one pixel per patch, drawn enlarged
    this.ground = document.createElement("canvas"); // the picture as it lies under the heatmap, at its size on the page
    this.lines = { canvas: document.createElement("canvas"), outlines: null, of: "" }; // what is drawn above it and rarely changes
    this.bitmap = null;
    this.window = [0, 0, 1, 1];
    this.grid = [1, 1]; // of the query patches
    this.box = null; // of the picture in canvas pixels, once there is one
  }

  // Take another picture, or another model that looks at another part of it.
  setPicture(payload) {
    this.bitmap = payload.bitmap;
    this.window = payload.window;
    this.ground.width = 0; // marks it as outdated
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
    const image = new ImageData(cols, rows);
    view.map.fill(new Uint32Array(image.data.buffer), cols, 0, 0, view.values, first, grid, view.high, 255);
    for (let i = 0; i < rows * cols; i++) {
      if (view.reach && !view.reach[first + i]) {
        image.data[4 * i + 3] = 0;
        continue;
      }
      const fade = view.byValue ? Math.sqrt(shareOf(view.values[first + i], view.high)) : 1;
      image.data[4 * i + 3] = 255 * view.opacity * fade;
    }
    if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
    this.cells.getContext("2d").putImageData(image, 0, 0);
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
    const image = new ImageData(cols, rows);
    labels.forEach(([thing, share], i) => {
      const colour = Number.parseInt(COLOURS[thing].slice(1), 16);
      const sure = Math.sqrt(Math.max(0, (share - 1 / things) / (1 - 1 / things)));
      image.data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255 * opacity * sure], 4 * i);
    });
    if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
    this.cells.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.cells, input.x, input.y, input.w, input.h);
  }

  drawGrid(context, input) {
    const [rows, cols] = this.grid;
    context.beginPath();
    for (let row = 1; row < rows; row++) {
      context.moveTo(input.x, input.y + (row * input.h) / rows);
      context.lineTo(input.x + input.w, input.y + (row * input.h) / rows);
    }
    for (let col = 1; col < cols; col++) {
      context.moveTo(input.x + (col * input.w) / cols, input.y);
      context.lineTo(input.x + (col * input.w) / cols, input.y + input.h);
    }
    context.strokeStyle = `rgba(255, 255, 255, ${rows * cols > 1200 ? 0.08 : 0.16})`;
    context.lineWidth = this.size ? this.ratio : 1;
    context.stroke();
  }

  // Outline a patch: white with a black halo, which is seen on any picture. kind: "query", "pinned", "read", or "sink",
  // which is a diamond.
  // `reach`: how many patches around it belong to it, as far as there are some.
  drawMark(context, input, { cell: [row, col], grid: [rows, cols], kind, colour: own = "white", reach = 0 }) {
    const w = input.w / cols;
    const h = input.h / rows;
    const [left, top] = [Math.max(0, col - reach), Math.max(0, row - reach)];
    const [right, bottom] = [Math.min(cols, col + reach + 1), Math.min(rows, row + reach + 1)];
    const { ratio } = this;
    const line = (kind === "pinned" ? 3 : 2) * ratio;
    const [x, y] = [input.x + col * w, input.y + row * h];
    const shape = new Path2D();
    if (kind === "sink")
      for (const [right, down] of [
        [0.5, 0.1],
        [0.9, 0.5],
        [0.5, 0.9],
        [0.1, 0.5],
      ])
        shape.lineTo(x + right * w, y + down * h);
    else shape.rect(input.x + left * w, input.y + top * h, (right - left) * w, (bottom - top) * h);
    shape.closePath();
    context.setLineDash(kind === "read" ? [4 * ratio, 3 * ratio] : []);
    for (const [colour, width] of [
      ["black", line + 2 * ratio],
      [own, line],
    ]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke(shape);
    }
    context.setLineDash([]);
  }

  // A thin line around the patches that the query can see in its window.
  drawReach(context, input, { grid: [rows, cols], first }, reach) {
    const isIn = (row, col) => row >= 0 && col >= 0 && row < rows && col < cols && reach[first + row * cols + col];
    const x = (col) => input.x + (col * input.w) / cols;
    const y = (row) => input.y + (row * input.h) / rows;
    context.beginPath();
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        if (!isIn(row, col)) continue;
        for (const [down, right, ...ends] of [
          [-1, 0, 0, 0, 0, 1],
          [1, 0, 1, 0, 1, 1],
          [0, -1, 0, 0, 1, 0],
          [0, 1, 0, 1, 1, 1],
        ]) {
          if (isIn(row + down, col + right)) continue;
          context.moveTo(x(col + ends[1]), y(row + ends[0]));
          context.lineTo(x(col + ends[3]), y(row + ends[2]));
        }
      }
    }
    const { ratio } = this;
    context.lineCap = "square";
    for (const [colour, line] of [
      ["rgba(0, 0, 0, 0.6)", 3 * ratio],
      ["white", ratio],
    ]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.stroke();
    }
  }

  // Outline a known thing, `path` in the model's pixels: bright with a dark halo; dashed if it is not an object.
  drawOutline(context, input, { path, top, name, object }, [height, width]) {
    if (!top) return;
    const { ratio } = this;
    const placed = new Path2D();
    const matrix = new DOMMatrix([input.w / width, 0, 0, input.h / height, input.x, input.y]);
    placed.addPath(path, matrix);
    context.lineCap = "round";
    for (const [colour, line] of [
      ["rgba(0, 0, 0, 0.75)", 4 * ratio],
      [object ? "#5eead4" : "#fb923c", 2 * ratio],
    ]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.stroke(placed);
    }
    if (name) this.drawName(context, name, matrix.transformPoint(new DOMPoint(...top)), ratio);
  }

  // On a large stage, which is looked at from far away, the letters are larger.
  drawName(context, name, { x, y }, pixels) {
    const ratio = pixels * Math.max(1, this.canvas.width / pixels / 560);
    context.font = `${12 * ratio}px sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const wide = context.measureText(name).width + 8 * ratio;
    const tall = 17 * ratio;
    const { x: left0, y: top0, w, h } = this.box;
    const left = Math.min(left0 + w - wide, Math.max(left0, x - wide / 2));
    const top = Math.min(top0 + h - tall, Math.max(top0, y - tall - 4 * ratio));
    context.fillStyle = "rgba(0, 0, 0, 0.7)";
    context.fillRect(left, top, wide, tall);
    context.fillStyle = "white";
    context.fillText(name, left + 4 * ratio, top + tall / 2);
  }

  // [x, y] of a mouse event as fractions of the picture, clamped to its edges; null before there is a picture.
  pointAt(event) {
    if (!this.box) return null;
    const area = this.canvas.getBoundingClientRect();
    const px = ((event.clientX - area.left) * this.canvas.width) / area.width;
    const py = ((event.clientY - area.top) * this.canvas.height) / area.height;
    const inside = (share) => Math.min(1, Math.max(0, share));
    return [inside((px - this.box.x) / this.box.w), inside((py - this.box.y) / this.box.h)];
  }

  // Like `pointAt`, but null outside the picture.
  placeAt(event) {
    if (!this.box) return null;
    const area = this.canvas.getBoundingClientRect();
    const px = ((event.clientX - area.left) * this.canvas.width) / area.width;
    const py = ((event.clientY - area.top) * this.canvas.height) / area.height;
    const { x, y, w, h } = this.box;
    if (px < x || py < y || px >= x + w || py >= y + h) return null;
    return [(px - x) / w, (py - y) / h];
  }
}
