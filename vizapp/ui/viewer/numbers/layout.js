// What the tokens of a sequence stand for: prefix tokens, then the patches row by row.

// Layers may have grids of their own. A place that was chosen on one grid must not slip to a neighbouring patch on another
// through the rounding of a division.
const SLIP = 1e-9;

// Places are [x, y] as fractions of the model's input, cells are [row, col].
export class Layout {
  constructor({ prefix, grid }, window) {
    this.prefix = prefix;
    this.grid = grid;
    this.first = prefix.length;
    this.tokens = prefix.length + grid[0] * grid[1];
    this.onPicture = this.patchesOnPicture(window);
  }

  // For each token, 1 if it is a patch that shows some of the picture. Patches of the input's padding show none.
  patchesOnPicture([left, top, right, bottom]) {
    const [rows, cols] = this.grid;
    const seen = new Uint8Array(this.tokens);
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const x = left + ((right - left) * col) / cols;
        const y = top + ((bottom - top) * row) / rows;
        const inside = x < 1 && y < 1 && x + (right - left) / cols > 0 && y + (bottom - top) / rows > 0;
        seen[this.tokenOf([row, col])] = Number(inside);
      }
    }
    return seen;
  }

  tokenOf([row, col]) {
    return this.first + row * this.grid[1] + col;
  }

  // [row, col] of a token; null for a prefix token or the name of a weighted query.
  cellOf(token) {
    const patch = typeof token === "string" ? -1 : token - this.first;
    return patch < 0 ? null : [Math.floor(patch / this.grid[1]), patch % this.grid[1]];
  }

  cellAt([x, y]) {
    const at = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count + SLIP)));
    return [at(y, this.grid[0]), at(x, this.grid[1])];
  }

  centreOf([row, col]) {
    return [(col + 0.5) / this.grid[1], (row + 0.5) / this.grid[0]];
  }
}
