// The atlas: every layer (row) and head (column) as a small map of the present query, then the mean of the heads and
// the rollout through that layer. One look shows where something happens; a click goes there.

const GUTTER = 22; // css pixels for the numbers of layers and heads
const GAP = 2;
const BREATH = 12;

export class Atlas {
  constructor(canvas, words) {
    this.canvas = canvas;
    this.words = words;
    this.sheet = document.createElement("canvas"); // one pixel per patch of each map
  }

  // `heads` is the most of any layer; `columns` are the heads, "mean" and, where it is defined, "rollout".
  layout(payload, heads, columns) {
    this.grid = payload.grid;
    this.rows = payload.layers.length;
    this.heads = heads;
    this.columns = columns;
    this.aspect = Math.min(this.grid[0] / this.grid[1], 1.5); // of a small map: higher ones are pressed together
    this.canvas.style.setProperty("--high", String((this.rows * this.aspect) / this.columns.length)); // over its width
    this.places = this.shelves(payload);
    this.image = new ImageData(this.sheet.width, this.sheet.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // Where on the sheet each map has its place, [x, y], each in its own grid: side by side, shelf above shelf.
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

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!width || !this.image) return false;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const step = Math.min((width - GUTTER - 2 * BREATH) / this.columns.length, (height - GUTTER) / this.rows / this.aspect, 130);
    this.cell = { w: step * ratio, h: step * this.aspect * ratio };
    this.breath = (step < 34 ? BREATH : 5) * ratio; // and more of it where their names are wider than the maps
    this.origin = { x: GUTTER * ratio, y: GUTTER * ratio };
    this.ratio = ratio;
    return true;
  }

  box(row, column) {
    const breath = column >= this.heads ? (column - this.heads + 1) * this.breath : 0; // a little air before mean and rollout
    return { x: this.origin.x + column * this.cell.w + breath, y: this.origin.y + row * this.cell.h, ...this.cell };
  }

  // `cells[row][column]` is {values, layout, high}, null while its numbers are on their way, undefined where there is no such
  // head. `selected` and `hovered` are {row, column} or null; `scores` is {table, isBest, text(value)} or null.
  draw({ cells, map, selected, hovered, ink, accent, scores }) {
    if (!this.resize()) return;
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns.length; column++) {
        const cell = cells[row][column];
        if (!cell) continue;
        const { values, layout, high } = cell;
        map.fill(this.pixels, this.sheet.width, ...this.places[row][column], values, layout.first, layout.grid, high || 1, 255);
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
        if (cell === undefined) continue;
        const { x, y, w, h } = this.box(row, column);
        if (cell) {
          const [rows, cols] = cell.layout.grid;
          context.imageSmoothingEnabled = cols > w - gap; // else whole patches would fall between two pixels
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

  drawNames(context, ink, selected) {
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = 0; row < this.rows; row++) {
      const { y, h } = this.box(row, 0);
      context.font = `${row === selected?.row ? "bold " : ""}${11 * this.ratio}px sans-serif`;
      context.fillText(String(row + 1), this.origin.x / 2, y + h / 2);
    }
    this.columns.forEach((name, column) => {
      const { x, w } = this.box(0, column);
      context.font = `${column === selected?.column ? "bold " : ""}${11 * this.ratio}px sans-serif`;
      const text =
        typeof name === "number"
          ? String(name + 1)
          : w < 42 * this.ratio
            ? this.words.say(`short_${name}`)
            : this.words.say(`atlas_${name}`);
      context.fillText(text, x + w / 2, this.origin.y / 2, w + this.breath); // long words are squeezed, not laid on each other
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
    table.forEach((row, r) =>
      row.forEach((value, column) => {
        if (value === null) return;
        const { x, y, w, h } = this.box(r, column);
        const star = isBest(r, column);
        context.font = `${star ? "bold " : ""}${size}px sans-serif`;
        const written = (star ? "\u2605" : "") + text(value);
        context.strokeText(written, x + w - (GAP + 3) * this.ratio, y + h - (GAP + 3) * this.ratio);
        context.fillText(written, x + w - (GAP + 3) * this.ratio, y + h - (GAP + 3) * this.ratio);
      }),
    );
  }

  outline(context, { row, column }, colour, width) {
    const { x, y, w, h } = this.box(row, column);
    context.strokeStyle = colour;
    context.lineWidth = width * this.ratio;
    context.lineJoin = "miter"; // scores, where there were some, have left it round
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
