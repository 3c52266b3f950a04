// Weights of a file as the kernels read them: rows padded to groups of eight, matrices in panels (kernels.ts says why).

import { up } from "./memory.js";

/** A linear layer in memory. @typedef {{ b: number, bias: number, K: number, N: number }} Linear */

export class Weights {
  /** @param {import("./file.js").NetworkFile} file @param {import("./memory.js").Memory} room */
  constructor(file, room) {
    this.file = file;
    this.room = room;
  }

  /** `count` numbers, one for each channel. @param {string} name @param {number} count @param {number} [factor] */
  vector(name, count, factor = 1) {
    return this.room.take(up(count, 8), (to) => {
      const values = this.file.values(name, [count]);
      for (let i = 0; i < count; i++) to[i] = values[i] * factor;
    });
  }

  /** Weight and bias of a layer norm. @param {string} name @param {number} count @param {number} [factor] of what it gives */
  norm(name, count, factor = 1) {
    return { weight: this.vector(`${name}.weight`, count, factor), bias: this.vector(`${name}.bias`, count, factor), D: count };
  }

  /** What `torch.nn.Linear` calls NAME: weight (outputs, inputs) and bias, if there is one.
   *
   * rows, columns   which output or input stands in which place, -1 for padding; without them, in their order. So heads
   *                 whose width is no multiple of eight get room, and zeros in it
   * factor          of an output, by its index: a scale that follows costs nothing if the weights have it already
   * @param {string} name @param {number[]} shape
   * @param {{ rows?: number[], columns?: number[], factor?: (output: number) => number }} [how]
   * @returns {Linear} */
  linear(name, shape, how = {}) {
    const bias = this.file.has(`${name}.bias`) ? this.padded(`${name}.bias`, shape[0], how) : 0;
    return { ...this.matrix(`${name}.weight`, shape, how), bias };
  }

  /** @param {string} name @param {number} outputs @param {{ rows?: number[], factor?: (output: number) => number }} how */
  padded(name, outputs, { rows = inOrder(outputs), factor = () => 1 }) {
    return this.room.take(up(rows.length, 8), (to) => {
      const values = this.file.values(name, [outputs]);
      rows.forEach((row, n) => row >= 0 && (to[n] = values[row] * factor(row)));
    });
  }

  /** @param {string} name @param {number[]} shape */
  matrix(name, shape, how = {}) {
    const outputs = shape[0];
    const inputs = shape.slice(1).reduce((a, b) => a * b, 1);
    return this.panels(() => this.file.values(name, shape), outputs, inputs, how);
  }

  /** @param {() => Float32Array} read (outputs, inputs)
   * @param {{ rows?: number[], columns?: number[], factor?: (output: number) => number }} [how] @returns {Linear} */
  panels(read, outputs, inputs, how = {}) {
    const { rows = inOrder(outputs), columns = inOrder(inputs), factor = () => 1 } = how;
    const [N, K] = [up(rows.length, 8), columns.length];
    const b = this.room.take(N * K, (to) => {
      const values = read();
      rows.forEach((row, n) => {
        if (row < 0) return;
        const scale = factor(row);
        let at = (n >> 3) * K * 8 + (n & 7);
        for (let k = 0; k < K; k++, at += 8) if (columns[k] >= 0) to[at] = values[row * inputs + columns[k]] * scale;
      });
    });
    return { b, bias: 0, K, N };
  }
}

const inOrder = (count) => Array.from({ length: count }, (_, i) => i);

/** The places of `heads` heads of `width` channels when each has room for `room`: [0, 1, 2, -1, 3, 4, 5, -1, ...].
 * @param {number} heads @param {number} width @param {number} room */
export const inRooms = (heads, width, room) =>
  Array.from({ length: heads * room }, (_, i) => (i % room < width ? Math.floor(i / room) * width + (i % room) : -1));
