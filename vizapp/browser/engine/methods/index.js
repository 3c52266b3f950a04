// The explanation methods that need only forward passes, one per file of this folder, by their names in Python.
//
// Each is a generator, since it may take long: it yields the share that is done, and returns a value for each patch. Between two
// yields the network may run on something else, so whatever is needed of a pass must be copied.

import { alti } from "./alti.js";
import { attention } from "./attention.js";
import { centre, random } from "./baselines.js";
import { occlusion } from "./by_pixels.js";
import { rise } from "./rise.js";
import { rollout } from "./rollout.js";
import { valueAttention, valueRollout } from "./value_norm.js";

/**
 * @typedef {object} Seen the input of a method
 * @property {import("../network.js").Network} net
 * @property {Float32Array} pixels
 * @property {number} target index of the class that is explained
 * @property {import("../maps.js").HeadMap} headMap
 *
 * @typedef {Generator<number, Float32Array | Float64Array>} Work
 * @typedef {(seen: Seen, settings: Record<string, number>) => Work} Method
 */

/** @type {Record<import("../../../vocabulary.js").BrowserMethod, Method>} */
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
