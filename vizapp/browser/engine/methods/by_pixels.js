// Occlusion: what the class's logit loses when one patch alone has the mean colour of the picture (the twin of `occlusion` in
// core/methods/by_pixels.py).

import { Patches } from "../patches.js";

/** @type {import("./index.js").Method} */
export function* occlusion({ net, pixels, target }) {
  const patches = new Patches(net.header);
  const mean = patches.mean(pixels);
  const whole = net.forward(pixels).logits[target];
  const found = new Float32Array(patches.count);
  for (let patch = 0; patch < patches.count; patch++) {
    yield (patch + 1) / (patches.count + 1);
    const covered = patches.mixed(pixels, mean, (one) => one === patch);
    found[patch] = whole - net.forward(covered).logits[target];
  }
  return found;
}
