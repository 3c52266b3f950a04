// The layers of a Vision Transformer: model/vit.py's Block on the kernels. The same names, the same order of things. The header
// says which parts its blocks have besides: rotary positions, a gated MLP and so on; replica.py is the same in torch.

import { Mlp, between } from "./mlp.js";
import { Readout } from "./readout.js";
import { up } from "./memory.js";
import { Rotary } from "./rotary.js";
import { inRooms } from "./weights.js";

export class ViT {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights
   * @param {import("./heads.js").Heads} heads */
  constructor(header, weights, heads, tokens) {
    const { dim, depth, headDim, eps, rotary } = header;
    const { room } = weights;
    this.tokens = tokens;
    this.dim = dim;
    this.ld = up(dim, 8);
    this.eps = eps;
    this.heads = heads;
    this.normPre = header.preNorm ? weights.norm("norm_pre", dim) : null;
    this.x = room.take(tokens * this.ld);
    this.mid = room.take(tokens * this.ld); // the residual stream between attention and MLP
    this.y = room.take(tokens * this.ld); // normed
    this.rotary = rotary ? new Rotary(header, weights, tokens) : null;
    const inside = between(header, tokens, room);
    const inner = heads.heads * headDim;
    const scale = headDim ** -0.5;
    const rooms = inRooms(heads.heads, headDim, heads.ld);
    const gammas = (name) => (header.layerScale ? weights.file.values(name, [dim]) : null);
    this.blocks = Array.from({ length: depth }, (_, l) => {
      const at = `blocks.${l}`;
      const [ls1, ls2] = [gammas(`${at}.ls1.gamma`), gammas(`${at}.ls2.gamma`)];
      // The scale of the scores goes into what makes q: its norm, or its weights. Layer scale goes into what it scales.
      return {
        norm1: weights.norm(`${at}.norm1`, dim),
        qkv: weights.linear(`${at}.attn.qkv`, [3 * inner, dim], {
          rows: [0, 1, 2].flatMap((i) => rooms.map((row) => (row < 0 ? -1 : i * inner + row))),
          factor: (output) => (output < inner && !header.qkNorm ? scale : 1),
        }),
        qNorm: header.qkNorm ? weights.norm(`${at}.attn.q_norm`, headDim, scale) : null,
        kNorm: header.qkNorm ? weights.norm(`${at}.attn.k_norm`, headDim) : null,
        proj: weights.linear(`${at}.attn.proj`, [dim, inner], { columns: rooms, factor: (i) => ls1?.[i] ?? 1 }),
        norm2: weights.norm(`${at}.norm2`, dim),
        mlp: new Mlp(`${at}.mlp`, dim, header, weights, inside, ls2),
      };
    });
    this.readout = new Readout(header, weights, tokens);
  }

  /** Apply the norm before the first layer, if there is one, to the tokens in `x`. @param {import("./network.js").Network} net */
  begin(net) {
    if (this.normPre) this.norm(net, this.normPre, this.x, this.x);
  }

  /** @param {import("./network.js").Network} net */
  norm({ kernels }, { weight, bias }, from, to) {
    kernels.layerNorm(from, this.ld, weight, bias, to, this.tokens, this.dim, this.eps);
  }

  /** @param {import("./network.js").Network} net @param {import("./edits.js").Door[]} doors */
  layer(net, l, doors) {
    const { kernels } = net;
    const { tokens, ld, x, mid, y, heads } = this;
    const { norm1, qkv, qNorm, kNorm, proj, norm2, mlp } = this.blocks[l];
    this.norm(net, norm1, x, y);
    ["q", "k", "v"].forEach((what, i) => {
      for (let head = 0; head < heads.heads; head++) {
        const column = (i * heads.heads + head) * heads.ld; // a head is a group of panels
        const to = heads.layers[l][what] + 4 * head * heads.one;
        const bias = qkv.bias && qkv.bias + 4 * column;
        kernels.multiply(y, ld, qkv.b + 4 * column * qkv.K, bias, 0, to, heads.ld, tokens, qkv.K, heads.ld);
      }
    });
    for (const [what, norm] of Object.entries({ q: qNorm, k: kNorm })) {
      if (!norm) continue;
      const at = heads.layers[l][what];
      kernels.layerNorm(at, heads.ld, norm.weight, norm.bias, at, heads.heads * tokens, heads.width, this.eps);
    }
    this.rotary?.turn(kernels, heads, l);
    heads.attend(net, l, doors);
    kernels.multiply(heads.output, proj.K, proj.b, proj.bias, x, mid, ld, tokens, proj.K, proj.N);
    this.norm(net, norm2, mid, y);
    mlp.run(kernels, y, ld, mid, x, tokens, this.eps);
  }

  logits(net) {
    return this.readout.run(net, this.x, this.y, this.tokens);
  }
}
