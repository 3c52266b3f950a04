// A small chart: a line per picture over the layers, one of them the picture on the stage, and where the slider stands.

import { svg } from "./svg.js";

const [WIDE, HIGH, EDGE] = [150, 70, 6];

/**
 * @param {{values: (number | null)[], isOwn: boolean}[]} lines from 0 up, a value per layer
 * @param {{title: string, said: string, at: number, label: string}} how what it is, its value now, the layer shown and its name
 * @returns {HTMLElement}
 */
export function chart(lines, { title, said, at, label }) {
  const count = Math.max(...lines.map(({ values }) => values.length), 2);
  const high = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)), 1e-9);
  const x = (layer) => EDGE + (layer / (count - 1)) * (WIDE - 2 * EDGE);
  const y = (value) => HIGH - EDGE - (value / high) * (HIGH - 2 * EDGE);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${title}, ${label}: ${said}` });
  drawing.append(svg("line", { x1: EDGE, x2: WIDE - EDGE, y1: HIGH - EDGE, y2: HIGH - EDGE, class: "viz-axis" }));
  drawing.append(svg("line", { x1: x(at), x2: x(at), y1: EDGE, y2: HIGH - EDGE, class: "viz-now" }));
  for (const { values, isOwn } of [...lines].sort((a, b) => Number(a.isOwn) - Number(b.isOwn))) {
    const points = values.flatMap((value, layer) => (value === null ? [] : [`${x(layer).toFixed(1)},${y(value).toFixed(1)}`]));
    if (points.length) drawing.append(svg("polyline", { points: points.join(" "), class: isOwn ? "viz-own" : "viz-other" }));
    const value = values[at];
    if (isOwn && value !== null && value !== undefined) drawing.append(svg("circle", { cx: x(at), cy: y(value), r: 3 }));
  }
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const value = document.createElement("b");
  value.textContent = said;
  caption.append(`${title} `, value);
  figure.append(drawing, caption);
  return figure;
}

/**
 * The layer, from 0, that is nearest to a pointer over, or beside, a chart of `count` layers.
 *
 * @param {Element} drawing its svg @param {number} clientX in pixels of the page @param {number} count
 */
export function layerAt(drawing, clientX, count) {
  const { left, width } = drawing.getBoundingClientRect();
  const along = (((clientX - left) / width) * WIDE - EDGE) / (WIDE - 2 * EDGE);
  return Math.round(Math.min(Math.max(along, 0), 1) * (count - 1));
}
