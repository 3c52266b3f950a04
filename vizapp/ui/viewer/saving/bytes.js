// Bytes of files: little helpers that more than one format needs.

const TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The checksum of PNG and ZIP (CRC-32). @param {Uint8Array} bytes */
export function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ TABLE[(value ^ byte) & 255];
  return (value ^ 0xffffffff) >>> 0;
}

/** One after the other. @param {(Uint8Array | string)[]} parts text as UTF-8 @returns {Uint8Array<ArrayBuffer>} */
export function joined(parts) {
  const all = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Numbers of `size` bytes each, the least byte first. @param {number} size @param {...number} numbers */
export function little(size, ...numbers) {
  return Uint8Array.from(
    numbers.flatMap((number) => Array.from({ length: size }, (_, i) => Math.floor(number / 256 ** i) % 256)),
  );
}

/** Four bytes, the largest first. @param {number} number */
export const big = (number) => little(4, number).reverse();

/** Packed as ZLIB does, which PDF knows. @param {Uint8Array<ArrayBuffer>} bytes */
export async function deflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
