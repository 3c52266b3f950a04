// A network's file, "VZN1", as vizapp/browser/network.py writes it: its header, and its tensors by name.

import { NETWORK_VERSION } from "../../vocabulary.js";
import { halfToFloat } from "../../ui/viewer/numbers/half.js";
import { Refused } from "./refused.js";

// Bytes of a number; and of a row, which has a scale if its numbers are 8 bits.
const BYTES = { f16: 2, f32: 4, i8: 1 };
const ROW = { f16: 0, f32: 0, i8: 4 };

export class NetworkFile {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const magic = bytes.length < 8 ? "" : String.fromCharCode(...bytes.subarray(0, 4));
    if (magic !== "VZN1") throw new Refused("networkNoFile");
    this.start = 8 + head.getUint32(4, true);
    try {
      this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, this.start)));
    } catch {
      throw new Refused("networkBroken", { what: "header" });
    }
    if (this.header.version !== NETWORK_VERSION) throw new Refused("networkVersion", { version: String(this.header.version) });
    this.bytes = bytes;
  }

  /** Is there a tensor of this name? @param {string} name */
  has(name) {
    return Object.hasOwn(this.header.tensors, name);
  }

  /** Are weights rounded to 8 bits a number? The maps are then those of the rounded weights. */
  get isRounded() {
    return Object.values(this.header.tensors).some(([, kind]) => kind === "i8");
  }

  /** The values of a tensor, which must have this shape: a file that was cut off or mixed up is refused here.
   * @param {string} name @param {number[]} shape @returns {Float32Array} */
  values(name, shape) {
    const [offset, kind, found] = this.has(name) ? this.header.tensors[name] : [0, "", []];
    const count = shape.reduce((a, b) => a * b, 1);
    const from = this.start + offset;
    const size = count * BYTES[kind] + shape[0] * ROW[kind];
    if (!(kind in BYTES) || found.join() !== shape.join() || !(offset >= 0) || from + size > this.bytes.length)
      throw new Refused("networkBroken", { what: name });
    // A copy: the bytes may begin anywhere, while an array of numbers begins at a multiple of their size.
    const copy = this.bytes.slice(from, from + size).buffer;
    if (kind === "f16") return halfToFloat(new Uint16Array(copy));
    return kind === "i8" ? scaled(copy, shape[0]) : new Float32Array(copy);
  }
}

// A float32 for each row, then an int8 for each number: a number times that of its row, which float32 holds exactly.
function scaled(copy, rows) {
  const scales = new Float32Array(copy, 0, rows);
  const numbers = new Int8Array(copy, 4 * rows);
  const values = new Float32Array(numbers.length);
  const inputs = numbers.length / rows;
  for (let row = 0, at = 0; row < rows; row++) {
    const scale = scales[row];
    for (const end = at + inputs; at < end; at++) values[at] = numbers[at] * scale;
  }
  return values;
}
