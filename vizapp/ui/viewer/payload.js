// What the server sends for one picture: one binary file, read as it streams in.
//
//   "VIZ1" | uint32 length of the header | header (JSON) | blocks
//
// The header names each block: [offset, kind, shape], offset from the end of the header, kind "bytes", "f16" or "f32".
// The first blocks (the picture, the rows of the named queries) are enough for a first heatmap; q, k and the log-sum-exp
// of each row follow layer by layer, the last layer first. See payload.py, which writes it.

const BYTES = { bytes: 1, f16: 2, f32: 4 };

export class Payload {
  constructor(header, headerEnd, buffer) {
    Object.assign(this, header); // model, layers, prefix, grid, readout, named, top, picture, window, notes, ...
    this.start = headerEnd;
    this.buffer = buffer;
    this.arrived = headerEnd;
    this.decoded = new Map();
    this.tokens = this.prefix.length + this.grid[0] * this.grid[1];
    this.onPicture = this.patchesOnPicture();
  }

  // Fetch a payload. `onFirst(payload)` is called when its first blocks are there, `onMore(payload)` for each later piece.
  static async load(url, bytes, { onFirst, onMore, signal }) {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const buffer = new Uint8Array(bytes);
    const reader = response.body.getReader();
    let arrived = 0;
    let payload = null;
    let first = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      buffer.set(value, arrived);
      arrived += value.length;
      payload = payload || Payload.parse(buffer, arrived);
      if (!payload) continue;
      payload.arrived = arrived;
      if (!first && payload.has("picture") && payload.hasFirst()) {
        first = true;
        onFirst(payload);
      } else if (first) {
        onMore(payload);
      }
    }
    if (!first) throw new Error("the file ended too early");
    return payload;
  }

  // The payload once its header has arrived, else null.
  static parse(buffer, arrived) {
    if (arrived < 8) return null;
    const length = new DataView(buffer.buffer).getUint32(4, true);
    if (arrived < 8 + length) return null;
    const header = JSON.parse(new TextDecoder().decode(buffer.subarray(8, 8 + length)));
    return new Payload(header, 8 + length, buffer);
  }

  // For each token, whether it is a patch that shows some of the picture: where the model's input was padded, none is seen.
  patchesOnPicture() {
    const [rows, cols] = this.grid;
    const [left, top, right, bottom] = this.window;
    const seen = new Uint8Array(this.tokens);
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const x = left + ((right - left) * col) / cols;
        const y = top + ((bottom - top) * row) / rows;
        const inside = x < 1 && y < 1 && x + (right - left) / cols > 0 && y + (bottom - top) / rows > 0;
        seen[this.prefix.length + row * cols + col] = Number(inside);
      }
    }
    return seen;
  }

  has(name) {
    if (!(name in this.blocks)) return false;
    const [offset, kind, shape] = this.blocks[name];
    return this.start + offset + BYTES[kind] * shape.reduce((a, b) => a * b, 1) <= this.arrived;
  }

  hasFirst() {
    return this.named.every((query) => this.has(`rows.${query}`) && this.has(`rollout.${query}`));
  }

  hasLayer(layer) {
    return this.has(`dense.${layer}`) || (this.has(`q.${layer}`) && this.has(`k.${layer}`) && this.has(`lse.${layer}`));
  }

  get complete() {
    return this.arrived >= this.buffer.length;
  }

  // A block as Float32Array (or Uint8Array for "bytes"), decoded once.
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
    return halfToFloat(new Uint16Array(this.buffer.buffer, at, length));
  }
}

// IEEE half precision -> Float32Array, by a table of all 65536 values (browsers without Float16Array exist).
let halves = null;
export function halfToFloat(bits) {
  if (!halves) {
    halves = new Float32Array(65536);
    for (let i = 0; i < 65536; i++) {
      const exponent = (i >> 10) & 31;
      const fraction = i & 1023;
      let value;
      if (exponent === 0) value = fraction * 2 ** -24;
      else if (exponent === 31) value = fraction ? NaN : Infinity;
      else value = (1 + fraction / 1024) * 2 ** (exponent - 15);
      halves[i] = i & 0x8000 ? -value : value;
    }
  }
  const floats = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) floats[i] = halves[bits[i]];
  return floats;
}
