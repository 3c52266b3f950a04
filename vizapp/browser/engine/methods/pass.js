// Helpers of the methods: a pass whose layers outlive the next one, the maps of a layer, the query that the classifier reads.

import { namedQueries, weightsOf } from "../queries.js";

/** Layers of a pass, copied. @param {import("./index.js").Seen} seen @returns {import("../network.js").LayerPass[]} */
export function layersOf({ net, pixels }) {
  const { layers } = net.forward(pixels);
  return layers.map(copied);
}

/** @param {import("../network.js").LayerPass} layer @returns {import("../network.js").LayerPass} */
export const copied = ({ q, k, v, lse, bias }) => ({ q: q.slice(), k: k.slice(), v: v.slice(), lse: lse.slice(), bias });

/** @param {import("../network.js").Network} net */
export const shapeOf = (net) => ({ heads: net.header.heads, tokens: net.tokens, width: net.header.headDim });

/** The classifier's query as weights on the tokens, after a pass. @param {import("../network.js").Network} net */
export function readout({ header, pool }) {
  const tokens = { prefix: header.prefix, grid: gridOf(header) };
  return weightsOf(namedQueries(header.readout)[0], tokens, pool);
}

/** Rows and columns of patches. @param {Record<string, any>} header @returns {[number, number]} */
export const gridOf = ({ size: [height, width], patch }) => [height / patch, width / patch];

/** Attention of a layer, (head, query, key).
 * @param {import("./index.js").Seen} seen @param {import("../network.js").LayerPass} layer */
export function mapsOf({ net, headMap }, { q, k, bias }) {
  const { heads, tokens, width } = shapeOf(net);
  const maps = new Float32Array(heads * tokens * tokens);
  const lse = new Float32Array(tokens);
  for (let head = 0; head < heads; head++) {
    const [from, to] = [head * tokens * width, (head + 1) * tokens * width];
    const own = maps.subarray(head * tokens * tokens, (head + 1) * tokens * tokens);
    headMap(q.subarray(from, to), k.subarray(from, to), tokens, width, own, lse, bias?.(head));
  }
  return maps;
}

/** The values of the patches, without those of the prefix. @param {import("../network.js").Network} net
 * @param {ArrayLike<number>} values (token,) */
export const onPatches = (net, values) => Float32Array.from(values).subarray(net.header.prefix.length);
