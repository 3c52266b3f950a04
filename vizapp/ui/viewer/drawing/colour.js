// From a value to a colour.

import { bytesOf } from "../numbers/base64.js";

export class ColourMap {
  // `base64` holds 256 RGB triples.
  constructor(base64) {
    this.table = bytesOf(base64);
    // As ImageData holds them, without the alpha in the highest byte: every machine with a browser is little-endian.
    this.packed = Uint32Array.from(
      { length: 256 },
      (_, i) => this.table[3 * i] | (this.table[3 * i + 1] << 8) | (this.table[3 * i + 2] << 16),
    );
  }

  css(share) {
    const at = 3 * stepOf(share);
    return `rgb(${this.table[at]}, ${this.table[at + 1]}, ${this.table[at + 2]})`;
  }

  // Write the patches of one map into RGBA pixels (Uint32Array). `high` is the value of the top colour; alpha is 0..255. A patch
  // out of `reach` has no colour: it is clear.
  fill(pixels, width, x, y, values, first, [rows, cols], high, alpha, reach = null) {
    const top = alpha << 24;
    let from = first;
    for (let row = 0; row < rows; row++) {
      let to = (y + row) * width + x;
      for (let col = 0; col < cols; col++, from++) {
        pixels[to++] = reach && !reach[from] ? 0 : top | this.packed[stepOf(shareOf(values[from], high))];
      }
    }
  }
}

/** The one that was chosen: the state has no other than these. @param {{[name: string]: ColourMap}} all @param {{colours: string}} view */
export function colourOf(all, view) {
  if (!Object.hasOwn(all, view.colours)) throw new TypeError(`There is no colour map '${view.colours}'.`);
  return all[view.colours];
}

// How far `value` is on the way from 0 to `high`, from 0 to 1.
export function shareOf(value, high) {
  return Math.min(1, Math.max(0, value / high));
}

// The one of 256 colours for a share from 0 to 1, as vizapp.render.colour and matplotlib choose it.
function stepOf(share) {
  return Math.min(255, Math.floor(256 * share));
}

// The largest value among the tokens of a map that count.
export function largest(values, counts) {
  let high = 0;
  for (let i = 0; i < values.length; i++) if (counts[i] && values[i] > high) high = values[i];
  return high;
}
