// Rotary positions: q and k of each patch are turned by angles that tell its place. The prefix tokens have no place.

import { Refused } from "./refused.js";

/** How far the second of two channels lies from the first: 0 for neighbours.
 * @type {Record<import("../../vocabulary.js").Rotary, (width: number) => number>} */
const APART = { pairs: () => 0, halves: (width) => width / 2 };

export class Rotary {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
  constructor({ rotary, headDim, prefix }, { file, room }, tokens) {
    if (!Object.hasOwn(APART, rotary)) throw new Refused("networkKind", { kind: String(rotary) });
    this.first = prefix.length;
    this.patches = tokens - this.first;
    this.apart = APART[rotary](headDim);
    this.width = headDim;
    const table = (name) => room.take(this.patches * headDim, (to) => to.set(file.values(name, [this.patches, headDim])));
    this.cos = table("rope.cos");
    this.sin = table("rope.sin");
  }

  /** Turn q and k of a layer, in place. @param {any} kernels @param {import("./heads.js").Heads} heads */
  turn(kernels, heads, layer) {
    const { first, patches, cos, sin, width, apart } = this;
    for (const what of /** @type {const} */ (["q", "k"]))
      for (let head = 0; head < heads.heads; head++) {
        const at = heads.layers[layer][what] + 4 * (head * heads.one + first * heads.ld);
        kernels.rotate(at, heads.ld, cos, sin, patches, width, apart);
      }
  }
}
