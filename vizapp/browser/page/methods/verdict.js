// Which map is ahead on this picture, and which are better than chance. The twin of `verdict` in ui/comparison_html.py.

import { ORDERS } from "../../../vocabulary.js";
import { MEASURES, asGood, beats, owed } from "./chance.js";
import { escaped, filled } from "./made.js";
import { judged } from "./results.js";

/**
 * @param {import("./told.js").Results} results
 * @param {import("../cargo.js").Language} words
 * @returns {string[]} sentences in HTML; none before all random orders are drawn
 */
export function verdict(results, { page, viewer }) {
  const { of, drawn } = results;
  const informed = judged(results).filter(({ isBaseline }) => !isBaseline);
  const curvesOf = ({ name }) => of(name).curves;
  if (drawn.length < 2 || !informed.length || owed(informed.map(curvesOf), drawn)) return [];
  const listed = (some) => escaped(some.map(({ title }) => title).join(viewer.list_comma));
  const told = MEASURES.map((measure, at) => {
    const area = (one) => curvesOf(one).areas[at];
    const loss = (one) => (measure === "deletion" ? area(one) : -area(one)); // lower is better
    const ranked = [...informed].sort((one, other) => loss(one) - loss(other));
    const isBetter = (one) => beats(asGood(curvesOf(one), drawn, at), drawn.length);
    const [better, worse] = [ranked.filter(isBetter), ranked.filter((one) => !isBetter(one))];
    const [best, second = best] = ranked;
    const values = {
      measure: page[measure],
      best: escaped(best.title),
      area: area(best).toFixed(3),
      second: escaped(second.title),
      apart: Math.abs(area(best) - area(second)).toFixed(3),
      better: listed(better),
      worse: listed(worse),
    };
    const than = better.length && worse.length ? "some" : better.length ? "all" : "none";
    const ahead = filled(page[ranked.length > 1 ? "verdict_best" : "verdict_alone"], values);
    return [ahead, filled(page[`verdict_${than}`], values)].join(viewer.sentence_gap);
  });
  told.push(filled(page.verdict_help, { n: drawn.length }));
  if (drawn.length < ORDERS) told.push(filled(page.verdict_ended, { n: drawn.length }));
  return told;
}
