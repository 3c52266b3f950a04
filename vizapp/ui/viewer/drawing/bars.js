// A row of bars for the numbers of a vector, above and below a line; SVG, so that each can be pointed at and be read.

import { svg } from "./svg.js";

const HEIGHT = 46; // css pixels
const GAP = 0.22; // of the width of a bar

/**
 * @param {import("../numbers/steps.js").Bar[]} bars
 * @param {object} how
 * @param {string} how.kind class of its colour: "q", "k", "v", "p", "plain"
 * @param {string} how.label what it is, for those who do not see it
 * @param {(bar: import("../numbers/steps.js").Bar) => string} how.say of one bar, as its title
 * @param {number} [how.lit] index of the bar that is meant
 * @param {number} [how.top] the value of a bar of full height; left out: the largest here
 * @returns {SVGSVGElement}
 */
export function barsOf(bars, { kind, label, say, lit = -2, top }) {
  const high = top ?? Math.max(...bars.map(({ value }) => Math.abs(value)), 1e-30);
  const below = bars.some(({ value }) => value < 0);
  const zero = below ? HEIGHT / 2 : HEIGHT - 1;
  const room = zero - 1;
  const drawing = svg("svg", {
    class: `viz-bars viz-of-${kind}`,
    viewBox: `0 0 ${bars.length} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  drawing.style.maxWidth = `${Math.max(140, bars.length * 15)}px`;
  drawing.append(svg("line", { x1: 0, x2: bars.length, y1: zero, y2: zero }));
  for (const [x, bar] of bars.entries()) {
    const size = Math.max(0.75, (Math.abs(bar.value) / high) * room);
    const one = svg("rect", {
      x: x + GAP / 2,
      width: 1 - GAP,
      y: bar.value < 0 ? zero : zero - size,
      height: size,
      "data-index": bar.index,
      class: [bar.index === lit ? "viz-lit" : "", bar.index < 0 ? "viz-rest" : ""].join(" ").trim(),
    });
    // Also where a bar is small there is something to point at.
    const place = svg("rect", { x, width: 1, y: 0, height: HEIGHT, "data-index": bar.index, class: "viz-place-of-bar" });
    place.append(svg("title", {}, say(bar)));
    drawing.append(one, place);
  }
  return /** @type {SVGSVGElement} */ (drawing);
}
