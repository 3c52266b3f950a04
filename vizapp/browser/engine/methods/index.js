// Explanation methods that need the forward pass and nothing else, one per file of this folder, by the names that Python has.
//
// Each is work that may take long: a generator that yields the share that is done, and gives a value for each patch in the end.
// Between two yields the network may have looked at something else: what of a pass is needed later is copied.

import { alti } from "./alti.js";
import { attention } from "./attention.js";
import { centre, random } from "./baselines.js";
import { occlusion } from "./by_pixels.js";
import { rise } from "./rise.js";
import { rollout } from "./rollout.js";
import { valueAttention, valueRollout } from "./value_norm.js";

/**
 * @typedef {object} Seen what a method looks at
 * @property {import("../network.js").Network} net
 * @property {Float32Array} pixels
 * @property {number} target index of the class that is explained
 * @property {import("../maps.js").HeadMap} headMap
 *
 * @typedef {Generator<number, Float32Array | Float64Array>} Work
 * @typedef {(seen: Seen, settings: Record<string, number>) => Work} Method
 */

/** @type {Record<string, Method>} */
export const methods = {
  attention,
  rollout,
  alti,
  value_attention: valueAttention,
  value_rollout: valueRollout,
  occlusion,
  rise,
  centre,
  random,
};
