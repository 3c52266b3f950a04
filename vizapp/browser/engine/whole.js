// Checks that a picture's file is complete. Python refuses truncated files. Some browsers decode them with grey for the rest, and
// maps of that would belong to another picture.

/** @type {Record<string, (bytes: Uint8Array) => boolean>} by kind, as header.js calls it; of the others the browser knows */
const ENDS = { jpeg, webp, gif };

/** @param {string} kind @param {Uint8Array} bytes whose header can be read */
export const isWhole = (kind, bytes) => ENDS[kind]?.(bytes) ?? true;

// The end marker follows the pixels, in which it cannot occur. Anything after it does not matter.
function jpeg(bytes) {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at + 1] !== 0xda) {
    const isBare = bytes[at + 1] === 0xff || (bytes[at + 1] >= 0xd0 && bytes[at + 1] <= 0xd8);
    at += bytes[at + 1] === 0xff ? 1 : isBare ? 2 : 2 + bytes[at + 2] * 256 + bytes[at + 3];
  }
  for (let end = bytes.length - 2; end > at; end--) if (bytes[end] === 0xff && bytes[end + 1] === 0xd9) return true;
  return false;
}

// The file begins with its length.
function webp(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
}

// Complete up to the end of the first picture, which is the one that is analysed. A byte before each colour table tells its
// length.
function gif(bytes) {
  const table = (told) => (told & 0x80 ? 3 * 2 ** ((told & 7) + 1) : 0);
  const behind = (at) => {
    while (bytes[at]) at += 1 + bytes[at]; // parts, each after its length; none after the last
    return at < bytes.length ? at + 1 : Infinity;
  };
  let at = 13 + table(bytes[10]);
  while (bytes[at] === 0x21) at = behind(at + 2);
  return bytes[at] === 0x2c && behind(at + 11 + table(bytes[at + 9])) <= bytes.length;
}
