// What the screen of a comparison shows: the maps, and what is said of each. The twin of ui/comparison_maps.py and
// ui/comparison_curves.py.

import { MEASURES, asGood, meanOf } from "./chance.js";

/**
 * @typedef {object} Method as vizapp/browser/methods.py says it
 * @property {string} name
 * @property {string} title
 * @property {string} sentence
 * @property {string} paper
 * @property {boolean} isSlow
 * @property {boolean} ofClass
 * @property {boolean} isSigned
 * @property {boolean} isBaseline
 *
 * @typedef {object} Found of one method
 * @property {import("./painted.js").Values} values
 * @property {string} src
 * @property {number[]} bounds
 * @property {import("./chance.js").Curves | null} curves
 *
 * @typedef {object} Results of one target
 * @property {Method[]} methods
 * @property {(name: string) => Found | undefined} of
 * @property {import("./chance.js").Curves[]} drawn the random orders
 * @property {(name: string) => boolean} isAsked whether a slow one was asked for
 * @property {string} label of the target; "" where there is none
 * @property {string} up what is measured
 * @property {any} payload the viewer's
 * @property {string[]} strips
 */

export const RANDOM = "random";

/** A sentence with its values. @param {string} said @param {Record<string, unknown>} values */
export const filled = (said, values) => said.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
const digits = (value) => String(Number(value.toPrecision(3)));

/** @param {Results} results @param {import("../cargo.js").Language} words @returns {import("../../../ui/views/methods.js").Told} */
export function told(results, { page, export: own }) {
  const { methods, of, drawn, isAsked, label, up, payload, strips } = results;
  const [rows, cols] = payload.grid;
  const { width, height } = payload.bitmap;
  const names = {
    large: "large",
    all: "all_maps",
    said: "said_of_map",
    here: "patch_value",
    hidden: "patch_hidden",
    against: "bar_against",
    for: "bar_for",
  };
  const tagOf = ({ ofClass }) => (ofClass ? filled(page.for_class, { label }) : page.every_class);
  return {
    window: payload.window,
    aspect: width / height,
    words: /** @type {any} */ (Object.fromEntries(Object.entries(names).map(([name, key]) => [name, page[key]]))),
    strips,
    methods: methods.map((one) => ({
      name: one.name,
      title: one.title,
      tag: tagOf(one),
      isOfClass: one.ofClass,
      waits: one.isSlow && !isAsked(one.name) ? { said: own.methodsSlow, runs: true } : { said: "\u2026", runs: false },
      maps: of(one.name) ? [mapOf(one, of(one.name))] : [],
    })),
    charts: drawnCharts(),
    note: !label ? page.no_curves : drawn.length ? filled(page.band, { n: drawn.length }) : "",
  };

  function mapOf(method, { values, src, bounds, curves }) {
    const isMean = method.name === RANDOM && drawn.length > 1;
    return {
      alt: method.ofClass && label ? `${method.title}: ${label}` : method.title,
      label,
      src,
      bounds: bounds.map(digits),
      scores: Array.from({ length: rows }, (_, row) => Array.from(values.subarray(row * cols, (row + 1) * cols))),
      charts: 0,
      told: {
        title: isMean ? filled(page.random_orders, { title: method.title, n: drawn.length }) : method.title,
        tag: tagOf(method),
        sentence: method.sentence,
        numbers: curves ? MEASURES.map((measure, at) => numberOf(method, curves, measure, at)) : [],
        notes: [],
        paper: filled(page.paper, { paper: method.paper }),
      },
    };
  }

  function numberOf({ name }, curves, measure, at) {
    const isCompared = drawn.length > 1 && name !== RANDOM;
    const values = { n: drawn.length - asGood(curves, drawn, at), of: drawn.length };
    return { title: page[measure], value: curves.areas[at].toFixed(3), beaten: isCompared ? filled(page.beaten, values) : "" };
  }

  function drawnCharts() {
    const judged = methods.filter(({ name }) => of(name)?.curves).map(({ name }) => ({ name, curves: of(name).curves }));
    if (!judged.length) return [];
    const all = judged.flatMap(({ curves }) => [...curves.deletion, ...curves.insertion]);
    const bounds = [Math.min(0, ...all), Math.max(1, ...all)]; // probabilities, or a score of any size
    return [
      MEASURES.map((which) => ({
        which,
        title: filled(page[which === "deletion" ? "column_lower" : "column_higher"], { title: page[which] }),
        up,
        along: page[`${which}_x`],
        name: filled(page.chart_lines, { title: page[which], x: page[`${which}_x`], y: up }),
        bounds,
        lines: judged.map(({ name, curves }) => ({
          method: name,
          isRandom: name === RANDOM,
          points: curves.share.map((share, i) => [share, curves[which][i]]),
        })),
        band: bandOf(which),
      })),
    ];
  }

  function bandOf(which) {
    if (!drawn.length) return [];
    const at = (i) => drawn.map((one) => one[which][i]);
    return drawn[0].share.map((share, i) => [share, Math.min(...at(i)), Math.max(...at(i))]);
  }
}

/** The curves of chance, once there are some. @param {import("./chance.js").Curves[]} drawn */
export const chanceOf = (drawn) => (drawn.length ? meanOf(drawn) : null);
