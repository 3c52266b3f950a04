// Plans the memory of a network: every part is requested before any is allocated. So a network that is too large is refused at
// once, and nothing is allocated later. (Growing a WebAssembly memory would also detach every view of it.)

import { Refused } from "./refused.js";

const PAGE = 65536;
const MEGA = 2 ** 20;
const LINE = 64; // bytes of a cache line

export const up = (n, multiple) => Math.ceil(n / multiple) * multiple;

export class Memory {
  constructor() {
    this.top = LINE; // address 0 means "none" to the kernels
    this.fills = [];
  }

  /** The address of `count` float32 values. `fill` writes them once there is a memory; without it they are zero.
   * @param {number} count @param {(values: Float32Array) => void} [fill] */
  take(count, fill) {
    const address = this.top;
    this.top += up(4 * count, LINE);
    if (fill) this.fills.push([address, count, fill]);
    return address;
  }

  /** @param {number} limit in bytes @returns {WebAssembly.Memory} */
  open(limit) {
    if (this.top > limit)
      throw new Refused("networkTooLarge", { needed: Math.ceil(this.top / MEGA), limit: Math.floor(limit / MEGA) });
    const pages = Math.ceil(this.top / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    for (const [address, count, fill] of this.fills) fill(new Float32Array(memory.buffer, address, count));
    this.fills = []; // they hold on to the file
    return memory;
  }
}
