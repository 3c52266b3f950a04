// Edits of a pass, as docs/edits.md has them: each is one function here, from what it is said to be to the doors it uses.

import { Refused } from "./refused.js";

/** Where an edit may step in while layer `layer` is computed. Rows are views: what is written there is what counts.
 *
 * before      once per layer, with q, k and v made: `of("v", head)` is (tokens, ld), in place
 * attention   softmax's rows `from` to `from + rows` of one head, for edges: `row(i)` of the i-th of them, (tokens)
 * output      what a head writes: `row(token)`, (headDim)
 * tokens      the residual stream after the layer: `row(token)`, (dim), for layers and patches
 * @typedef {{
 *   layer: number,
 *   before?: (of: (what: "q" | "k" | "v", head: number) => Float32Array, heads: import("./heads.js").Heads) => void,
 *   attention?: (head: number, part: { from: number, rows: number, row: (i: number) => Float32Array }) => void,
 *   output?: (head: number, row: (token: number) => Float32Array, tokens: number) => void,
 *   tokens?: (row: (token: number) => Float32Array, tokens: number) => void,
 * }} Door */

/** kind -> (edit, network) -> door. @type {Record<string, (edit: any, net: import("./network.js").Network) => Door>} */
export const EDITS = { HeadOff: headOff };

/** One head switched off: { layer, head, by }, both from 0; layer -1 is the last.
 *
 * "zero": its values are nothing, so it writes nothing; its map stays what it computed. "uniform": its queries are nothing,
 * so that all scores are equal, and its map and what is kept of it say so. "mean": it writes what it writes on average at
 * each position, as the file says; no value of this picture flows through it.
 * @returns {Door} */
function headOff({ layer, head, by = "zero" }, net) {
  const { depth, heads } = net.header;
  const at = layer < 0 ? depth + layer : layer;
  if (!(at >= 0 && at < depth)) throw new Refused("editNoLayer", { layer, layers: depth });
  if (!(head >= 0 && head < heads)) throw new Refused("editNoHead", { head, heads });
  if (by === "zero") return { layer: at, before: (of) => void of("v", head).fill(0) };
  if (by === "uniform") return { layer: at, before: (of) => void of("q", head).fill(0) };
  if (by !== "mean") throw new Refused("editNoWay", { by });
  const { headDim, size, patch, prefix } = net.header;
  const tokens = prefix.length + (size[0] / patch) * (size[1] / patch);
  if (!net.file.has(`means.${at}`)) throw new Refused("editNoMeans");
  const means = net.file.values(`means.${at}`, [heads, tokens, headDim]);
  return {
    layer: at,
    before: (of) => void of("v", head).fill(0),
    output: (which, row) => {
      if (which !== head) return;
      for (let i = 0; i < tokens; i++) {
        const from = (head * tokens + i) * headDim;
        row(i).set(means.subarray(from, from + headDim));
      }
    },
  };
}

/** @param {{ kind: string }[]} edits @param {import("./network.js").Network} net */
export function doorsOf(edits, net) {
  return edits.map((edit) => {
    if (!Object.hasOwn(EDITS, edit.kind)) throw new Refused("editUnknown", { kind: edit.kind });
    return EDITS[edit.kind](edit, net);
  });
}
