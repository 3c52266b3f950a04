// The atlas: every layer (row) and head (column) as a small map of the present query, then the mean of the heads and
// the rollout through that layer. One look shows where something happens; a click goes there.

const GUTTER = 22; // css pixels for the numbers of layers and heads
const GAP = 2;

export class Atlas {
  constructor(canvas, words) {
    this.canvas = canvas;
    this.words = words;
    this.sheet = document.createElement("canvas"); // one pixel per patch of each map
  }

  layout(payload) {
    this.grid = payload.grid;
    this.rows = payload.layers.length;
    this.heads = Math.max(...payload.layers.map((layer) => layer.heads));
    this.columns = [...Array(this.heads).keys(), "mean", "rollout"];
    this.sheet.width = this.columns.length * this.grid[1];
    this.sheet.height = this.rows * this.grid[0];
    this.image = new ImageData(this.sheet.width, this.sheet.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!width || !this.image) return false;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const aspect = this.grid[0] / this.grid[1];
    const step = Math.min((width - GUTTER - 10) / this.columns.length, (height - GUTTER) / this.rows / Math.min(aspect, 1.5), 130);
    this.cell = { w: step * ratio, h: step * Math.min(aspect, 1.5) * ratio };
    this.origin = { x: GUTTER * ratio, y: GUTTER * ratio };
    this.ratio = ratio;
    return true;
  }

  box(row, column) {
    const breath = column >= this.heads ? (column - this.heads + 1) * 5 * this.ratio : 0; // a little air before mean and rollout
    return { x: this.origin.x + column * this.cell.w + breath, y: this.origin.y + row * this.cell.h, ...this.cell };
  }

  // `cells[row][column]` is {values, high}, null while its numbers are on their way, undefined where there is no such
  // head. `selected` is {row, column}, `hovered` too or null; `scores` is what Measure.of gives, or null.
  draw({ cells, first, map, selected, hovered, ink, accent, scores }) {
    if (!this.resize()) return;
    const [gridRows, gridCols] = this.grid;
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        const cell = cells[row][column];
        const values = cell ? cell.values : new Float32Array(first + gridRows * gridCols);
        const alpha = cell ? 255 : 40;
        map.fill(this.pixels, this.sheet.width, column * gridCols, row * gridRows, values, first, this.grid, cell?.high || 1, alpha);
      }
    }
    this.sheet.getContext("2d").putImageData(this.image, 0, 0);
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.imageSmoothingEnabled = false;
    const gap = GAP * this.ratio;
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        if (cells[row][column] === undefined) continue;
        const { x, y, w, h } = this.box(row, column);
        context.drawImage(this.sheet, column * gridCols, row * gridRows, gridCols, gridRows, x, y, w - gap, h - gap);
      }
    }
    if (scores) this.drawScores(context, scores);
    this.drawNames(context, ink, selected);
    if (hovered) this.outline(context, hovered, ink, 1);
    this.outline(context, selected, accent, 3);
  }

  drawNames(context, ink, selected) {
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = 0; row < this.rows; row++) {
      const { y, h } = this.box(row, 0);
      context.font = `${row === selected.row ? "bold " : ""}${11 * this.ratio}px sans-serif`;
      context.fillText(String(row + 1), this.origin.x / 2, y + h / 2);
    }
    this.columns.forEach((name, column) => {
      const { x, w } = this.box(0, column);
      context.font = `${column === selected.column ? "bold " : ""}${11 * this.ratio}px sans-serif`;
      const text = typeof name === "number" ? String(name + 1) : w < 42 * this.ratio ? this.words[`short_${name}`] : this.words[`atlas_${name}`];
      context.fillText(text, x + w / 2, this.origin.y / 2);
    });
  }

  // In the lower corner of each cell how well its map finds the object; the best head has a star.
  drawScores(context, { table, isBest, text }) {
    const size = Math.min(12 * this.ratio, this.cell.h * 0.38);
    context.textAlign = "right";
    context.textBaseline = "alphabetic";
    context.lineWidth = 3 * this.ratio;
    context.lineJoin = "round";
    context.strokeStyle = "rgba(0, 0, 0, 0.8)";
    context.fillStyle = "white";
    table.forEach((row, r) => row.forEach((value, column) => {
      if (value === null) return;
      const { x, y, w, h } = this.box(r, column);
      const star = isBest(r, column);
      context.font = `${star ? "bold " : ""}${size}px sans-serif`;
      const written = (star ? "\u2605" : "") + text(value);
      context.strokeText(written, x + w - (GAP + 3) * this.ratio, y + h - (GAP + 3) * this.ratio);
      context.fillText(written, x + w - (GAP + 3) * this.ratio, y + h - (GAP + 3) * this.ratio);
    }));
  }

  outline(context, { row, column }, colour, width) {
    const { x, y, w, h } = this.box(row, column);
    context.strokeStyle = colour;
    context.lineWidth = width * this.ratio;
    context.strokeRect(x - this.ratio, y - this.ratio, w, h);
  }

  // {row, column} under a mouse event, or null.
  cellAt(event) {
    if (!this.cell) return null;
    const area = this.canvas.getBoundingClientRect();
    const px = ((event.clientX - area.left) * this.canvas.width) / area.width;
    const py = ((event.clientY - area.top) * this.canvas.height) / area.height;
    const row = Math.floor((py - this.origin.y) / this.cell.h);
    const column = this.columns.findIndex((_, c) => {
      const { x, w } = this.box(0, c);
      return px >= x && px < x + w;
    });
    return row >= 0 && row < this.rows && column >= 0 ? { row, column } : null;
  }
}
