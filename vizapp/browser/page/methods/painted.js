// Paints a method's map on the picture, as a picture of its own, and the colours beside it.

import { OPACITY } from "../../../vocabulary.js";
import { barOf } from "../../../ui/viewer/drawing/bar.js";
import { ColourMap } from "../../../ui/viewer/drawing/colour.js";
import { Stage } from "../../../ui/viewer/drawing/stage.js";

const SIDE = 448; // pixels of the longest side

/** @typedef {Float32Array | Float64Array} Values a number for each patch */

export class Painter {
  /** @param {{colours: Record<string, string>, twoSided: {for: string, against: string}}} about */
  constructor({ colours, twoSided }) {
    this.canvas = document.createElement("canvas");
    this.plain = new ColourMap(Object.values(colours)[0]);
    this.for = new ColourMap(twoSided.for);
    this.against = new ColourMap(twoSided.against);
    /** The colour of a value with two sides, from 0 to 1. @param {number} share */
    this.signed = (share) => (share < 0.5 ? this.against : this.for).css(Math.abs(2 * share - 1));
    /** The colours of maps with one side, and with two, as pictures. */
    this.strips = [this.plain, { css: this.signed }].map((one) => barOf(/** @type {any} */ (one)).toDataURL());
  }

  /** Take another picture. @param {any} payload the viewer's */
  setPicture(payload) {
    const { width, height } = payload.bitmap;
    const scale = SIDE / Math.max(width, height);
    this.stage = new Stage(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale), ratio: 1 });
    this.stage.setPicture(payload);
    this.payload = payload;
  }

  /**
   * @param {{isSigned: boolean, values: Values, grid?: number[], hidden?: boolean[] | null}} map whose hidden patches are hatched
   * @returns {{src: string, bounds: number[]}} the picture, and the values of its lowest and highest colour
   */
  paint({ isSigned, values, grid = this.payload.grid, hidden = null }) {
    const { stage, canvas, payload } = this;
    const reach = hidden?.some(Boolean) ? hidden.map((one) => !one) : null;
    const shown = values.map((one, i) => (hidden?.[i] ? 0 : one));
    const top = Array.from(shown).reduce((most, one) => Math.max(most, isSigned ? Math.abs(one) : one), 0);
    const layout = { grid, first: 0 };
    const view = { queries: layout, layout, high: top || 1e-12, opacity: OPACITY, byValue: true, marks: [], outlines: [] };
    const rest = { smooth: false, showGrid: false, reach, inputSize: payload.input };
    stage.draw({ ...view, ...rest, map: isSigned ? this.for : this.plain, values });
    if (isSigned) {
      // What speaks against the class lies over it: each patch has a value on one side of zero, and is clear in the other map.
      const context = canvas.getContext("2d");
      context.save();
      stage.clipToSeen(context, stage.inputBox());
      stage.drawHeat(context, stage.inputBox(), { ...view, ...rest, map: this.against, values: values.map((one) => -one) });
      context.restore();
    }
    return { src: canvas.toDataURL(), bounds: [isSigned ? -top : 0, top] };
  }
}
