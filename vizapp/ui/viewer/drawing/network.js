// The whole network in one picture: the picture, its patches, the layers, the token that is read, the answer.
//
// It is drawn of the network that is shown, not as a symbol of one: so many patches, layers and heads has this one.

import { PARTS } from "../../../vocabulary.js";
import { percent } from "../numbers/format.js";
import { svg } from "./svg.js";

const SIDE = 112; // pixels of the two pictures: a style makes them half as large or smaller
const [LAYER, GAP, HIGH] = [10, 3, 60]; // of the drawing of layers: how wide one is, what lies between two, how high all are
const MOST_PATCHES = 7; // a side, those in the middle: of more, one sees no gap between them where the drawing is small
const MOST_HEADS = 16; // in how many pieces a layer is cut: of more, one sees nothing

/** @typedef {import("../../../vocabulary.js").Part} Part */

export class Network {
  /** @param {import("../words.js").Words} words */
  constructor(words) {
    this.words = words;
    this.element = box("viz-way");
    /** @type {import("../numbers/payload.js").Payload | null} */
    this.payload = null; // of what is drawn, and the layer that is marked there
    this.layer = -1;
    this.parts = /** @type {Record<Part, {box: HTMLElement, figure: HTMLElement, name: HTMLElement, place: HTMLElement}>} */ ({});
    for (const part of PARTS) {
      const made = {
        box: box("viz-way-part"),
        figure: box("viz-way-figure"),
        name: box("viz-way-name"),
        place: box("viz-way-place"),
      };
      made.box.dataset.part = part;
      made.figure.setAttribute("aria-hidden", "true");
      made.box.append(made.figure, made.name, made.place);
      this.element.append(made.box);
      this.parts[part] = made;
    }
  }

  /** Mark one part as the one spoken of, and no other. @param {Part | null} lit */
  light(lit) {
    for (const part of PARTS) this.parts[part].box.toggleAttribute("data-lit", part === lit);
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
    answer.figure.replaceChildren(...(label ? [text("b", label), text("span", percent(share))] : [text("b", "\u2013")]));
    const say = (part, key, values = {}) => (part.name.textContent = this.words.say(key, values));
    say(picture, "way_picture");
    say(patches, "way_patches", { n: rows * columns });
    if (each.size === 1) say(layers, "way_layers", { n: payload.layers.length, heads: [...each][0] });
    else say(layers, "way_layers_only", { n: payload.layers.length });
    say(read, "way_readout");
    say(answer, label ? "way_answer" : "way_no_answer");
  }
}

/** The picture, as large as fits. @param {ImageBitmap} bitmap */
function whole(bitmap) {
  const scale = SIDE / Math.max(bitmap.width, bitmap.height);
  const [wide, high] = [bitmap.width * scale, bitmap.height * scale];
  const { canvas, pen } = sheet();
  pen.drawImage(bitmap, (SIDE - wide) / 2, (SIDE - high) / 2, wide, high);
  return canvas;
}

/** Patches from the middle of what the network takes of it, laid apart. */
function cut(bitmap, [left, top, right, bottom], [rows, columns]) {
  const { canvas, pen } = sheet();
  const [wide, high] = [((right - left) * bitmap.width) / columns, ((bottom - top) * bitmap.height) / rows];
  const [down, across] = [Math.min(rows, MOST_PATCHES), Math.min(columns, MOST_PATCHES)];
  const side = SIDE / Math.max(down, across);
  const [x, y] = [(SIDE - side * across) / 2, (SIDE - side * down) / 2];
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++) {
      const fromX = left * bitmap.width + (column + ((columns - across) >> 1)) * wide;
      const fromY = top * bitmap.height + (row + ((rows - down) >> 1)) * high;
      pen.drawImage(bitmap, fromX, fromY, wide, high, x + column * side, y + row * side, 0.8 * side, 0.8 * side);
    }
  return canvas;
}

/** A column for each layer, with a piece for each head. */
function columnsOf(layers, at) {
  const drawing = svg("svg", { viewBox: `0 0 ${layers.length * (LAYER + GAP) - GAP} ${HIGH}`, preserveAspectRatio: "none" });
  layers.forEach(({ heads }, i) => {
    const pieces = heads > MOST_HEADS ? 1 : heads;
    const high = HIGH / pieces;
    for (let k = 0; k < pieces; k++)
      drawing.append(
        svg("rect", {
          x: i * (LAYER + GAP),
          y: k * high,
          width: LAYER,
          height: high - (k < pieces - 1 ? 1.5 : 0),
          class: i === at ? "viz-way-here" : "viz-way-layer",
        }),
      );
  });
  return drawing;
}

function sheet() {
  const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
  return { canvas, pen: /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")) };
}

function box(name) {
  return Object.assign(document.createElement("div"), { className: name });
}

function text(tag, said) {
  return Object.assign(document.createElement(tag), { textContent: said });
}
