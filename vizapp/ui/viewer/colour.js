// From a value to a colour, and the words and numbers of the legend.

export class ColourMap {
  // `base64` holds 256 RGB triples.
  constructor(base64) {
    this.table = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  }

  css(share) {
    const at = 3 * Math.round(255 * share);
    return `rgb(${this.table[at]}, ${this.table[at + 1]}, ${this.table[at + 2]})`;
  }

  // Write the patches of one map into RGBA pixels. `high` is the value of the top colour; `alpha(share)` gives 0..255.
  fill(pixels, width, x, y, values, first, grid, high, alpha) {
    for (let row = 0; row < grid[0]; row++) {
      for (let col = 0; col < grid[1]; col++) {
        const share = Math.min(1, Math.max(0, values[first + row * grid[1] + col] / high));
        const from = 3 * Math.round(255 * share);
        const to = 4 * ((y + row) * width + x + col);
        pixels[to] = this.table[from];
        pixels[to + 1] = this.table[from + 1];
        pixels[to + 2] = this.table[from + 2];
        pixels[to + 3] = alpha(share);
      }
    }
  }
}

// The largest value among the patches of a map.
export function patchMax(values, first) {
  let high = 0;
  for (let i = first; i < values.length; i++) if (values[i] > high) high = values[i];
  return high;
}

// 0.0234 -> "2.3 %", 0.00041 -> "0.041 %"
export function percent(share) {
  const value = 100 * share;
  const digits = value < 0.0005 || value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
  return `${value.toFixed(digits)} %`;
}

// 3.27 -> "3.3", 12.4 -> "12"
export function times(value) {
  return value >= 9.95 ? value.toFixed(0) : value >= 0.095 ? value.toFixed(1) : value.toFixed(2);
}
