// Rebuilds payloads that share parts: the maps of all languages, and the picture of all steps of a film.

/**
 * @param {Uint8Array} packed a payload, as numbers/payload.js reads it
 * @param {Record<string, any>} said the fields of its header to replace
 * @returns {Uint8Array}
 */
export function withHeader(packed, said) {
  if (!Object.keys(said).length) return packed;
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(packed.subarray(8, 8 + length)));
  const text = new TextEncoder().encode(JSON.stringify({ ...header, ...said }));
  const whole = Math.ceil(text.length / 8) * 8; // blocks begin at a multiple of 8, as typed arrays need
  const made = new Uint8Array(8 + whole + packed.length - 8 - length).fill(32, 8, 8 + whole);
  made.set(packed.subarray(0, 4));
  new DataView(made.buffer).setUint32(4, whole, true);
  made.set(text, 8);
  made.set(packed.subarray(8 + length), 8 + whole);
  return made;
}

/**
 * The inverse of `without_picture` in precomputed.py.
 * @param {Uint8Array} packed a payload without its picture
 * @param {Uint8Array} other one of the same picture, with it
 */
export function withPicture(packed, other) {
  const [start, first] = [packed, other].map(({ buffer, byteOffset }) => 8 + new DataView(buffer, byteOffset).getUint32(4, true));
  const { blocks } = JSON.parse(new TextDecoder().decode(other.subarray(8, first)));
  const length = Math.ceil(blocks.picture[2][0] / 8) * 8;
  const made = new Uint8Array(packed.length + length);
  made.set(packed.subarray(0, start));
  made.set(other.subarray(first, first + length), start);
  made.set(packed.subarray(start), start + length);
  return made;
}
