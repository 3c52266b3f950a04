// Edits of a pass, as docs/python.md has them: { kind: "head-off", layer: 5, head: 3 }. Names, settings and numbers are those of
// Python's vizapp/core/interventions; tests/support/edit_cases.json holds for both.

import { Refused } from "./refused.js";

/** The places where an edit may change layer `layer` while it is computed. Rows are views: the edit writes into them.
 *
 * before      once per layer, with q, k and v made: `of("v", head)` is (tokens, ld), in place
 * attention   softmax's rows `from` to `from + rows` of one head, for edges: `row(i)` of the i-th of them, (tokens)
 * output      what a head writes: `row(token)`, (headDim)
 * tokens      the residual stream after the layer: `row(token)`, (dim), for layers and patches
 * @typedef {{
 *   before?: (of: (what: "q" | "k" | "v", head: number) => Float32Array, heads: import("./heads.js").Heads) => void,
 *   attention?: (head: number, part: { from: number, rows: number, row: (i: number) => Float32Array }) => void,
 *   output?: (head: number, row: (token: number) => Float32Array, tokens: number) => void,
 *   tokens?: (row: (token: number) => Float32Array, tokens: number) => void,
 * }} Steps
 * @typedef {Steps & { layer: number }} Door
 *
 * A kind of edit: its settings besides the layer, with their defaults, and the steps that it takes. Its layer is one of the
 * network's, from 0, and so is its head, if it has that setting.
 * @typedef {{ settings: Record<string, unknown>, steps: (edit: any, net: import("./network.js").Network) => Steps }} Kind */

/** @type {Record<string, Kind>} */
export const EDITS = {
  "head-off": { settings: { head: undefined, by: "zero" }, steps: headOff },
};

/** What a switched-off head writes. "zero": its values are zero, so it writes nothing; its map stays as computed. "uniform": its
 * queries are zero, and nothing is added to its scores, so they are equal, and its map and the kept numbers show that. "mean":
 * its average output at each position, from the network's file; no value of this picture flows through it.
 * @type {Partial<Record<import("../../vocabulary.js").HeadOffWay, Kind["steps"]>>} */
const WAYS = {
  zero: ({ head }) => ({ before: (of) => void of("v", head).fill(0) }),
  uniform: ({ layer, head }) => ({
    before: (of, heads) => {
      of("q", head).fill(0);
      heads.relative?.without.add(`${layer}.${head}`);
    },
  }),
  mean: meanOf,
};

/** @type {Kind["steps"]} */
function headOff(edit, net) {
  const by = String(edit.by);
  if (!Object.hasOwn(WAYS, by)) throw new Refused("editNoWay", { by, ways: Object.keys(WAYS).join(", ") });
  return WAYS[by](edit, net);
}

/** @type {Kind["steps"]} */
function meanOf({ layer, head }, net) {
  const { heads, headDim } = net.header;
  const { tokens } = net;
  if (!net.file.has(`means.${layer}`)) throw new Refused("editNoMeans");
  const means = net.file.values(`means.${layer}`, [heads, tokens, headDim]);
  return {
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

/** The steps of `edits`, in order; a repeated edit is applied once. Throws `Refused` for edits that this network does not have.
 * @param {any[]} edits @param {import("./network.js").Network} net @returns {Door[]} */
export function doorsOf(edits, net) {
  const each = [];
  for (const edit of edits.map((one) => whole(one, net.header))) {
    const { kind, layer, head } = edit;
    const others = each.filter((one) => one.kind === kind && one.layer === layer && one.head === head);
    if (others.some((one) => Object.keys(edit).every((name) => Object.is(one[name], edit[name])))) continue;
    if ("head" in edit && others.length) throw new Refused("editTwice", { kind, layer, head });
    each.push(edit);
  }
  return each.map((edit) => ({ ...EDITS[edit.kind].steps(edit, net), layer: edit.layer }));
}

// An edit with all its settings, its layer counted from the front.
function whole({ kind, layer, ...given }, { depth, heads }) {
  if (!Object.hasOwn(EDITS, kind)) throw new Refused("editUnknown", { kind: String(kind) });
  const { settings } = EDITS[kind];
  for (const name in given) if (!Object.hasOwn(settings, name)) throw new Refused("editNoSetting", { kind, name });
  if (!isIndex(layer, -depth, depth)) throw new Refused("editNoLayer", { layer: String(layer), layers: depth });
  /** @type {any} */
  const edit = { kind, layer: (layer + depth) % depth, ...settings, ...given };
  if ("head" in edit && !isIndex(edit.head, 0, heads)) throw new Refused("editNoHead", { head: String(edit.head), heads });
  return edit;
}

const isIndex = (value, least, count) => Number.isInteger(value) && value >= least && value < count;
