// What there is of a target: the maps of methods, their curves, and the random orders that these need.

import { needed } from "./chance.js";
import { RANDOM, chanceOf } from "./told.js";

/**
 * @param {import("./targets.js").Target} target
 * @param {import("./told.js").Method[]} methods
 * @param {Pick<import("./told.js").Results, "isAsked" | "up" | "payload" | "strips" | "apart">} about
 * @returns {import("./told.js").Results}
 */
export function resultsOf({ found, drawn: all, label }, methods, about) {
  const informed = methods.flatMap(({ name, isBaseline }) => (!isBaseline && found.get(name)?.curves) || []);
  const drawn = needed(informed, all);
  const random = found.get(RANDOM);
  const of = (name) => (name === RANDOM && random ? { ...random, curves: chanceOf(drawn) } : found.get(name));
  return { methods, of, drawn, label, ...about };
}

/** The results of methods that have curves. @param {import("./told.js").Results} results */
export const judged = ({ methods, of }) => methods.filter(({ name }) => of(name)?.curves);
