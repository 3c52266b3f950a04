// What is left of each map while the network forgets: curves that the source makes at length.

import { made } from "./made.js";

const COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#bcbd22", "#17becf"];
const DASHES = ["", "7 4", "2 3"];
const NS = "http://www.w3.org/2000/svg";

/** @typedef {{stages: string[], left: Record<string, (number | null)[]>}} Forgotten as the source answers "forget" */

/**
 * @param {HTMLElement} root
 * @param {Forgotten} forgotten
 * @param {import("./told.js").Method[]} methods all, in the order of their strokes
 * @param {Record<string, string>} page words
 */
export function forgetting(root, { stages, left }, methods, page) {
  const here = methods.filter(({ name }) => left[name]);
  const lines = here.map((one) => ({ ...one, values: [1, ...left[one.name]], ...strokeOf(methods.indexOf(one)) }));
  const low = Math.min(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null))) - 0.05;
  const drawing = document.createElementNS(NS, "svg");
  drawing.setAttribute("viewBox", "0 0 100 100");
  drawing.setAttribute("preserveAspectRatio", "none");
  for (const { name, values, colour, dashes } of lines) {
    const at = (value, i) => [(100 * i) / stages.length, (100 * (1.05 - value)) / (1.05 - low)].join(",");
    const line = document.createElementNS(NS, "polyline");
    const points = values.map((value, i) => (value === null ? "" : at(value, i))).filter(Boolean);
    const looks = { id: `line-${name}`, points: points.join(" "), stroke: colour, "stroke-dasharray": dashes };
    for (const [key, value] of Object.entries(looks)) line.setAttribute(key, value);
    drawing.append(line);
  }
  const said = page.chart_lines.replace("{title}", page.forget).replace("{x}", page.forget_x).replace("{y}", page.forget_y);
  const marks = [1, 0].map((value) => {
    const mark = made("span", {}, String(value));
    mark.style.top = `${(100 * (1.05 - value)) / (1.05 - low)}%`;
    return mark;
  });
  const plot = made("div", { className: "methods-left", role: "img", ariaLabel: said }, drawing, ...marks);
  const along = made("ol", {}, ...[page.stage_none, ...stages].map((stage) => made("li", {}, made("span", {}, stage))));
  const legend = made("ul", { className: "methods-legend" }, ...lines.map(entry));
  legend.addEventListener("mouseover", ({ target }) => fade(/** @type {HTMLElement} */ (target).closest("li")?.dataset.line));
  legend.addEventListener("mouseleave", () => fade(undefined));
  root.replaceChildren(
    made("div", { className: "methods-lines" }, made("p", {}, page.forget_y), plot, along, made("p", {}, page.forget_x)),
    legend,
  );

  function fade(name) {
    for (const one of drawing.querySelectorAll("polyline")) one.style.opacity = !name || one.id === `line-${name}` ? "1" : "0.15";
  }
}

function entry({ name, title, colour, dashes }) {
  const sample = made("i");
  sample.style.borderTop = `3px ${dashes ? "dashed" : "solid"} ${colour}`;
  return made("li", { data: { line: name } }, sample, title);
}

const strokeOf = (number) => ({
  colour: COLOURS[number % COLOURS.length],
  dashes: DASHES[Math.floor(number / COLOURS.length) % DASHES.length],
});
