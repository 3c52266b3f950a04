// Arrays in a memory of WebAssembly, where a vector is multiplied with many rows four values at a time: two to three times as fast.
// A hover over a large network does that in each of its layers, and rollout for each of its tokens.
//
// Where the browser has no such memory, arrays are plain ones, and products.js multiplies them.

const PAGE = 65536; // bytes, the unit of such a memory
const MOST = 2 ** 30; // bytes: what is larger stays where it is

/** @type {BufferSource | null} */
let source = null;
/** @type {WebAssembly.Module | null} */
let compiled = null;
/** @type {WeakMap<ArrayBufferLike, Arena>} */
const arenas = new WeakMap();

/** From now on, make arenas with rows.wasm; null: make none. @param {BufferSource | null} wasm */
export function load(wasm) {
  source = wasm;
  compiled = null;
}

/** The arena in which an array lies, or undefined. @param {Float32Array} array */
export const arenaOf = (array) => arenas.get(array.buffer);

export class Arena {
  /**
   * @param {number} count values of all arrays together
   * @param {number} most values of the longest vector, and the largest number of rows
   * @returns {Arena | null} null if the browser has none, or if nothing is to lie in it
   */
  static of(count, most) {
    const bytes = 4 * (count + 2 * most);
    if (!source || !count || bytes > MOST) return null;
    try {
      compiled ??= new WebAssembly.Module(source);
      return new Arena(bytes, most);
    } catch {
      return null; // no WebAssembly, none with SIMD, or not so much memory
    }
  }

  constructor(bytes, most) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    this.kernels = /** @type {any} */ (new WebAssembly.Instance(compiled, { env: { memory } }).exports);
    this.values = new Float32Array(memory.buffer);
    this.out = most; // the vector is copied to the beginning, and the products come behind it
    this.next = 2 * most;
    arenas.set(memory.buffer, this);
  }

  /** An array of its own, or null if too little is left of it. @param {number} count */
  take(count) {
    if (this.next + count > this.values.length) return null;
    this.next += count;
    return this.values.subarray(this.next - count, this.next);
  }

  /** As `dots` in products.js: `rows` lie in this arena, and `width` is a multiple of four. */
  dots(vectors, from, rows, start, width, out, count) {
    const { values, kernels } = this;
    for (let i = 0; i < width; i++) values[i] = vectors[from + i];
    kernels.dots(0, rows.byteOffset + 4 * start, width, 4 * this.out, count);
    for (let j = 0; j < count; j++) out[j] = values[this.out + j];
  }
}
