// A row of small maps, one beside the other: the layers of a network, or the heads of a layer. A slider of the same width lies on it,
// whose thumb is as wide as a map: the maps are the slider, for mouse, finger and keys.

import { hatchBelow } from "./hatch.js";
import { Measured } from "./measured.js";

const GAP = 3; // css pixels between maps
const NAMED = 16; // of more, only every fifth has its number below it

/** Tell whether there is room for the number of a map. @param {number} n @param {number} all */
export const hasName = (n, all) => all <= NAMED || n % 5 === 0;

/** @typedef {{values: Float32Array, layout: import("../numbers/layout.js").Layout, high: number, reach?: Uint8Array | null} | null | undefined} Cell */

export class Strip {
  /** @param {HTMLElement} box with a canvas, the slider, and a place for names below them */
  constructor(box) {
    this.box = box;
    const canvas = (this.canvas = /** @type {HTMLCanvasElement} */ (box.querySelector("canvas")));
    this.names = "";
    this.onPage = new Measured(canvas, () => [canvas.clientWidth, canvas.clientHeight]);
    this.sheet = document.createElement("canvas"); // one map, a pixel for each patch
    this.image = null;
    const slider = box.querySelector("input");
    let before = slider.value;
    // A finger that begins to scroll on the maps has moved the slider already: what it had not meant is undone.
    slider.addEventListener("pointerdown", () => (before = slider.value));
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
    const gap = Math.min(GAP * ratio, step / 8);
    context.clearRect(0, 0, across, down);
    context.imageSmoothingQuality = "medium";
    cells.forEach((cell, i) => {
      const x = i * step + gap / 2;
      const w = step - gap;
      const aspect = cell ? cell.layout.grid[0] / cell.layout.grid[1] : 1;
      const [wide, high] = aspect * w > down ? [down / aspect, down] : [w, aspect * w];
      /** @type {[number, number, number, number]} */
      const place = [x + (w - wide) / 2, (down - high) / 2, wide, high];
      if (!cell) {
        context.fillStyle = "rgba(128, 128, 128, 0.15)"; // its numbers are on their way
        return context.fillRect(...place);
      }
      const { values, layout, reach } = cell;
      const [rows, cols] = layout.grid;
      this.fit(cols, rows);
      map.fill(this.pixels, cols, 0, 0, values, layout.first, layout.grid, cell.high || 1, 255, reach);
      if (reach) hatchBelow(context, place, ratio);
      this.sheet.getContext("2d").putImageData(this.image, 0, 0);
      context.imageSmoothingEnabled = wide < cols; // smaller than its patches: their mean, else sharp edges
      context.drawImage(this.sheet, ...place);
    });
  }

  /** Say how many places there are, and write the name of each below it; "" for none. @param {string[]} names */
  name(names) {
    if (this.names === names.join("|")) return; // else the browser would lay out anew with each move of the mouse
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
}
