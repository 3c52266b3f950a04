// The file that the viewer reads: "VIZ1", the length of the header, the header, and the blocks that its table names. What stands
// in it is said at the top of ui/viewer/numbers/payload.js.

/** @type {Record<string, import("../../vocabulary.js").BlockKind>} */
const KINDS = { Uint8Array: "bytes", Uint16Array: "f16", Float32Array: "f32", Int32Array: "i32" };

const padded = (length) => Math.ceil(length / 8) * 8; // typed arrays begin at multiples of their width

/**
 * @typedef {{data: Uint8Array | Uint16Array | Float32Array | Int32Array, shape: number[]}} Block
 *
 * @param {Record<string, any>} header
 * @param {Map<string, Block>} blocks in their order
 * @param {number} nFirst how many of them a first map needs; the header says where they end
 * @returns {Uint8Array}
 */
export function assemble(header, blocks, nFirst) {
  // Offsets count from the end of the header, whose own length depends on the table.
  /** @type {Record<string, [number, string, number[]]>} */
  const table = {};
  let [offset, first, count] = [0, 0, 0];
  for (const [name, { data, shape }] of blocks) {
    table[name] = [offset, KINDS[data.constructor.name], shape];
    offset += padded(data.byteLength);
    if (++count === nFirst) first = offset;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, first, blocks: table }));
  const start = 8 + padded(text.length);
  const file = new Uint8Array(start + offset).fill(32, 8 + text.length, start); // padded with spaces, which JSON allows
  file.set([0x56, 0x49, 0x5a, 0x31]); // "VIZ1"
  new DataView(file.buffer).setUint32(4, start - 8, true);
  file.set(text, 8);
  for (const [name, { data }] of blocks) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start + table[name][0]);
  }
  return file;
}
