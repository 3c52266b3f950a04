// A network's file, "VZN1", as vizapp/browser/network.py writes it: its header, and its tensors by name.

import { halfToFloat } from "../../ui/viewer/numbers/half.js";
import { Refused } from "./refused.js";

const VERSION = 1;
const BYTES = { f16: 2, f32: 4 };

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
    if (this.header.version !== VERSION) throw new Refused("networkVersion", { version: String(this.header.version) });
    this.bytes = bytes;
  }

  /** Is there a tensor of this name? @param {string} name */
  has(name) {
    return Object.hasOwn(this.header.tensors, name);
  }

  /** The values of a tensor, which must have this shape: a file that was cut off or mixed up is refused here.
   * @param {string} name @param {number[]} shape @returns {Float32Array} */
  values(name, shape) {
    const [offset, kind, found] = this.has(name) ? this.header.tensors[name] : [0, "", []];
    const count = shape.reduce((a, b) => a * b, 1);
    const from = this.start + offset;
    if (!(kind in BYTES) || found.join() !== shape.join() || !(offset >= 0) || from + count * BYTES[kind] > this.bytes.length)
      throw new Refused("networkBroken", { what: name });
    // A copy: the bytes may begin anywhere, while an array of numbers begins at a multiple of their size.
    const copy = this.bytes.slice(from, from + count * BYTES[kind]).buffer;
    return kind === "f16" ? halfToFloat(new Uint16Array(copy)) : new Float32Array(copy);
  }
}
