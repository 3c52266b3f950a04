// Pixels -> tokens: each square of pixels through one matrix, after the prefix tokens, with position embeddings added.

import { Refused } from "./refused.js";
import { up } from "./memory.js";

export class Embedding {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights */
  constructor(header, weights) {
    const { size, patch, dim, prefix, positions } = header;
    const { file, room } = weights;
    const [rows, columns] = size.map((side) => side / patch);
    if (!Number.isInteger(rows) || !Number.isInteger(columns)) throw new Refused("networkBroken", { what: "size" });
    this.patches = rows * columns;
    this.first = prefix.length;
    this.tokens = this.first + this.patches;
    this.size = size;
    this.patch = patch;
    this.ld = up(dim, 8);
    this.channels = header.channels;
    this.pixels = room.take(this.channels * size[0] * size[1]);
    this.cells = room.take(this.patches * this.channels * patch * patch);
    this.proj = weights.linear("patch_embed.proj", [dim, this.channels, patch, patch]);
    // Prefix tokens and positions are the same for every picture: one matrix, which the patches are added to.
    this.base = room.take(this.tokens * this.ld, (to) => {
      const covered = { all: this.tokens, patches: this.patches, none: 0 }[positions];
      const places = covered ? file.values("pos_embed", [1, covered, dim]) : null;
      const registers = prefix.filter((name) => name.startsWith("reg")).length;
      const of = { cls: "cls_token", dist: "dist_token" };
      prefix.forEach((name, token) => {
        const index = name.startsWith("reg") ? Number(name.slice(3)) : 0;
        const count = name.startsWith("reg") ? registers : 1;
        const values = file.values(of[name] ?? "reg_token", [1, count, dim]);
        to.set(values.subarray(index * dim, (index + 1) * dim), token * this.ld);
      });
      for (let place = 0, token = this.tokens - covered; place < covered; place++, token++)
        for (let i = 0; i < dim; i++) to[token * this.ld + i] += places[place * dim + i];
    });
  }

  /** Write the tokens to `x`. @param {import("./network.js").Network} net @param {Float32Array} pixels @param {number} x */
  run({ kernels, floats }, pixels, x) {
    const [height, width] = this.size;
    const expected = this.channels * height * width;
    if (pixels.length !== expected) throw new Refused("pixelsDoNotFit", { expected, got: pixels.length });
    const { proj, first, ld } = this;
    floats.set(pixels, this.pixels >> 2);
    floats.copyWithin(x >> 2, this.base >> 2, (this.base >> 2) + first * ld);
    kernels.cut(this.pixels, this.cells, this.channels, height, width, this.patch);
    const patches = 4 * first * ld;
    kernels.multiply(this.cells, proj.K, proj.b, proj.bias, this.base + patches, x + patches, ld, this.patches, proj.K, proj.N);
  }
}
