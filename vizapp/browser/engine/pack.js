// A pass of a plain ViT as the file that the viewer reads: the twin of `pack` in ui/viewer/payload.py.
//
// No layer is left out for its size, because there is no server that could send its rows later.

import { TOP_CLASSES } from "../../vocabulary.js";
import { assemble } from "./assemble.js";
import { attended } from "./attended.js";
import { areSmaller, factors } from "./compact.js";
import { maskOf, windowOf } from "./frame.js";
import { floatToHalf } from "./halves.js";
import { probabilities } from "./probabilities.js";
import { countOf, meanOf, namedQueries, weightsOf } from "./queries.js";
import { sha256 } from "./sha256.js";
import { sinks } from "./sinks.js";

/**
 * @typedef {object} Network what is used of the header of its file
 * @property {string} name
 * @property {[number, number]} size
 * @property {number} patch
 * @property {number} heads
 * @property {number} headDim
 * @property {string[]} prefix
 * @property {string[]} labels
 * @property {string} [activation] "softmax", "sigmoid" or "none"; "": softmax of several, sigmoid of one
 * @property {string} readout
 * @property {{heads: number, headDim: number, prefix: boolean} | null} [pooling] attention pooling
 *
 * @typedef {object} Pass
 * @property {Float32Array} logits (class,)
 * @property {import("./compact.js").Layer[]} layers
 * @property {Float32Array | null} [pool] (head, token): what attention pooling looks at
 * @property {Float32Array} norms (layer, token): how long each token is that leaves a block
 *
 * @typedef {object} Said of the picture
 * @property {{bytes: Uint8Array, type: string}} picture as the page shows it, encoded; see encode.js
 * @property {import("./frame.js").Frame} frame
 * @property {string[]} [notes] in words
 * @property {import("./decode.js").Page | null} [pages] of its file, if it has several
 * @property {Record<string, any> | null} [lesson] as the header has it
 * @property {string} [caution] why the network's labels mean nothing for this picture
 * @property {{name: string, object: boolean, mask: Uint8Array}[]} [truth] a byte for each pixel of the picture
 */

/**
 * @param {Pass} pass
 * @param {Network} net
 * @param {Said} said
 * @param {import("./maps.js").HeadMap} headMap
 * @returns {Uint8Array}
 */
export function pack(pass, net, said, headMap) {
  const tokens = { prefix: net.prefix, grid: net.size.map((side) => side / net.patch) };
  const named = namedQueries(net.readout);
  const seen = layersOf(pass, net, tokens, named, headMap);
  const { blocks, nFirst } = blocksOf(seen, named, tokens, said);
  if (pass.pool) blocks.set("cross.dense.0", pooledRows(net, pass.pool, tokens));
  const { bytes, type } = said.picture;
  const [left, top, right, bottom] = windowOf(said.frame);
  const [height, width] = said.frame.picture;
  const received = seen.attended.map((layer) => layer.received);
  const n = countOf(tokens);
  const norms = received.map((_, layer) => pass.norms.subarray(layer * n, (layer + 1) * n));
  const header = {
    model: net.name,
    notes: said.notes ?? [],
    pages: said.pages ?? null,
    lesson: said.lesson ?? null,
    layouts: [tokens],
    layers: seen.kinds.map((kind, layer) => about(`blocks.${layer}.attn`, kind, net.heads, n, net.headDim)),
    prefix: tokens.prefix,
    grid: tokens.grid,
    readout: named[0],
    named,
    ...(pass.pool ? crossOf(net, tokens) : {}),
    noChain: "",
    aside: [],
    top: most(pass.logits, net),
    caution: said.caution ?? "",
    sinks: sinks(tokens, norms, received),
    picture: { type },
    // Under another model the same picture keeps the chosen patch, its marks and its outline. A hash recognises it, as the same
    // picture may come under several names.
    id: sha256(bytes),
    input: said.frame.input,
    film: null,
    truth: (said.truth ?? []).map(({ name, object }) => ({ name, object })),
    window: [left / width, top / height, right / width, bottom / height],
  };
  return assemble(header, blocks, nFirst);
}

