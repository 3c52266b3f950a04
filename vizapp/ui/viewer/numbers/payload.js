// Reads what the server sends for one picture: one binary file, usable while it still streams in.
//
//   "VIZ1" | uint32 length of the header | header (JSON) | blocks
//
// The header names each block: [offset, kind, shape], offset from the end of the header, kind "bytes", "f16", "f32", "i32".
// The first blocks (the picture, and the rows of the query that the classifier reads) are enough for a first heatmap; the header
// says where they end. The rows of other named queries follow, then the layers. A layer has either q, k and the log-sum-exp of
// each row, or its matrices ("dense"), whichever is smaller. In a file that must be small it has only the mean of its heads
// ("mean"). A layer with windows has a matrix for each, (window * head, slot, key slot), and the token in each slot, -1 for
// padding. Layers may have token layouts of their own, and masks (see reach.js). payload.py writes the file.
//
// After the first blocks the rest is requested piece by piece, starting with what is on the stage. A server or proxy that ignores
// the Range header sends the whole file (status 200), which works, too.

import { halfToFloat } from "./half.js";
import { Layout } from "./layout.js";
import { Pieces } from "./pieces.js";

const MOST = 1e6; // bytes of one request, where one layer is no more: what is looked at may change
/** @type {Record<import("../../../vocabulary.js").BlockKind, number>} */
const BYTES = { bytes: 1, f16: 2, f32: 4, i32: 4 };

// The error of a payload that did not arrive: a key of the table of words, and its values.
export class Lost extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/**
 * @typedef {object} CrossBlock attention whose queries are not patches
 * @property {string} name in the network
 * @property {Exclude<import("../../../vocabulary.js").LayerKind, "mean">} kind as of a layer; an "asked" one is too large to be sent
 * @property {number} heads
 * @property {number} width of a query, where factors are sent
 * @property {string[]} queries their names: "cls", "query 17"
 * @property {number} [mask] as of a layer
 * @property {Layout} keys
 *
 * @typedef {object} Layer
 * @property {string} name in the network
 * @property {import("../../../vocabulary.js").LayerKind} kind how its numbers travel; of a "mean" one only the mean of its heads,
 *   those of an "asked" one stay on the server
 * @property {number} heads
 * @property {number} width of a query, where factors are sent
 * @property {number} [mask] the number of the mask that hides some keys
 * @property {boolean} windowed
 * @property {number} windows 1 if it has none
 * @property {number} slots queries in a window
 * @property {number} keySlots keys in a window
 * @property {Layout} queries
 * @property {Layout} keys
 * @property {number} layout the number of the layout of its queries
 * @property {string} like equal for layers whose maps can be compared
 */

export class Payload {
  /** @param {any} header @param {number} headerEnd @param {Uint8Array} buffer */
  constructor(header, headerEnd, buffer) {
    this.url = ""; // of the file
    this.run = ""; // the name by which the server knows the maps
    /** @type {ImageBitmap | null} */
    this.bitmap = null; // the picture, once it is decoded
    /** @type {string} */
    this.id = header.id; // equal for the same picture
    /** @type {string} */
    this.model = header.model;
    /** @type {string[]} */
    this.notes = header.notes;
    /** @type {{page: number, pages: number, isAll: boolean, turns: boolean} | null} */
    this.pages = header.pages ?? null; // of its file, if it has several; `isAll`: no more than these; `turns`: others can be shown
    /** @type {{name: string, number: number, of: number, isBare: boolean, title: string, question: string, answers: string[]} | null} */
    this.lesson = header.lesson ?? null; // the question that the picture's lesson asks about it
    /** @type {string[]} */
    this.prefix = header.prefix;
    /** @type {number[]} */
    this.grid = header.grid;
    /** @type {string} */
    this.readout = header.readout;
    /** @type {string[]} */
    this.named = header.named; // the queries whose rows the server computes
    /** @type {string} */
    this.noChain = header.noChain; // why rollout is not defined; "" if it is
    /** @type {[string, string][]} */
    this.skipped = header.aside; // the name of a layer, and why it is not shown
    /** @type {[string, number][]} */
    this.top = header.top;
    /** @type {string} */
    this.caution = header.caution ?? ""; // why these labels mean nothing for this picture
    /** @type {number[][] | null} */
    this.sinks = header.sinks ?? null; // see keys.js; null: the viewer has to ask for them
    /** @type {{type: string}} */
    this.picture = header.picture;
    /** @type {number[]} */
    this.input = header.input; // height and width of what the model's patches lie on
    /** @type {number[] | null} */
    this.sees = header.sees ?? null; // height and width of what one patch sees, in the same pixels; null: its own cell
    /** @type {number[]} */
    this.window = header.window; // left, top, right, bottom of the model's input, as fractions of the picture
    /** @type {import("./film.js").Said | null} */
    this.film = header.film ?? null; // if the network is shown at a step of its training
    /** @type {{name: string, object: boolean}[]} */
    this.truth = header.truth;
    /** @type {Record<string, [number, string, number[]]>} */
    this.blocks = header.blocks;
    /** @type {Layout[]} */
    this.layouts = header.layouts.map((layout) => new Layout(layout, this.window));
    /** @type {import("../../../vocabulary.js").MaskKind[]} */
    this.masks = header.masks ?? []; // see reach.js
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
    this.isMean = this.layers.some((layer) => layer.kind === "mean"); // then only named queries have single heads
    this.finest = this.finestLayout(); // the grid that rollout ends on, with all prefix tokens
    this.start = headerEnd;
    this.buffer = buffer;
    this.pieces = new Pieces(this.blocks, headerEnd, header.first, buffer.length);
    this.arrived = headerEnd;
    /** @type {Map<string, Float32Array | Int32Array | Uint8Array>} */
    this.decoded = new Map();
  }

