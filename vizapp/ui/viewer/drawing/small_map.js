// A map over its picture, small, beside words.

import { Stage } from "./stage.js";
import { largest } from "./colour.js";

const SIDE = 200; // pixels

/**
 * @param {import("../numbers/payload.js").Payload} payload
 * @param {Float32Array} values a value per token of `layout`
 * @param {import("../numbers/layout.js").Layout} layout
 * @param {import("./colour.js").ColourMap} map
 */
export function paintMap(payload, values, layout, map) {
  const canvas = document.createElement("canvas");
  const stage = new Stage(canvas, { width: SIDE, height: SIDE, ratio: 1 });
  stage.setPicture(payload);
  stage.draw({
    values,
    layout,
    map,
    high: largest(values, layout.onPicture) || 1e-12,
    queries: layout,
    reach: null,
    opacity: 0.8,
    byValue: true,
    smooth: false,
    showGrid: false,
    marks: [],
    outlines: [],
    inputSize: payload.input,
  });
  return canvas;
}
