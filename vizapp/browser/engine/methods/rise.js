// RISE: the class's mean probability where a patch is seen, over random masks. The twin of core/methods/rise.py, mask by mask:
// its generator is ported (see mt19937.js), so the same seed makes the same masks, and no file has to carry them.

import { RISE_AT_ONCE } from "../../../vocabulary.js";
import { Twister } from "../mt19937.js";
import { probabilities } from "../probabilities.js";
import { gridOf } from "./pass.js";

const [CELLS, KEEP] = [7, 0.5];

/** @type {import("./index.js").Method} */
export function* rise({ net, pixels, target }, { masks = 256, seed = 0 } = {}) {
  const { size, patch, channels, activation } = net.header;
  const [rows, columns] = gridOf(net.header);
  const [height, width] = size;
  const generator = new Twister(seed);
  const total = new Float64Array(rows * columns);
  const seen = new Float32Array(pixels.length);
  for (let start = 0; start < masks; start += RISE_AT_ONCE) {
    const some = randomMasks(Math.min(RISE_AT_ONCE, masks - start), size, generator);
    for (const [i, mask] of some.entries()) {
      yield (start + i) / masks;
      for (let channel = 0, at = 0; channel < channels; channel++)
        for (let pixel = 0; pixel < mask.length; pixel++, at++) seen[at] = pixels[at] * mask[pixel];
      const probability = probabilities(net.forward(seen).logits, activation)[target];
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const one = Math.floor(y / patch) * columns + Math.floor(x / patch);
          total[one] += (probability * mask[y * width + x]) / patch ** 2;
        }
    }
  }
  return Float32Array.from(total, (sum) => sum / (masks * KEEP));
}

/** (height, width) each, from 0 to 1: small grids of cells, enlarged, and cut at random. @param {number} count
 * @param {[number, number]} size @param {Twister} generator @returns {Float32Array[]} */
export function randomMasks(count, [height, width], generator) {
  const side = CELLS + 1;
  const [tall, wide] = [height, width].map((one) => Math.ceil(one / CELLS)); // of a cell
  const coarse = Array.from({ length: count }, () =>
    Float32Array.from({ length: side * side }, () => Number(generator.share() < KEEP)),
  );
  const down = coarse.map(() => generator.below(tall));
  const right = coarse.map(() => generator.below(wide));
  return coarse.map((cells, i) => {
    const [ys, xs] = [between(height, tall, down[i]), between(width, wide, right[i])];
    const mask = new Float32Array(height * width);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [a, b] = [ys[y], xs[x]];
        const row = (at) => cells[at * side + b.low] * (1 - b.share) + cells[at * side + b.high] * b.share;
        mask[y * width + x] = row(a.low) * (1 - a.share) + row(a.high) * a.share;
      }
    return mask;
  });
}

// Between which cells each pixel lies, as torch's `interpolate` has it (bilinear, corners not aligned).
function between(length, cell, shift) {
  return Array.from({ length }, (_, i) => {
    const at = Math.max(0, (i + shift + 0.5) / cell - 0.5);
    const low = Math.min(Math.floor(at), CELLS);
    return { low, high: Math.min(low + 1, CELLS), share: at - low };
  });
}
