// Which pieces of a payload are wanted, in the order of what is looked at: the layer on the stage, the rows that are sent
// ready, and then layer by layer away from it.

import { nameOfLayer } from "./pieces.js";

/**
 * All pieces, what is looked at first.
 * @param {{layers: object[]}} payload
 * @param {{layer: number, method: string, crossBlock: number | null}} view
 * @returns {string[]} names, of which some may not exist
 */
export function inOrder({ layers }, { layer, method, crossBlock }) {
  const away = [...layers.keys()].sort((a, b) => Math.abs(a - layer) - Math.abs(b - layer) || b - a).map(nameOfLayer);
  const [shown, ...others] = away;
  if (crossBlock !== null) return ["cross", shown, "named", ...others];
  return method === "rollout" ? ["named", ...away, "cross"] : [shown, "named", ...others, "cross"];
}

/**
 * Only what the stage waits for, where a visitor wants data to be spared.
 * @param {{named: string[], layers: {queries: {prefix: string[]}}[], pieces: import("./pieces.js").Pieces}} payload
 * @param {any} view
 * @returns {string[]}
 */
export function spared(payload, view) {
  const { layer, method, query, crossBlock, knows, map } = view;
  if (map.values || !knows) return [];
  if (crossBlock !== null) return ["cross"];
  const isNamed = payload.named.includes(typeof query === "string" ? query : payload.layers[layer].queries.prefix[query]);
  if (isNamed && !payload.pieces.hasPiece("named")) return ["named"];
  return method === "rollout" ? inOrder(payload, view) : [nameOfLayer(layer)];
}