  // Fetch the `first` bytes, which a first map needs, or the whole file if `first` is 0. Calls `onFirst(payload)` when they are
  // here, and `onMore(payload)` for each later piece of the same answer. `answer`: the promise of a request made earlier.
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

  // Fetch the pieces that `wanted()` names, one request after the other, until none is missing. `wanted()` is called anew before
  // each, because the reader may turn to another layer meanwhile.
  async fetchRest(wanted, { onMore, signal }) {
    for (let part = this.pieces.next(wanted(), MOST); part; part = this.pieces.next(wanted(), MOST)) {
      const [from, to] = part;
      const response = await fetch(this.url, { signal, headers: { Range: `bytes=${from}-${to - 1}` } });
      if (!response.ok) throw new Lost("load_status", { status: response.status });
      const at = response.status === 206 ? from : 0; // 200: the server ignored Range and sends the whole file
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

  // Whether rollout is defined for this network, and its layers are sent.
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

  // A text that is equal for networks of the same shape: these keep the layer on the stage.
  get shape() {
    return JSON.stringify([this.layers.length, this.layouts.map(({ prefix }) => prefix)]);
  }

  get complete() {
    return this.pieces.isComplete;
  }

  // Forget what lies behind this byte, as if only the file's beginning had arrived.
  set arrived(end) {
    this.pieces.cut(end);
  }

  /**
   * A block as Float32Array (or Uint8Array for "bytes"), decoded once.
   * @param {string} name
   * @param {import("./arena.js").Arena | null} [arena] where to put what is decoded from half precision
   * @returns {any}
   */
  get(name, arena = null) {
    if (!this.decoded.has(name)) this.decoded.set(name, this.decode(name, arena));
    return this.decoded.get(name);
  }

  decode(name, arena) {
    const [offset, kind, shape] = this.blocks[name];
    const length = shape.reduce((a, b) => a * b, 1);
    const at = this.start + offset; // payload.py aligns blocks to 8 bytes, so that every typed array may start there
    if (kind === "bytes") return this.buffer.subarray(at, at + length);
    if (kind === "f32") return new Float32Array(this.buffer.buffer, at, length);
    if (kind === "i32") return new Int32Array(this.buffer.buffer, at, length);
    return halfToFloat(this.halves(name), arena?.take(length));
  }

  // A block in half precision, not decoded: some are too large to be decoded whole.
  halves(name) {
    const [offset, , shape] = this.blocks[name];
    return new Uint16Array(
      this.buffer.buffer,
      this.start + offset,
      shape.reduce((a, b) => a * b, 1),
    );
  }
}

// Read an answer into `buffer` from `at` on. Calls `tell` with the end of each part, and returns the last end.
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
