// Attention rollout through all layers, with its defaults: the twin of core/methods/rollout.py.

import { attended } from "../attended.js";
import { layersOf, onPatches, readout, shapeOf } from "./pass.js";

/** @type {import("./index.js").Method} */
export function* rollout(seen) {
  yield 0;
  const layers = layersOf(seen);
  yield 0.5;
  const [through] = attended(layers, shapeOf(seen.net), [readout(seen.net)], seen.headMap).rollouts; // (layer, token)
  return onPatches(seen.net, through.subarray(-seen.net.tokens));
}
