// A network in the browser: reads its file, and runs forward passes that keep what vizapp captures in Python.
//
//   const net = await Network.open(bytes, wasm);      // Uint8Array each; `kernelsFile()` says which of the two
//   const pass = net.forward(pixels);                 // Float32Array (channels, height, width), normalised
//
// A pass consists of views of the network's memory, which the next pass overwrites: copy what must outlive it. A forward pass
// allocates nothing else, so occlusion and RISE can run thousands.

import { Crate } from "./crate.js";
import { doorsOf } from "./edits.js";
import { Embedding } from "./embedding.js";
import { NetworkFile } from "./file.js";
import { Heads } from "./heads.js";
import { Refused } from "./refused.js";
import { Memory } from "./memory.js";
import { ViT } from "./vit.js";
import { Weights } from "./weights.js";

const KINDS = { vit: ViT, crate: Crate };
const LIMIT = 2 ** 30; // bytes: a phone gives a page about this much

// The smallest module with a fused multiply-add: () -> v128, relaxed_madd of three zeros. If a browser accepts it, it also
// accepts the kernels that use the instruction.
const ZERO = [0xfd, 12, ...new Array(16).fill(0)];
const BODY = [0, ...ZERO, ...ZERO, ...ZERO, 0xfd, 0x85, 2, 0x0b];
const PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, BODY.length + 2, 1, BODY.length, ...BODY];

/** The file of kernels for this browser: the one with fused multiply-add, or the one for all. */
export const kernelsFile = () => (WebAssembly.validate(Uint8Array.from(PROBE)) ? "kernels.relaxed.wasm" : "kernels.wasm");

/** The results of a pass. q is scaled; q, k, v are (heads, tokens, headDim), lse is (heads, tokens), norms (layers, tokens).
 * `bias` gives what is added to the scores of a head, (tokens, tokens), and is null where nothing is. `pool` is what each head
 * of attention pooling looks at, (heads, tokens); null without it.
 * @typedef {((head: number) => Float32Array) | null} Bias
 * @typedef {{ q: Float32Array, k: Float32Array, v: Float32Array, lse: Float32Array, bias: Bias }} LayerPass
 * @typedef {{ logits: Float32Array, layers: LayerPass[], norms: Float32Array, pool: Float32Array | null,
 *   tokens: (layer: number) => Float32Array }} Pass
 * @typedef {{ edits?: any[], keep?: boolean }} Options */

export class Network {
  /** @param {NetworkFile} file */
  constructor(file) {
    const { header } = file;
    if (!Object.hasOwn(KINDS, header.kind)) throw new Refused("networkKind", { kind: String(header.kind) });
    const room = new Memory();
    const weights = new Weights(file, room);
    this.file = file;
    this.header = header;
    this.room = room;
    this.embedding = new Embedding(header, weights);
    this.tokens = this.embedding.tokens;
    this.heads = new Heads(header, this.tokens, weights);
    this.body = new KINDS[header.kind](header, weights, this.heads, this.tokens);
    this.norms = room.take(header.depth * this.tokens);
    this.kept = null; // the residual stream after each layer, once it was requested
    this.turn = 0; // the number of the pass that owns the memory
    /** @type {any} */
    this.kernels = null;
    this.floats = new Float32Array(0); // the whole memory
  }

  /** Read a network. Throws `Refused`, whose key and values explain why, if it is too large or has an unknown format.
   * @param {Uint8Array} bytes @param {BufferSource} wasm @param {{ limit?: number }} [options] limit of memory, in bytes */
  static async open(bytes, wasm, { limit = LIMIT } = {}) {
    const net = new Network(new NetworkFile(bytes));
    const memory = net.room.open(limit);
    const { instance } = await WebAssembly.instantiate(wasm, { env: { memory } });
    net.kernels = instance.exports;
    net.floats = new Float32Array(memory.buffer);
    return net;
  }

  /** Run a pass; null if `isStale` became true between two layers. `onLayer` is called with the layers done and their number.
   * @param {Float32Array} pixels
   * @param {Options & { onLayer?: (done: number, of: number) => void, isStale?: () => boolean }} [options]
   * @returns {Pass | null} */
  forward(pixels, { onLayer, isStale, ...options } = {}) {
    const steps = this.steps(pixels, options);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      onLayer?.(Number(step.value), this.header.depth);
      if (isStale?.()) return null;
    }
  }

  /** Run a pass step by step: yields the number of layers done after each. Between two steps a Worker can receive a message that
   * stops it, and a page stays responsive. A pass that another one has overtaken ends with null.
   * @param {Float32Array} pixels @param {Options} [options] @returns {Generator<number, Pass | null>} */
  *steps(pixels, { edits = [], keep = false } = {}) {
    const turn = ++this.turn;
    const { body, kernels, floats, tokens, header } = this;
    const { depth, dim } = header;
    const doors = doorsOf(edits, this);
    this.heads.relative?.without.clear();
    if (keep) this.kept ??= new Float32Array(depth * tokens * dim);
    this.embedding.run(this, pixels, body.x);
    body.begin(this);
    for (let l = 0; l < depth; l++) {
      const here = doors.filter(({ layer }) => layer === l);
      body.layer(this, l, here);
      const row = (token) => {
        const from = (body.x >> 2) + token * body.ld;
        return floats.subarray(from, from + dim);
      };
      for (const door of here) door.tokens?.(row, tokens);
      kernels.lengths(body.x, body.ld, this.norms + 4 * l * tokens, tokens, dim);
      if (keep) for (let i = 0; i < tokens; i++) this.kept.set(row(i), (l * tokens + i) * dim);
      yield l + 1;
      if (this.turn !== turn) return null;
    }
    return this.pass(body.logits(this), keep);
  }

  /** Tokens (token, dim) as they enter the first layer. Overwrites the stream, which a finished pass no longer needs.
   * @param {Float32Array} pixels */
  entering(pixels) {
    const { body, tokens, floats } = this;
    const { dim } = this.header;
    this.embedding.run(this, pixels, body.x);
    body.begin(this);
    const entered = new Float32Array(tokens * dim);
    for (let token = 0; token < tokens; token++) {
      const from = (body.x >> 2) + token * body.ld;
      entered.set(floats.subarray(from, from + dim), token * dim);
    }
    return entered;
  }

  /** What attention pooling looked at in the last pass, (heads, tokens); null without it. */
  get pool() {
    return this.body.readout.pooling?.maps ?? null;
  }

  /** @returns {Pass} */
  pass(logits, keep) {
    if (!logits.every(Number.isFinite)) throw new Refused("networkNoNumbers");
    const { floats, heads, tokens, kept } = this;
    const { depth, dim } = this.header;
    const part = (address, count) => floats.subarray(address >> 2, (address >> 2) + count);
    return {
      logits,
      layers: heads.layers.map(({ lse }, l) => ({
        q: heads.all(floats, "q", l),
        k: heads.all(floats, "k", l),
        v: heads.all(floats, "v", l),
        lse: part(lse, heads.heads * tokens),
        bias: heads.relative ? (head) => heads.relative.of(l, head) : null,
      })),
      norms: part(this.norms, depth * tokens),
      pool: this.pool,
      tokens: (layer) => {
        if (!keep) throw new Error("The residual stream is kept only by a pass that was told to: { keep: true }.");
        return kept.subarray(layer * tokens * dim, (layer + 1) * tokens * dim);
      },
    };
  }
}
