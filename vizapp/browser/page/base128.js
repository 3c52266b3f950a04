// Decodes the text that vizapp/browser/base128.py makes of bytes.

const RARE = [0x00, 0x0a, 0x0d, 0x22, 0x26, 0x3c, 0x5c];
const BEYOND = 0xa0;

/** @param {string} text @param {number} length of the bytes @returns {Uint8Array<ArrayBuffer>} */
export function bytesOfSeptets(text, length) {
  const bytes = new Uint8Array(length);
  let [at, held, bits] = [0, 0, 0];
  for (let index = 0; index < text.length; index++) {
    let letter = text.charCodeAt(index);
    if (letter >= BEYOND) {
      held = (held << 7) | RARE[(letter - BEYOND) >> 7];
      bits += 7;
      if (bits >= 8) bytes[at++] = held >> (bits -= 8);
      letter = (letter - BEYOND) & 127;
    }
    held = (held << 7) | letter;
    bits += 7;
    if (bits >= 8) bytes[at++] = held >> (bits -= 8);
  }
  return bytes; // the padding bits lie beyond its end
}
