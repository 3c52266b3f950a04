// How a method's map of one target differs from that of another. The twin of `differences` in pipeline/comparison.py.

/** @typedef {import("./painted.js").Values} Values @typedef {import("./told.js").Found} Found */

/** @type {WeakMap<Values, WeakMap<Values, {values: Values, src: string, bounds: number[]}>>} painted once */
const known = new WeakMap();

/** The map of one minus that of the other, each divided by its largest absolute value. @param {Values} one @param {Values} other */
export function difference(one, other) {
  const [a, b] = [one, other].map(
    (values) => Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1,
  );
  return Float64Array.from(one, (value, i) => value / a - other[i] / b);
}

/** The difference, painted. @param {import("./painted.js").Painter} painter @param {Found} first @param {Found} second */
export function apart(painter, first, second) {
  const of = known.get(first.values) ?? new WeakMap();
  known.set(first.values, of);
  if (!of.has(second.values)) {
    const values = difference(first.values, second.values);
    of.set(second.values, { values, ...painter.paint({ isSigned: true, values, grid: first.grid }) });
  }
  return of.get(second.values);
}
