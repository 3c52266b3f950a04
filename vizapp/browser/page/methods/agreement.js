// How similarly maps order the patches: a table of rank correlations. The twin of core/trust/agreement.py.

import { made } from "./made.js";

const DARK = 0.85; // above this, letters on the colour are white

/** Ranks of values, from 0; equal ones share their mean rank. @param {ArrayLike<number>} values */
function ranks(values) {
  const order = Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b]);
  const found = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && values[order[to]] === values[order[from]]) to += 1;
    for (let i = from; i < to; i++) found[order[i]] = (from + to - 1) / 2;
    from = to;
  }
  return found;
}

/** Spearman's rho of every two maps; NaN for one that is the same everywhere, except with itself. @param {ArrayLike<number>[]} maps */
export function rankCorrelation(maps) {
  const centred = maps.map((values) => ranks(values).map((one) => one - (values.length - 1) / 2));
  const dot = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);
  const lengths = centred.map((one) => Math.sqrt(dot(one, one)) || NaN);
  return centred.map((a, i) => centred.map((b, j) => (i === j ? 1 : dot(a, b) / (lengths[i] * lengths[j]))));
}

/**
 * Show it for the maps that have the picture's own grid.
 * @param {HTMLElement} root
 * @param {import("./told.js").Results} results
 * @param {Record<string, string>} page words
 * @param {(share: number) => string} colourOf from 0 to 1
 */
export function agreement(root, { methods, of, payload }, page, colourOf) {
  const here = methods.filter(({ name }) => String(of(name)?.grid ?? payload.grid) === String(payload.grid) && of(name));
  const maps = here.map(({ name }) => of(name).values);
  const shown = here.map(({ name }, at) => [name, maps[at]]);
  if (root.dataset.of === String(shown.map(([name]) => name)) && same(known.get(root), maps)) return;
  root.dataset.of = String(shown.map(([name]) => name));
  known.set(root, maps);
  const found = rankCorrelation(maps);
  const head = (title, scope) => made("th", { scope }, made("span", {}, title));
  const cell = (value) => {
    const text = Number.isNaN(value) ? "\u2013" : value.toFixed(2).replace("1.00", "1").replace("0.", ".");
    const one = made("td", {}, text);
    if (!Number.isNaN(value)) one.style.background = colourOf((1 + value) / 2);
    one.style.color = Math.abs(value) > DARK ? "white" : "black";
    return one;
  };
  const rows = found.map((values, at) => made("tr", {}, head(here[at].title, "row"), ...values.map(cell)));
  const heads = made("tr", {}, made("td"), ...here.map(({ title }) => head(title, "col")));
  root.replaceChildren(made("table", { ariaLabel: page.agreement }, made("thead", {}, heads), made("tbody", {}, ...rows)));
}

/** @type {WeakMap<HTMLElement, any[]>} the maps that are shown */
const known = new WeakMap();
const same = (some, others) => some?.length === others.length && some.every((one, i) => one === others[i]);
