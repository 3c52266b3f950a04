// Maps that have not seen the picture: any other must be better than these. The twin of core/methods/baselines.py,
// in double precision as there. In `centre` the last digit of `exp` decides the order of patches at the same distance, and
// browsers round it differently from numpy: the curves differ by a hundredth.

import { Pcg64 } from "../pcg64.js";
import { gridOf } from "./pass.js";

/** Random values, the baseline for chance. @type {import("./index.js").Method} */
export function* random({ net }, { seed = 0 } = {}) {
  yield 0;
  const [rows, columns] = gridOf(net.header);
  const generator = new Pcg64(seed);
  return Float64Array.from({ length: rows * columns }, () => generator.share());
}

/** Bright in the middle, where people put things. @type {import("./index.js").Method} */
export function* centre({ net }) {
  yield 0;
  const [rows, columns] = gridOf(net.header);
  const off = (at, count) => (((at + 0.5) / count) * 2 - 1) ** 2;
  return Float64Array.from({ length: rows * columns }, (_, i) =>
    Math.exp(-2 * (off(Math.floor(i / columns), rows) + off(i % columns, columns))),
  );
}
