// The order in which to fetch the pieces of a payload: the layer on the stage, the ready rows of named queries, and then the
// other layers by their distance from it.

import { THROUGH_LAYERS } from "../../../vocabulary.js";
import { nameOfLayer } from "./pieces.js";

/** Whether the visitor has told the browser to save data. */
export const sparesData = () => /** @type {any} */ (navigator).connection?.saveData === true;

/** What a map is made of comes first. @type {Record<import("../../../vocabulary.js").Chain, (shown: string, others: string[]) => string[]>} */
const FIRST = {
  attention: (shown, others) => [shown, "named", ...others, "cross"],
  rollout: (shown, others) => ["named", shown, ...others, "cross"],
};

/**
 * All pieces, starting with those on the stage.
 * @param {{layers: object[]}} payload
 * @param {{layer: number, method: import("../../../vocabulary.js").Chain, crossBlock: number | null}} view
 * @returns {string[]} names, of which some may not exist
 */
export function inOrder({ layers }, { layer, method, crossBlock }) {
  const away = [...layers.keys()].sort((a, b) => Math.abs(a - layer) - Math.abs(b - layer) || b - a).map(nameOfLayer);
  const [shown, ...others] = away;
  if (crossBlock !== null) return ["cross", shown, "named", ...others];
  return FIRST[method](shown, others);
}

/**
 * The pieces that a first look and a first hover need, for a page that nobody has used yet. Many who open a page leave it, and the
 * other layers are two thirds of what it would send.
 * @param {Parameters<typeof spared>[0]} payload
 * @param {any} view
 * @returns {string[]}
 */
export function atRest(payload, view) {
  return [...inOrder(payload, view).slice(0, 2), ...spared(payload, view)];
}

/**
 * Only the pieces that the stage waits for, for a visitor who wants to save data.
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
  return THROUGH_LAYERS[method] ? inOrder(payload, view) : [nameOfLayer(layer)];
}
