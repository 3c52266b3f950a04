// A network as a classifier of things that it was taught by example: the twin of `Taught` in core/prototypes.py, as
// vizapp/taught.py makes a model of it.

import { sharesOf } from "../../ui/viewer/numbers/prototypes.js";
import { unitFeatures } from "./features.js";
import { probabilities } from "./probabilities.js";

/** Of each thing its name, and the mean of its patches' features.
 * @typedef {{names: string[], prototypes: Float32Array[]}} Lesson */

/** The same network, whose outputs are logs of the share of the picture, of all its patches, that is each thing: methods take it
 * as any other. It reads all patches alike.
 * @param {import("./network.js").Network} net @param {Lesson} lesson @returns {import("./network.js").Network} */
export function taught(net, { names, prototypes }) {
  const header = { ...net.header, labels: names, activation: "softmax", readout: "mean" };
  const forward = (pixels, options) => {
    const pass = net.forward(pixels, options);
    return pass && { ...pass, logits: logShares(sharesOf(unitFeatures(net), prototypes), names.length) };
  };
  return Object.assign(Object.create(net), { header, forward });
}

/** How much of a picture each thing is. @param {import("./network.js").Network} net @param {Float32Array} pixels
 * @param {Lesson} lesson @returns {Float64Array} in the order of its names, with a sum of one */
export function shares(net, pixels, lesson) {
  const ofThings = taught(net, lesson);
  return probabilities(ofThings.forward(pixels).logits, ofThings.header.activation);
}

// Of each thing the log of its mean share.
function logShares(each, things) {
  const sums = new Float64Array(things);
  for (let i = 0; i < each.length; i++) sums[i % things] += each[i];
  return Float32Array.from(sums, (sum) => Math.log((sum * things) / each.length));
}
