// How good is a guess of where attention lies? Its patches' share of the map, as a part of what the best as many patches hold.

/**
 * Scored from 0 to 1, where 1 is the best guess that there is; beside it what patches in the middle of the picture would get, where
 * people put things, and what patches taken at random get on average. A map that is even everywhere makes every guess the best.
 * @param {Float32Array} values of the map, a value per token of `layout`
 * @param {import("./layout.js").Layout} layout
 * @param {[number, number][]} cells [row, column] of the patches guessed, each once
 * @returns {{mine: number, centre: number, chance: number, best: number[]} | null} `best`: the tokens of the best guess; null: there is nothing to guess
 */
export function scoreGuess(values, layout, cells) {
  const { first, grid } = layout;
  const [rows, cols] = grid;
  const patches = Array.from({ length: rows * cols }, (_, i) => first + i);
  const n = Math.min(cells.length, patches.length);
  const best = [...patches].sort((a, b) => values[b] - values[a]).slice(0, n);
  const sum = (tokens) => tokens.reduce((all, token) => all + Math.max(0, values[token]), 0);
  const whole = sum(best);
  if (!n || !(whole > 0)) return null;
  const off = (token) => {
    const at = token - first;
    return Math.hypot(Math.floor(at / cols) - (rows - 1) / 2, (at % cols) - (cols - 1) / 2);
  };
  // Patches at the same distance from the middle are as good as each other: their mean counts.
  const middle = [...patches].sort((a, b) => off(a) - off(b));
  const edge = off(middle[n - 1]) + 1e-9;
  const inside = middle.filter((token) => off(token) < edge - 2e-9);
  const ring = middle.filter((token) => Math.abs(off(token) - edge) < 2e-9);
  const centre = sum(inside) + ((n - inside.length) * sum(ring)) / ring.length;
  return {
    mine: sum(cells.map((cell) => layout.tokenOf(cell))) / whole,
    centre: centre / whole,
    chance: (n * sum(patches)) / patches.length / whole,
    best,
  };
}
