// What the server sends for one picture: one binary file, read as it streams in.
//
//   "VIZ1" | uint32 length of the header | header (JSON) | blocks
//
// The header names each block: [offset, kind, shape], offset from the end of the header, kind "bytes", "f16", "f32", "i32".
// The first blocks (the picture, the rows of the named queries) are enough for a first heatmap. Then layer by layer, the
// last one first: q, k and the log-sum-exp of each row, or the matrices ("dense"), whichever is smaller; of attention in
// windows those of each window, (window * head, slot, key slot), with the token that stands in each slot, -1 for padding.
// Layers may have token layouts of their own. See payload.py, which writes it.

const BYTES = { bytes: 1, f16: 2, f32: 4, i32: 4 };

// What a sequence of tokens stands for: prefix tokens, then the patches row by row. Places are [x, y] in shares of what
// the model saw.
export class Layout {
  constructor({ prefix, grid }, window) {
    Object.assign(this, { prefix, grid, first: prefix.length, tokens: prefix.length + grid[0] * grid[1] });
    this.onPicture = this.patchesOnPicture(window);
  }

  // For each token, whether it is a patch that shows some of the picture: where the model's input was padded, none is seen.
  patchesOnPicture([left, top, right, bottom]) {
    const [rows, cols] = this.grid;
    const seen = new Uint8Array(this.tokens);
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const x = left + ((right - left) * col) / cols;
        const y = top + ((bottom - top) * row) / rows;
        const inside = x < 1 && y < 1 && x + (right - left) / cols > 0 && y + (bottom - top) / rows > 0;
        seen[this.tokenOf([row, col])] = Number(inside);
      }
    }
    return seen;
  }

  tokenOf([row, col]) {
    return this.first + row * this.grid[1] + col;
  }

  // [row, col] of a token; null for a prefix token or the name of a weighted query.
  cellOf(token) {
    const patch = typeof token === "string" ? -1 : token - this.first;
    return patch < 0 ? null : [Math.floor(patch / this.grid[1]), patch % this.grid[1]];
  }

  cellAt([x, y]) {
    const at = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
    return [at(y, this.grid[0]), at(x, this.grid[1])];
  }

  centreOf([row, col]) {
    return [(col + 0.5) / this.grid[1], (row + 0.5) / this.grid[0]];
  }
}

export class Payload {
  constructor(header, headerEnd, buffer) {
    Object.assign(this, header); // model, layers, prefix, grid, readout, named, top, picture, window, notes, ...
    this.start = headerEnd;
    this.buffer = buffer;
    this.arrived = headerEnd;
    this.decoded = new Map();
    this.readLayouts();
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

  // Give each layer the layouts of its queries and keys; `finest` is the grid that rollout ends on, with all prefix tokens.
  readLayouts() {
    this.layouts = this.layouts.map((layout) => new Layout(layout, this.window));
    for (const layer of this.layers) {
      layer.layout = layer.queries;
      layer.like = `${layer.queries} ${layer.keys}`; // the same for layers whose maps can be compared
      [layer.queries, layer.keys] = [this.layouts[layer.queries], this.layouts[layer.keys]];
    }
    this.isPlain = this.layouts.length === 1 && !this.layers.some((layer) => layer.windowed);
    const { queries, keys } = this.layers[0];
    const prefix = [...new Set(this.layouts.flatMap((layout) => layout.prefix))];
    const { grid } = queries.tokens - queries.first >= keys.tokens - keys.first ? queries : keys;
    this.finest = this.isPlain ? queries : new Layout({ prefix, grid }, this.window);
    this.isLarge = this.layers.some((layer) => layer.kind === "asked");
  }

  // Is rollout defined for this network, and is all that it needs here?
  get canRoll() {
    return !this.noChain && !this.isLarge;
  }

  has(name) {
    if (!(name in this.blocks)) return false;
    const [offset, kind, shape] = this.blocks[name];
    return this.start + offset + BYTES[kind] * shape.reduce((a, b) => a * b, 1) <= this.arrived;
  }

  hasFirst() {
    const wanted = Object.keys(this.blocks).filter((name) => /^(rows|rollout|weights)\./.test(name));
    return wanted.every((name) => this.has(name));
  }

  hasLayer(layer) {
    const { kind, windowed } = this.layers[layer];
    const parts = { dense: ["dense"], factors: ["q", "k", "lse"], asked: ["never"] }[kind];
    return [...parts, ...(windowed ? ["queries", "keys"] : [])].every((part) => this.has(`${part}.${layer}`));
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
    if (kind === "i32") return new Int32Array(this.buffer.buffer, at, length);
    return halfToFloat(this.halves(name));
  }

  // A block of half precision as it came, for those too large to be decoded whole.
  halves(name) {
    const [offset, , shape] = this.blocks[name];
    return new Uint16Array(this.buffer.buffer, this.start + offset, shape.reduce((a, b) => a * b, 1));
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
