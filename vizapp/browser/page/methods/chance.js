// A map among random orders of the patches. The twin of core/trust/chance.py.

import { CHANCE_LEVEL, ORDERS, ORDERS_AT_ONCE } from "../../../vocabulary.js";

/**
 * @typedef {object} Curves as the engine's `judge` and `chance` give them
 * @property {number[]} share
 * @property {number[]} deletion
 * @property {number[]} insertion
 * @property {number[]} areas under deletion and insertion
 * @property {number[]} coarse the same, by the points at which random orders are measured
 */

export const MEASURES = ["deletion", "insertion"]; // in the order of `areas`

/** How many random orders are as good as a map by a measure, or better. @param {Curves} own @param {Curves[]} drawn @param {number} measure */
export function asGood(own, drawn, measure) {
  const loss = (area) => (MEASURES[measure] === "deletion" ? area : -area); // lower is better
  return drawn.filter(({ areas }) => loss(areas[measure]) <= loss(own.coarse[measure])).length;
}

/** Whether a map that so many orders have met is in the best twentieth of itself and all of them. @param {number} met @param {number} orders */
export const beats = (met, orders) => (1 + met) / (1 + orders) <= CHANCE_LEVEL;

/** How many more random orders are to be drawn: none where no map can be better than chance any more.
 * @param {Curves[]} own of maps that have seen the picture @param {Curves[]} drawn */
export function owed(own, drawn) {
  const met = own.flatMap((one) => MEASURES.map((_, measure) => asGood(one, drawn, measure)));
  const isLost = drawn.length > 0 && met.length > 0 && !beats(Math.min(...met), ORDERS);
  return isLost ? 0 : Math.min(ORDERS_AT_ONCE, ORDERS - drawn.length);
}

/** Those of the random orders that these maps need: as many as Python draws for them, where more were drawn for others.
 * @param {Curves[]} own of maps that have seen the picture @param {Curves[]} drawn */
export function needed(own, drawn) {
  let count = 0;
  while (count < drawn.length && owed(own, drawn.slice(0, count))) count += ORDERS_AT_ONCE;
  return drawn.slice(0, count);
}

/** The mean of curves with the same points. @param {Curves[]} drawn @returns {Curves} */
export function meanOf(drawn) {
  const mean = (which) => drawn[0][which].map((_, i) => drawn.reduce((sum, one) => sum + one[which][i], 0) / drawn.length);
  const [deletion, insertion, areas, coarse] = ["deletion", "insertion", "areas", "coarse"].map(mean);
  return { share: drawn[0].share, deletion, insertion, areas, coarse };
}
