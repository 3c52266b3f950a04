// What the screen of a comparison shows: the maps, and what is said of each. The twin of ui/comparison_maps.py and
// ui/comparison_curves.py.

import { MEASURES, asGood, meanOf } from "./chance.js";
import { filled } from "./made.js";

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
 * @property {boolean} [isChosen] whether it is ticked at first; if it is not said, it is
 * @property {import("./fields.js").Field[]} [fields] of its settings
 *
 * @typedef {object} Found of one method
 * @property {import("./painted.js").Values} values
 * @property {number[]} [grid] rows and columns, if they are others than the picture's
 * @property {boolean[] | null} [hidden] the patches that a mask or a window hides
 * @property {string[]} [notes] what is to be said with it
 * @property {Record<string, number>} [measured] how well it finds the object, by metric
 * @property {string} [objects] the names of this object
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
 * @property {((first: Found, second: Found) => {values: import("./painted.js").Values, src: string, bounds: number[]})} [apart] the
 *   difference of two maps
 */

export const RANDOM = "random";

const digits = (value) => String(Number(value.toPrecision(3)));

/**
 * @param {Results} results
 * @param {import("../cargo.js").Language} words
 * @param {Results | null} [second] of a target to compare with
 * @returns {import("../../../ui/views/methods.js").Told}
 */
export function told(results, { page, export: own, methods: about }, second = null) {
  const { methods, isAsked, label, payload, strips } = results;
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
  const tagOf = ({ ofClass }, label) => (ofClass ? filled(page.for_class, { label }) : page.every_class);
  const { drawn } = results;
  return {
    window: payload.window,
    aspect: width / height,
    words: /** @type {any} */ (Object.fromEntries(Object.entries(names).map(([name, key]) => [name, page[key]]))),
    strips,
    methods: methods.map((one) => ({
      name: one.name,
      title: one.title,
      tag: tagOf(one, label),
      isOfClass: one.ofClass,
      waits: one.isSlow && !isAsked(one.name) ? { said: own.methodsSlow, runs: true } : { said: "\u2026", runs: false },
      maps: mapsOf(one),
    })),
    charts: [results, second].map((one) => one && drawnCharts(one, page)).filter((some) => some?.length),
    note: !label ? page.no_curves : drawn.length ? filled(page.band, { n: drawn.length }) : "",
  };

  // One map; of a method that explains a class, also the map of a second one, and the difference.
  function mapsOf(method) {
    const [first, other] = [results, second].map((one) => one?.of(method.name));
    if (!first) return [];
    const maps = [mapOf(method, first, results, 0)];
    if (!other || !method.ofClass) return maps;
    const label = `${results.label} \u2212 ${second.label}`;
    const title = `${method.title}: ${label}`;
    const apart = { ...first, ...results.apart(first, other), hidden: null };
    const said = { title, tag: "", sentence: page.scale_apart, numbers: [], notes: [], paper: "" };
    return [...maps, mapOf(method, other, second, 1), { ...mapOf(method, apart, results, 0), alt: title, label, told: said }];
  }

  function mapOf(method, found, of, charts) {
    const { values, src, bounds, grid = payload.grid, hidden = null, notes = [] } = found;
    const [rows, cols] = grid;
    const isMean = method.name === RANDOM && of.drawn.length > 1;
    const valueAt = (i) => (hidden?.[i] ? null : values[i]);
    return {
      alt: method.ofClass && of.label ? `${method.title}: ${of.label}` : method.title,
      label: of.label,
      src,
      bounds: bounds.map(digits),
      scores: Array.from({ length: rows }, (_, row) => Array.from({ length: cols }, (_, col) => valueAt(row * cols + col))),
      charts,
      told: {
        title: isMean ? filled(page.random_orders, { title: method.title, n: of.drawn.length }) : method.title,
        tag: tagOf(method, of.label),
        sentence: method.sentence,
        numbers: numbersOf(method, found, of),
        notes,
        paper: filled(page.paper, { paper: method.paper }),
      },
    };
  }

  function numbersOf({ name }, { curves, measured = {} }, { drawn }) {
    const isCompared = drawn.length > 1 && name !== RANDOM;
    const beaten = (at) => filled(page.beaten, { n: drawn.length - asGood(curves, drawn, at), of: drawn.length });
    const areas = curves
      ? MEASURES.map((measure, at) => ({
          title: page[measure],
          value: curves.areas[at].toFixed(3),
          beaten: isCompared ? beaten(at) : "",
        }))
      : [];
    const columns = about?.columns ?? [];
    const metrics = columns.filter((one) => measured[one.name] !== undefined);
    return [...areas, ...metrics.map(({ name, title }) => ({ title, value: measured[name].toFixed(3), beaten: "" }))];
  }
}

/** @param {Results} results @param {Record<string, string>} page */
function drawnCharts({ methods, of, drawn, up }, page) {
  const judged = methods.filter(({ name }) => of(name)?.curves).map(({ name }) => ({ name, curves: of(name).curves }));
  if (!judged.length) return [];
  const all = judged.flatMap(({ curves }) => [...curves.deletion, ...curves.insertion]);
  const bounds = [Math.min(0, ...all), Math.max(1, ...all)]; // probabilities, or a score of any size
  return MEASURES.map((which) => ({
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
  }));

  function bandOf(which) {
    if (!drawn.length) return [];
    const at = (i) => drawn.map((one) => one[which][i]);
    return drawn[0].share.map((share, i) => [share, Math.min(...at(i)), Math.max(...at(i))]);
  }
}

/** The curves of chance, once there are some. @param {import("./chance.js").Curves[]} drawn */
export const chanceOf = (drawn) => (drawn.length ? meanOf(drawn) : null);
