// How deep the visitor has gone: from the picture with its layers and heads to one number, or out to all maps at once. One depth is
// shown at a time, in the same room beside the picture; what opens one closes the others.

import { isStill } from "./dom.js";

/** @typedef {"picture" | "number" | "teach" | "wide" | "score"} Depth */

/** The keys of the state that open a depth. @type {Record<string, Exclude<Depth, "picture">>} */
export const OPENS = { steps: "number", teach: "teach", atlas: "wide", score: "score" };

/** @param {Record<string, any>} state @returns {Depth} */
export function depthOf(state) {
  const key = Object.keys(OPENS).find((one) => state[one]);
  return key ? OPENS[key] : "picture";
}

/** Changes of the state that open a depth by its key, or go back to the picture. @param {string | null} key */
export function openOnly(key) {
  return { ...Object.fromEntries(Object.keys(OPENS).map((one) => [one, one === key])), hover: null, tool: null };
}

const MOTION = 180; // milliseconds

/** Let what has come look nearer after a step deeper, and farther after a step back. @param {Element} box @param {boolean} isDeeper */
export function travel(box, isDeeper) {
  if (isStill()) return;
  const from = { opacity: 0, transform: `scale(${isDeeper ? 0.96 : 1.04})` };
  box.animate([from, { opacity: 1, transform: "none" }], { duration: MOTION, easing: "ease-out" });
}
