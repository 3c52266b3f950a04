// What a head writes into the residual stream of a token: f(x) = v W_O, layer scale included (of core/signals/values.py what our
// own networks need).

import { shapeOf } from "./pass.js";

/** @param {import("../network.js").Network} net @param {number} layer */
export function writer(net, layer) {
  const { heads, tokens, width } = shapeOf(net);
  const { dim, layerScale } = net.header;
  const at = `blocks.${layer}`;
  const weight = net.file.values(`${at}.attn.proj.weight`, [dim, heads * width]);
  const scale = layerScale ? net.file.values(`${at}.ls1.gamma`, [dim]) : new Float32Array(dim).fill(1);
  const bias = net.file.has(`${at}.attn.proj.bias`) ? net.file.values(`${at}.attn.proj.bias`, [dim]) : new Float32Array(dim);
  /** Into (head, dim), of one token. @param {Float32Array} v (head, token, width) @param {number} token
   * @param {Float32Array | Float64Array} into */
  const write = (v, token, into) => {
    for (let head = 0; head < heads; head++) {
      const from = (head * tokens + token) * width;
      for (let i = 0; i < dim; i++) {
        let sum = 0;
        for (let c = 0, w = (i * heads + head) * width; c < width; c++, w++) sum += weight[w] * v[from + c];
        into[head * dim + i] = sum * scale[i];
      }
    }
  };
  return { write, bias: bias.map((value, i) => value * scale[i]) };
}