// The numbers of all layers as they are sent, by their names in the file and last layer first, and what the queries attend to.
function layersOf(pass, { heads, headDim: width }, tokens, named, headMap) {
  const shape = { heads, tokens: countOf(tokens), width };
  const sent = pass.layers.map((layer) => (areSmaller(shape) ? factors(layer, shape, headMap) : null));
  const dense = new Map();
  // Each matrix exists for a moment, and only where factors are not smaller or do not fit: a picture of few patches.
  const onMap = (layer, map) => !sent[layer] && dense.set(layer, floatToHalf(map));
  const queries = named.map((name) => weightsOf(name, tokens, pass.pool));
  const found = attended(pass.layers, shape, queries, headMap, sent.every(Boolean) ? undefined : onMap);
  const numbers = new Map();
  for (let layer = sent.length - 1; layer >= 0; layer--) {
    for (const [name, data] of Object.entries(sent[layer] ?? { dense: dense.get(layer) })) {
      numbers.set(`${name}.${layer}`, { data, shape: shapeOf(name, shape) });
    }
  }
  const kinds = sent.map((one) => (one ? "factors" : "dense"));
  return { numbers, kinds, attended: found.layers, rollouts: found.rollouts, weights: queries };
}

function shapeOf(name, { heads, tokens, width }) {
  return { lse: [heads, tokens], dense: [heads, tokens, tokens] }[name] ?? [heads, tokens, width];
}

// What a first map needs comes first, then the rest in the order in which it is looked at.
function blocksOf({ numbers, attended: layers, rollouts, weights }, named, tokens, { picture, frame, truth = [] }) {
  /** @type {Map<string, import("./assemble.js").Block>} */
  const blocks = new Map();
  const put = (name, data, shape = [data.length]) => blocks.set(name, { data, shape });
  put("picture", picture.bytes);
  truth.forEach(({ mask }, i) => put(`truth.${i}`, packedBits(maskOf(frame, mask))));
  named.forEach((name, i) => put(`weights.${name}.0`, weights[i]));
  const rows = (i) => floatToHalf(joined(layers.map((layer) => layer.rows[i])));
  put(`rows.${named[0]}`, rows(0));
  const n = countOf(tokens);
  // Decides on which layer a picture opens, before the heads' own rows have arrived.
  if (named.length > 1) put("opening", floatToHalf(joined(layers.map((layer) => meanOf(layer.rows[1], n)))));
  const nFirst = blocks.size;
  for (let i = 1; i < named.length; i++) put(`rows.${named[i]}`, rows(i));
  named.forEach((name, i) => put(`rollout.${name}`, rollouts[i], [layers.length, n]));
  for (const [name, block] of numbers) blocks.set(name, block);
  return { blocks, nFirst };
}

// Attention pooling: its query is no patch. One row of each head is less than what it is made of.
/** @param {Network} net @param {import("./queries.js").Tokens} tokens */
function crossOf(net, tokens) {
  const { heads, headDim: width } = net.pooling;
  const keys = keysOf(net, tokens);
  return { cross: [{ name: "attn_pool", heads, kind: "dense", width, queries: ["query 0"], keys }] };
}

/** @param {Network} net @param {Float32Array} pool (head, token) @param {import("./queries.js").Tokens} tokens */
function pooledRows(net, pool, tokens) {
  const [n, keys] = [countOf(tokens), countOf(keysOf(net, tokens))];
  const rows = Array.from({ length: net.pooling.heads }, (_, head) => pool.subarray((head + 1) * n - keys, (head + 1) * n));
  return { data: floatToHalf(joined(rows)), shape: [rows.length, 1, keys] };
}

// The tokens that it looks at: all, or only the patches.
/** @param {Network} net @param {import("./queries.js").Tokens} tokens */
const keysOf = ({ pooling }, { prefix, grid }) => ({ prefix: pooling.prefix ? prefix : [], grid });

function about(name, kind, heads, n, width) {
  const places = { queries: 0, keys: 0, windowed: false, windows: 1, slots: n, keySlots: n };
  return { name, heads, kind, width, ...places };
}

// [label, probability] of the most probable classes, none of a regression.
/** @param {ArrayLike<number>} logits @param {Network} net */
function most(logits, { labels, activation }) {
  if (activation === "none") return [];
  const shares = probabilities(logits, activation);
  return labels
    .map((label, i) => /** @type {[string, number]} */ ([label, Math.fround(shares[i])]))
    .sort((a, b) => b[1] - a[1])
    .slice(0, TOP_CLASSES);
}

function joined(parts) {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// Eight to a byte, the first the highest, as numpy's `packbits`.
function packedBits(mask) {
  const bits = new Uint8Array(Math.ceil(mask.length / 8));
  mask.forEach((value, i) => (bits[i >> 3] |= value ? 0x80 >> (i & 7) : 0));
  return bits;
}
