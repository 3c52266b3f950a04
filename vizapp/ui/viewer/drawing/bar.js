// The bar of colours, and what stands at its two ends.

import { percent, times } from "../numbers/format.js";

/** @param {import("../words.js").Words} words @param {import("../panel.js").View} view @returns {{low: string, high: string}} */
export function legendOf(words, view) {
  const { high, values } = view.map;
  const isWindow = view.reach && view.here.windowed && view.phrase.startsWith("from");
  const isApart = view.phrase === "to" && view.even === null; // the tokens that look do not see equally many
  const kind = isApart ? "to_apart" : isWindow ? view.phrase.replace("from", "window") : view.phrase;
  const part = percent(high / view.onPatches);
  return {
    high: words.say(`legend_${kind}`, { share: percent(high), times: times(high * view.even), part }),
    low: values?.some((value) => value < 0) ? "\u2264 0" : "0",
  };
}

/** All colours of a map side by side. @param {import("./colour.js").ColourMap} colour @param {HTMLCanvasElement} canvas 256 x 1 */
export function barOf(colour, canvas = Object.assign(document.createElement("canvas"), { width: 256, height: 1 })) {
  const context = canvas.getContext("2d");
  for (let i = 0; i < 256; i++) {
    context.fillStyle = colour.css(i / 255);
    context.fillRect(i, 0, 1, 1);
  }
  return canvas;
}
