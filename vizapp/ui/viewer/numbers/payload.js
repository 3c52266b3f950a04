// What the server sends for one picture: one binary file, read as it streams in.
//
//   "VIZ1" | uint32 length of the header | header (JSON) | blocks
//
// The header names each block: [offset, kind, shape], offset from the end of the header, kind "bytes", "f16", "f32", "i32".
// The first blocks (the picture, the rows of what the classifier reads) are enough for a first heatmap; the header says where
// they end. Then the rows of other named queries, and layer by layer q, k and the log-sum-exp of each row, or the matrices
// ("dense"), whichever is smaller, or, where a file is to be small, the mean of the heads ("mean"); of attention in windows those of each window, (window * head, slot, key slot), with the
// token that stands in each slot, -1 for padding. Layers may have token layouts of their own. See payload.py, which writes it.
//
// After the first blocks the rest is asked for piece by piece, in the order of what is looked at. A server or proxy that
// does not know parts of files sends it whole, and that is taken, too.

import { halfToFloat } from "./half.js";
import { Layout } from "./layout.js";
import { Pieces } from "./pieces.js";

const MOST = 1e6; // bytes of one request, where one layer is no more: what is looked at may change
const BYTES = { bytes: 1, f16: 2, f32: 4, i32: 4 };

// Why a payload did not come: a key of the table of words, and its values.
export class Lost extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/**
 * @typedef {object} CrossBlock attention whose queries are no patches
 * @property {string} name in the network
 * @property {"factors" | "dense" | "asked"} kind as of a layer; an "asked" one is too large to be sent
 * @property {number} heads
 * @property {number} width of a query, where factors are sent
 * @property {string[]} queries their names: "cls", "query 17"
 * @property {Layout} keys
 *
 * @typedef {object} Layer
 * @property {string} name in the network
 * @property {"factors" | "dense" | "mean" | "asked"} kind how its numbers travel; of a "mean" one only the mean of its heads,
 *   those of an "asked" one stay on the server
 * @property {number} heads
 * @property {number} width of a query, where factors are sent
 * @property {boolean} windowed
 * @property {number} windows 1 where there are none
 * @property {number} slots queries in a window
 * @property {number} keySlots keys in a window
 * @property {Layout} queries
 * @property {Layout} keys
 * @property {number} layout the number of the layout of its queries
 * @property {string} like the same for layers whose maps can be compared
 */

export class Payload {
  /** @param {any} header @param {number} headerEnd @param {Uint8Array} buffer */
  constructor(header, headerEnd, buffer) {
    this.url = ""; // where the rest is
    this.run = ""; // by this name the server knows the maps
    /** @type {ImageBitmap | null} */
    this.bitmap = null; // the picture, once it is decoded
    /** @type {string} */
    this.id = header.id; // the same for the same picture
    /** @type {string} */
    this.model = header.model;
    /** @type {string[]} */
    this.notes = header.notes;
    /** @type {{name: string, number: number, of: number, isBare: boolean, title: string, question: string, answers: string[]} | null} */
    this.lesson = header.lesson ?? null; // what is asked of the picture, by the lesson that it is of
    /** @type {string[]} */
    this.prefix = header.prefix;
    /** @type {number[]} */
    this.grid = header.grid;
    /** @type {string} */
    this.readout = header.readout;
    /** @type {string[]} */
    this.named = header.named; // the queries whose rows are sent ready
    /** @type {string} */
    this.noChain = header.noChain; // why rollout is not defined, if it is not
    /** @type {[string, string][]} */
    this.skipped = header.aside; // the name of a layer, and why it is not shown
    /** @type {[string, number][]} */
    this.top = header.top;
    /** @type {string} */
    this.caution = header.caution ?? ""; // why these labels mean nothing for this picture
    /** @type {number[][] | null} */
    this.sinks = header.sinks ?? null; // see keys.js; null: to be asked for
    /** @type {{type: string}} */
    this.picture = header.picture;
    /** @type {number[]} */
    this.input = header.input; // height and width of what the model saw
    /** @type {number[]} */
    this.window = header.window; // left, top, right, bottom of what the model saw, in shares of the picture
    /** @type {import("./film.js").Said | null} */
    this.film = header.film ?? null; // of a network that is shown at a step of its training
    /** @type {{name: string, object: boolean}[]} */
    this.truth = header.truth;
    /** @type {Record<string, [number, string, number[]]>} */
    this.blocks = header.blocks;
    /** @type {Layout[]} */
    this.layouts = header.layouts.map((layout) => new Layout(layout, this.window));
    /** @type {Layer[]} */
    this.layers = header.layers.map((layer) => ({
      ...layer,
      layout: layer.queries,
      like: `${layer.queries} ${layer.keys}`,
      queries: this.layouts[layer.queries],
      keys: this.layouts[layer.keys],
    }));
    /** @type {CrossBlock[]} */
    this.cross = (header.cross ?? []).map((block) => ({ ...block, keys: new Layout(block.keys, this.window) }));
    this.isPlain = this.layouts.length === 1 && !this.layers.some((layer) => layer.windowed);
    this.isLarge = this.layers.some((layer) => layer.kind === "asked");
    this.isMean = this.layers.some((layer) => layer.kind === "mean"); // of queries that are not named no head alone is here
    this.finest = this.finestLayout(); // the grid that rollout ends on, with all prefix tokens
    this.start = headerEnd;
    this.buffer = buffer;
    this.pieces = new Pieces(this.blocks, headerEnd, header.first, buffer.length);
    this.arrived = headerEnd;
    /** @type {Map<string, Float32Array | Int32Array | Uint8Array>} */
    this.decoded = new Map();
  }

