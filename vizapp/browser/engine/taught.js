// A network as a classifier of things that it was taught by example: the twin of `Taught` in core/prototypes.py, as
// vizapp/pipeline/teaching.py makes a model of it.

import { sharesOf } from "../../ui/viewer/numbers/prototypes.js";
import { unitFeatures } from "./features.js";
import { probabilities } from "./probabilities.js";

/** Of each thing its name, and the mean of its patches' features.
 * @typedef {{names: string[], prototypes: Float32Array[]}} Lesson */

/** The same network with the log of each thing's share of the picture as its outputs, so that methods can use it like any other.
 * It reads all patches equally.
 * @param {import("./network.js").Network} net @param {Lesson} lesson @returns {import("./network.js").Network} */
export function taught(net, { names, prototypes }) {
  const header = { ...net.header, labels: names, activation: "softmax", readout: "mean" };
  const forward = (pixels, options) => {
    const pass = net.forward(pixels, options);
    return pass && { ...pass, logits: logShares(sharesOf(unitFeatures(net), prototypes), names.length) };
  };
  return Object.assign(Object.create(net), { header, forward });
}

/** The share of a picture that each thing takes. @param {import("./network.js").Network} net @param {Float32Array} pixels
 * @param {Lesson} lesson @returns {Float64Array} in the order of its names, with a sum of one */
export function shares(net, pixels, lesson) {
  const ofThings = taught(net, lesson);
  return probabilities(ofThings.forward(pixels).logits, ofThings.header.activation);
}

// The log of each thing's mean share.
function logShares(each, things) {
  const sums = new Float64Array(things);
  for (let i = 0; i < each.length; i++) sums[i % things] += each[i];
  return Float32Array.from(sums, (sum) => Math.log((sum * things) / each.length));
}
