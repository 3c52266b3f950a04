// NPZ: numbers for NumPy, as numpy.load reads them. Stored, not deflated: without that a ZIP is forty lines, and no library's.

import { crc32, joined, little } from "./bytes.js";

const EPOCH = [0, 0x21]; // 1 January 1980, as ZIP writes it: the same numbers are the same file

/** @param {Record<string, {shape: number[], values: Float32Array} | string>} arrays text becomes a unicode array without axes */
export function npz(arrays) {
  const files = Object.entries(arrays).map(([name, array]) => {
    return { name: new TextEncoder().encode(`${name}.npy`), bytes: typeof array === "string" ? textual(array) : numbers(array) };
  });
  const parts = [];
  const entries = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const sizes = little(4, crc32(bytes), bytes.length, bytes.length);
    const common = joined([little(2, 0, 0, ...EPOCH), sizes, little(2, name.length, 0)]);
    const local = joined([little(4, 0x04034b50), little(2, 20), common, name, bytes]);
    const place = joined([little(2, 0, 0, 0), little(4, 0, at)]);
    entries.push(joined([little(4, 0x02014b50), little(2, 20, 20), common, place, name]));
    parts.push(local);
    at += local.length;
  }
  const directory = joined(entries);
  const counts = little(2, 0, 0, files.length, files.length);
  const end = joined([little(4, 0x06054b50), counts, little(4, directory.length, at), little(2, 0)]);
  return new Blob([joined([...parts, directory, end])], { type: "application/octet-stream" });
}

function numbers({ shape, values }) {
  return npy("<f4", shape, new Uint8Array(Float32Array.from(values).buffer)); // every machine with a browser is little-endian
}

function textual(said) {
  const letters = Array.from(said, (letter) => letter.codePointAt(0));
  return npy(`<U${Math.max(1, letters.length)}`, [], little(4, ...(letters.length ? letters : [0])));
}

function npy(kind, shape, bytes) {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const header = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${axes}), }`;
  const padded = header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11) + "\n";
  return joined([Uint8Array.of(0x93), "NUMPY", Uint8Array.of(1, 0), little(2, padded.length), padded, bytes]);
}
