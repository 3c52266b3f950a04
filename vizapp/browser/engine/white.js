// Transparent colours over white, in whole numbers as Pillow's `alpha_composite` has them: 7 bits more than a byte.

/** @param {ArrayLike<number>} rgba @param {Uint8Array} rgb @param {number} [from] where in `rgb` to begin */
export function overWhite(rgba, rgb, from = 0) {
  for (let at = 0, out = from; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3];
    if (alpha === 255) {
      rgb[out++] = rgba[at];
      rgb[out++] = rgba[at + 1];
      rgb[out++] = rgba[at + 2];
    } else {
      for (let channel = 0; channel < 3; channel++) rgb[out++] = mixed(rgba[at + channel], alpha);
    }
  }
}

function mixed(value, alpha) {
  const sum = 128 * (value * alpha + 255 * (255 - alpha)) + (128 << 7);
  return ((sum >> 8) + sum) >> 15;
}
