// Where among the layers the sinks are that the server found.

/**
 * Tells whether a layer (from 0) without sinks is before the layers that have some, behind them, or between them.
 * @param {number} layer @param {number[][]} found @returns {"before" | "after" | "between"}
 */
export function whenOf(layer, found) {
  const { first, last } = layersOf(found);
  return layer + 1 < first ? "before" : layer + 1 > last ? "after" : "between";
}

// The first and the last layer with sinks, counted from 1, because the page says them to people.
export function layersOf(found) {
  return { first: Math.min(...found.map((one) => one[3])) + 1, last: Math.max(...found.map((one) => one[4])) + 1 };
}
