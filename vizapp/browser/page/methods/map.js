// Draws a method's map on the picture, with the bar that explains its colours.

import { barOf } from "../../../ui/viewer/drawing/bar.js";
import { OPACITY } from "../../../vocabulary.js";
import { ColourMap } from "../../../ui/viewer/drawing/colour.js";
import { Stage } from "../../../ui/viewer/drawing/stage.js";
import { digits, percent } from "../../../ui/viewer/numbers/format.js";

export class Picture {
  /** @param {HTMLElement} root @param {{colours: Record<string, string>, twoSided: {for: string, against: string}}} about */
  constructor(root, { colours, twoSided }) {
    root.innerHTML = `<canvas></canvas><div class="bar"><span></span><canvas class="colours" width="256" height="1"></canvas><span></span></div>
      <p class="unit"></p><p class="sentence"></p>`;
    this.root = root;
    this.canvas = /** @type {HTMLCanvasElement} */ (root.querySelector("canvas"));
    this.stage = new Stage(this.canvas);
    this.plain = new ColourMap(Object.values(colours)[0]);
    this.for = new ColourMap(twoSided.for);
    this.against = new ColourMap(twoSided.against);
    this.shown = null;
    new ResizeObserver(() => this.paint()).observe(this.canvas);
  }

  /** @param {any} payload the viewer's @param {import("./list.js").Method} method
   * @param {Float32Array | Float64Array | null} values a number for each patch; null where there is no map yet */
  show(payload, method, values) {
    const map = values && { method, values };
    if (this.payload !== payload) this.stage.setPicture(payload);
    this.payload = payload;
    this.shown = map;
    const { width, height } = payload.bitmap;
    this.canvas.style.aspectRatio = `${width} / ${height}`;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", map ? `${method.title}: ${method.unit}` : method.title);
    this.root
      .querySelector(".sentence")
      .replaceChildren(Object.assign(document.createElement("b"), { textContent: method.title }), ` ${method.sentence}`);
    this.legend();
    this.paint();
  }

  legend() {
    const [low, high] = /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll(".bar span"));
    const map = this.shown;
    /** @type {HTMLElement} */ (this.root.querySelector(".bar")).style.visibility = map ? "" : "hidden";
    this.root.querySelector(".unit").textContent = map?.method.unit ?? "";
    if (!map) return;
    const top = highest(map);
    const said = (value) => (map.method.isShare ? percent(value) : digits(value));
    low.textContent = map.method.isSigned ? said(-top) : "0";
    high.textContent = said(top);
    const bar = /** @type {HTMLCanvasElement} */ (this.root.querySelector(".colours"));
    barOf(map.method.isSigned ? /** @type {any} */ ({ css: (share) => this.signed(2 * share - 1) }) : this.plain, bar);
  }

  signed(value) {
    return (value < 0 ? this.against : this.for).css(Math.abs(value));
  }

  paint() {
    if (!this.payload || !this.canvas.clientWidth) return;
    const { stage, shown, payload } = this;
    const grid = payload.grid;
    const layout = { grid, first: 0 };
    const view = { queries: layout, layout, high: shown ? highest(shown) || 1e-12 : 1, opacity: OPACITY, byValue: true };
    const rest = { smooth: false, showGrid: false, reach: null, marks: [], outlines: [], inputSize: payload.input };
    const isSigned = shown?.method.isSigned;
    const map = isSigned ? this.for : this.plain;
    stage.draw({ ...view, ...rest, map, values: shown?.values ?? null });
    if (!isSigned) return;
    // Draw what speaks against the class over it: each patch has a value on one side of zero, and is transparent in the other
    // map.
    const context = this.canvas.getContext("2d");
    const values = shown.values.map((value) => -value);
    context.save();
    stage.clipToSeen(context, stage.inputBox());
    stage.drawHeat(context, stage.inputBox(), { ...view, ...rest, map: this.against, values });
    context.restore();
  }
}

// The value of the top colour.
const highest = ({ method, values }) => values.reduce((most, one) => Math.max(most, method.isSigned ? Math.abs(one) : one), 0);
