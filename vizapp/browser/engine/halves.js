// Float32Array -> IEEE half precision as bits, rounded to the nearest, half to even, as torch and numpy do. The way back is
// ui/viewer/numbers/half.js. Browsers without Float16Array exist.

export const LARGEST = 65504; // what half precision can hold

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/** @param {ArrayLike<number>} values @returns {Uint16Array} */
export function floatToHalf(values) {
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    float[0] = values[i];
    bits[i] = halved(word[0]);
  }
  return bits;
}

function halved(bits) {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (size >= 0x7f800000) return sign | (size > 0x7f800000 ? 0x7e00 : 0x7c00); // NaN, infinity
  if (size >= 0x477ff000) return sign | 0x7c00; // would round to more than the largest
  if (size >= 0x38800000) {
    // Carries run into the exponent as they should.
    const kept = (size >>> 13) - (112 << 10);
    const rest = size & 0x1fff;
    return sign | (kept + (rest > 0x1000 || (rest === 0x1000 && kept & 1) ? 1 : 0));
  }
  if (size < 0x33000000) return sign; // half of the smallest, and less
  const shift = 126 - (size >>> 23); // subnormal: the leading one is written out, and all moves to the right
  const fraction = (size & 0x7fffff) | 0x800000;
  const kept = fraction >>> shift;
  const rest = fraction & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return sign | (kept + (rest > middle || (rest === middle && kept & 1) ? 1 : 0));
}