  // Fetch what a first map needs, or all where `first` is not told; `onFirst(payload)` when it is there, `onMore(payload)` for
  // each later piece of the same answer. `answer`: it was asked for before.
  static async load(url, { bytes, first = 0, answer = null }, { onFirst, onMore, signal }) {
    const response = await (answer ?? fetch(url, { signal, headers: first ? { Range: `bytes=0-${first - 1}` } : {} }));
    if (!response.ok) throw new Lost("load_status", { status: response.status });
    const buffer = new Uint8Array(bytes);
    /** @type {any} */
    let payload = null;
    let isBegun = false;
    await streamed(response, buffer, 0, (arrived) => {
      payload = payload || Payload.parse(buffer, arrived);
      if (!payload) return;
      payload.pieces.note(0, arrived);
      if (!isBegun && payload.has("picture") && payload.hasFirst()) {
        isBegun = true;
        onFirst(payload);
      } else if (isBegun) {
        onMore(payload);
      }
    });
    if (!isBegun) throw new Lost("load_short");
    payload.url = url;
    return payload;
  }

  // Fetch the pieces that `wanted()` names, one after the other, until there is none. What is wanted may change meanwhile.
  async fetchRest(wanted, { onMore, signal }) {
    for (let part = this.pieces.next(wanted(), MOST); part; part = this.pieces.next(wanted(), MOST)) {
      const [from, to] = part;
      const response = await fetch(this.url, { signal, headers: { Range: `bytes=${from}-${to - 1}` } });
      if (!response.ok) throw new Lost("load_status", { status: response.status });
      const at = response.status === 206 ? from : 0;
      const end = await streamed(response, this.buffer, at, (arrived) => {
        this.pieces.note(at, arrived);
        onMore(this);
      });
      if (end < to) throw new Lost("load_short");
    }
  }

  // The payload once its header has arrived, else null.
  static parse(buffer, arrived) {
    if (arrived < 8) return null;
    const length = new DataView(buffer.buffer).getUint32(4, true);
    if (arrived < 8 + length) return null;
    const header = JSON.parse(new TextDecoder().decode(buffer.subarray(8, 8 + length)));
    return new Payload(header, 8 + length, buffer);
  }

  finestLayout() {
    const { queries, keys } = this.layers[0];
    if (this.isPlain) return queries;
    const prefix = [...new Set(this.layouts.flatMap((layout) => layout.prefix))];
    const { grid } = queries.tokens - queries.first >= keys.tokens - keys.first ? queries : keys;
    return new Layout({ prefix, grid }, this.window);
  }

  // Is rollout defined for this network, and is all that it needs here?
  get canRoll() {
    return !this.noChain && !this.isLarge;
  }

  has(name) {
    if (!(name in this.blocks)) return false;
    const [offset, kind, shape] = this.blocks[name];
    const from = this.start + offset;
    return this.pieces.has(from, from + BYTES[kind] * shape.reduce((a, b) => a * b, 1));
  }

  hasFirst() {
    return this.pieces.all[0].arrived >= this.pieces.all[0].to;
  }

  hasLayer(layer) {
    const { kind, windowed } = this.layers[layer];
    const parts = { dense: ["dense"], factors: ["q", "k", "lse"], mean: ["mean"], asked: ["never"] }[kind];
    return [...parts, ...(windowed ? ["queries", "keys"] : [])].every((part) => this.has(`${part}.${layer}`));
  }

  hasCross(block) {
    const parts = { dense: ["dense"], factors: ["q", "k", "lse"], asked: ["never"] }[this.cross[block].kind];
    return parts.every((part) => this.has(`cross.${part}.${block}`));
  }

  async decodePicture() {
    if (this.bitmap) return;
    const blob = new Blob([this.get("picture")], { type: this.picture.type });
    this.bitmap = await createImageBitmap(blob);
  }

  get complete() {
    return this.pieces.isComplete;
  }

  // As if the file had come from its beginning to this byte, and no further.
  set arrived(end) {
    this.pieces.cut(end);
  }

  /** A block as Float32Array (or Uint8Array for "bytes"), decoded once. @param {string} name @returns {any} */
  get(name) {
    if (!this.decoded.has(name)) this.decoded.set(name, this.decode(name));
    return this.decoded.get(name);
  }

  decode(name) {
    const [offset, kind, shape] = this.blocks[name];
    const length = shape.reduce((a, b) => a * b, 1);
    const at = this.start + offset; // a multiple of 8, so that every typed array may start there
    if (kind === "bytes") return this.buffer.subarray(at, at + length);
    if (kind === "f32") return new Float32Array(this.buffer.buffer, at, length);
    if (kind === "i32") return new Int32Array(this.buffer.buffer, at, length);
    return halfToFloat(this.halves(name));
  }

  // A block of half precision as it came, for those too large to be decoded whole.
  halves(name) {
    const [offset, , shape] = this.blocks[name];
    return new Uint16Array(
      this.buffer.buffer,
      this.start + offset,
      shape.reduce((a, b) => a * b, 1),
    );
  }
}

// Read an answer into `buffer` from `at` on, and tell after each part where it ends; the last such place.
async function streamed(response, buffer, at, tell) {
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return at;
    if (at + value.length > buffer.length) throw new Lost("load_short");
    buffer.set(value, at);
    at += value.length;
    tell(at);
  }
}
