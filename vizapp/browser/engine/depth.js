// What is white in a picture of 16 bits: scanners and microscopes often use 12 of them. The twin of vizapp/picture/depth.py.

export const WHOLE = 65535;

/**
 * The value that is white, and a note if it is not 65535. What the file says counts; if it says nothing, the least power of two
 * above the largest value, where that is a half of the range or less.
 *
 * @param {number} largest of the values of the colours
 * @param {number} bits that mean something, by the file; 0: it does not say
 * @returns {{top: number, note: {key: string, values: Record<string, number>} | null}}
 */
export function white(largest, bits) {
  const told = bits > 0 && bits < 16 ? 2 ** bits - 1 : 0;
  if (told && largest > 0 && largest <= told) {
    return { top: told, note: { key: "pictureWhiteTold", values: { top: told, whole: WHOLE } } };
  }
  // Values of fewer bits should be scaled to 16 bits. One that lies above what is told shows that these are.
  if (told || largest === 0 || largest > WHOLE >> 1) return { top: WHOLE, note: null };
  const top = 2 ** (Math.floor(Math.log2(largest)) + 1) - 1;
  return { top, note: { key: "pictureWhiteFound", values: { largest, top, whole: WHOLE } } };
}

/** A value from 0 to `top` as a byte, rounded; in whole numbers, as in Python. @param {number} value @param {number} top */
export const byteOf = (value, top) => Math.min(255, Math.floor((value * 510 + top) / (2 * top)));

/** The largest values of a row's colours and of its alpha. @param {Uint8Array} row two bytes a value @param {number} channels */
export function largestOf(row, channels) {
  const isClear = channels === 2 || channels === 4;
  let [colours, alpha] = [0, 0];
  for (let i = 0, channel = 0; i < row.length; i += 2, channel = (channel + 1) % channels) {
    const value = row[i] * 256 + row[i + 1];
    if (isClear && channel === channels - 1) alpha = Math.max(alpha, value);
    else colours = Math.max(colours, value);
  }
  return { colours, alpha };
}
