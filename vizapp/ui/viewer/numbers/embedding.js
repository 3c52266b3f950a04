// How the pixels of a patch become its token: the numbers that the server sends (answers/embedding.py), and sums of them.

import { floatsOf } from "./base64.js";
import { ALL, sum } from "./steps.js";

export class Embedding {
  /** @param {any} answer */
  constructor({ vectors, dimensions }) {
    const of = (name) => (vectors[name] ? floatsOf(vectors[name][1]) : null);
    const [channels, height, width] = vectors.pixels[0];
    this.channels = channels;
    this.height = height;
    this.width = width;
    /** @type {number[]} numbers of the token whose weights are known */
    this.dimensions = dimensions;
    this.pixels = /** @type {Float32Array} */ (of("pixels")); // normalised, (channel, row, column)
    this.weights = /** @type {Float32Array} */ (of("weights"));
    this.bias = /** @type {Float32Array} */ (of("bias"));
    this.made = /** @type {Float32Array} */ (of("made")); // the output of the linear map
    this.token = /** @type {Float32Array} */ (of("token")); // as it enters the first layer
    this.position = of("position"); // null: the token is more than a sum of the linear map and a position
  }

  /** The vector that the sums here explain: the token, or what the norm before the first layer turns into it. */
  get explained() {
    return this.position ? this.token : this.made;
  }

  /** Whether a position is added. Networks with rotary positions add nothing. */
  get hasPlace() {
    return this.position?.some((value) => value !== 0) ?? false;
  }

  /** The number of the token to look at: the wanted one, or the largest. @param {number | null} wanted */
  chosen(wanted) {
    if (wanted !== null && this.dimensions.includes(wanted)) return wanted;
    const size = (i) => Math.abs(this.explained[i]);
    return this.dimensions.reduce((best, i) => (size(i) > size(best) ? i : best));
  }

  /** The weights of one number of the token, in the shape of the pixels. @param {number} dimension */
  filter(dimension) {
    const at = this.dimensions.indexOf(dimension) * this.pixels.length;
    return this.weights.subarray(at, at + this.pixels.length);
  }

  /** pixel x weight, for each colour. @param {number} dimension */
  products(dimension) {
    return this.filter(dimension).map((weight, i) => weight * this.pixels[i]);
  }

  /** @param {number} dimension */
  sumOf(dimension) {
    const bias = this.bias[this.dimensions.indexOf(dimension)];
    const position = this.position ? this.position[dimension] : null;
    return { dot: sum(this.products(dimension)), bias, position, made: this.made[dimension], token: this.token[dimension] };
  }

  /** Bars for all numbers of a short token, or for those whose weights were sent. @param {Float32Array} values */
  bars(values) {
    const shown = values.length <= ALL ? Array.from(values, (_, i) => i) : this.dimensions;
    return shown.map((index) => ({ value: values[index], index }));
  }
}
