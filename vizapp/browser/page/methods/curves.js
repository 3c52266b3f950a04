// Deletion and insertion of a map as two curves with the areas below them, beside maps that have not seen the picture.

import { svg } from "../../../ui/viewer/drawing/svg.js";

const [WIDE, HIGH] = [300, 150];
const EDGE = { left: 30, right: 8, top: 8, bottom: 20 };

/** @typedef {{name: string, title: string, isChosen: boolean, share: number[], deletion: number[], insertion: number[], areas: [number, number]}} Line */

/**
 * @param {HTMLElement} root
 * @param {Line[]} lines the chosen one last
 * @param {Record<string, string>} page words
 * @param {string} up the name of the vertical axis
 */
export function curves(root, lines, page, up) {
  const chosen = lines.find(({ isChosen }) => isChosen);
  root.replaceChildren(
    ...["deletion", "insertion"].map((kind, i) => {
      const figure = document.createElement("figure");
      const title = document.createElement("h2");
      title.append(`${page[kind]} `, element("b", chosen ? chosen.areas[i].toFixed(3) : ""));
      const axis = element("p", page[`${kind}_x`]);
      axis.className = "axis";
      const help = element("figcaption", page[`${kind}_help`]);
      const of = lines.map((one) => ({ ...one, values: one[kind] }));
      figure.append(title, element("p", up), chart(of, `${page[kind]}: ${up}`), axis, help);
      return figure;
    }),
    legend(lines),
  );
}

function legend(lines) {
  const made = document.createElement("ul");
  for (const { name, title, isChosen } of lines.toReversed()) {
    const entry = element("li", title);
    const stroke = svg("svg", { viewBox: "0 0 26 4", "aria-hidden": "true" });
    stroke.append(svg("polyline", { points: "0,2 26,2", class: isChosen ? "chosen" : name }));
    entry.prepend(stroke);
    made.append(entry);
  }
  return made;
}

function chart(lines, said) {
  const [low, high] = boundsOf(lines);
  const x = (share) => EDGE.left + share * (WIDE - EDGE.left - EDGE.right);
  const y = (value) => EDGE.top + (1 - (value - low) / (high - low)) * (HIGH - EDGE.top - EDGE.bottom);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": said });
  for (const value of [low, (low + high) / 2, high]) {
    drawing.append(svg("line", { x1: x(0), x2: x(1), y1: y(value), y2: y(value), class: "rule" }));
    drawing.append(
      svg("text", { x: EDGE.left - 5, y: y(value) + 3.5, "text-anchor": "end" }, String(Number(value.toPrecision(2)))),
    );
  }
  for (const share of [0, 0.5, 1]) {
    const anchor = { 0: "start", 0.5: "middle", 1: "end" }[share];
    drawing.append(svg("text", { x: x(share), y: HIGH - 6, "text-anchor": anchor }, `${100 * share} %`));
  }
  for (const { share, values, isChosen, name, title } of lines) {
    const points = share.map((at, i) => `${x(at).toFixed(1)},${y(values[i]).toFixed(1)}`);
    if (isChosen)
      drawing.append(svg("polygon", { points: `${x(0)},${y(low)} ${points.join(" ")} ${x(1)},${y(low)}`, class: "area" }));
    const line = svg("polyline", { points: points.join(" "), class: isChosen ? "chosen" : name });
    line.append(svg("title", {}, title));
    drawing.append(line);
  }
  return drawing;
}

// Probabilities go from 0 to 1; a score may be of any size.
function boundsOf(lines) {
  const values = lines.flatMap((one) => one.values);
  return [Math.min(0, ...values), Math.max(1, ...values)];
}

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
