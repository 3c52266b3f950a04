// Explains how the pixels of a patch become its token: ui/viewer/answers/embedding.py for our ViT.

import { PATCH_FEW, PATCH_MOST } from "../../vocabulary.js";
import { Refused } from "./refused.js";
import { dot, packed } from "./steps.js";

/**
 * @param {import("./network.js").Network} net
 * @param {Float32Array} pixels
 * @param {[number, number, number | null]} what row, column, and a number of the token whose weights are given in any case
 * @returns {Record<string, any>} what the viewer's numbers/embedding.js reads; throws `Refused` for what is no patch or number,
 *   and for a network of another kind
 */
export function embedding(net, pixels, [row, col, also]) {
  const { kind, dim, channels, preNorm } = net.header;
  if (kind !== "vit") throw new Refused("stepsNoVit");
  const { patch, size, first, base, ld } = net.embedding;
  const [rows, columns] = size.map((side) => side / patch);
  const isThere = (index, count) => Number.isInteger(index) && index >= 0 && index < count;
  if (!isThere(row, rows) || !isThere(col, columns) || (also !== null && !isThere(also, dim))) throw new Refused("stepsNowhere");
  const shape = [channels, patch, patch];
  const own = new Float32Array(channels * patch * patch);
  for (let line = 0; line < channels * patch; line++) {
    const [channel, y] = [Math.floor(line / patch), line % patch];
    const from = (channel * size[0] + row * patch + y) * size[1] + col * patch;
    own.set(pixels.subarray(from, from + patch), line * patch);
  }
  const weights = net.file.values("patch_embed.proj.weight", [dim, ...shape]);
  const bias = net.file.has("patch_embed.proj.bias") ? net.file.values("patch_embed.proj.bias", [dim]) : new Float32Array(dim);
  const made = bias.map((value, i) => value + dot(weights, i * own.length, own, 0, own.length));
  const at = first + row * columns + col;
  const place = (base >> 2) + at * ld;
  const position = net.floats.slice(place, place + dim);
  // With a norm before the first layer, the position is not simply added: the token is taken after the norm.
  const token = preNorm ? net.entering(pixels).slice(at * dim, (at + 1) * dim) : made.map((value, i) => value + position[i]);
  const dimensions = shown(preNorm ? made : token, own.length, also);
  /** @type {Record<string, [number[], Float32Array]>} */
  const found = {
    pixels: [shape, own],
    weights: [[dimensions.length, ...shape], of(weights, dimensions, own.length)],
    bias: [[dimensions.length], of(bias, dimensions, 1)],
    made: [[dim], made],
    token: [[dim], token],
    ...(preNorm ? {} : { position: [[dim], position] }),
  };
  const vectors = Object.entries(found).map(([name, [size, values]]) => [name, [size, packed(values)]]);
  return { vectors: Object.fromEntries(vectors), dimensions };
}

// Which numbers of a token are shown with their weights, of which each has so many.
function shown(values, weights, also) {
  const all = Array.from(values, (_, i) => i);
  if (values.length * weights <= PATCH_MOST) return all;
  const order = all.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a])).slice(0, PATCH_FEW);
  if (also !== null && !order.includes(also)) order[PATCH_FEW - 1] = also;
  return order.sort((a, b) => a - b);
}

// Some rows of a table, each so wide.
function of(table, rows, width) {
  const found = new Float32Array(rows.length * width);
  rows.forEach((row, i) => found.set(table.subarray(row * width, (row + 1) * width), i * width));
  return found;
}
