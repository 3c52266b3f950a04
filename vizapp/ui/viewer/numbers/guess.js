// Scores a guess of where attention lies. A mark counts with the patches around it, as nobody can tell neighbours apart: three marks
// on the object would often miss the three brightest patches, and score below chance (docs/lab-notes.md).

export const REACH = 1; // patches on each side of a mark
const ROUNDS = 3; // after the first, the best places hardly move

/**
 * Score a guess from 0 to 1, the best that is known. For comparison it also scores as many patches in the middle of the picture,
 * where people put things, and marks by chance, on average.
 * @param {Float32Array} values of the map, a value per token of `layout`
 * @param {import("./layout.js").Layout} layout
 * @param {[number, number][]} cells [row, column] of the patches guessed, each once
 * @returns {{mine: number, centre: number, chance: number} | null} null if there is nothing to guess
 */
export function scoreGuess(values, layout, cells) {
  const { first, grid } = layout;
  const [rows, cols] = grid;
  const patches = Array.from(values.subarray(first, first + rows * cols), (value) => Math.max(0, value));
  const n = cells.length;
  const whole = patches.reduce((a, b) => a + b, 0);
  if (!n || !(whole > 0)) return null;
  const around = patches.map((_, at) => regionOf([Math.floor(at / cols), at % cols], grid));
  const sum = (some) => [...new Set(some.flatMap((at) => around[at]))].reduce((all, at) => all + patches[at], 0);
  const mine = sum(cells.map(([row, col]) => row * cols + col));
  const best = Math.max(mine, sum(bestPlaces(patches, around, n)));
  return { mine: mine / best, centre: middle(patches, grid, n) / best, chance: byChance(patches, around, n) / best };
}

function regionOf([row, col], [rows, cols]) {
  const near = (at, all) => Array.from({ length: all }, (_, i) => i).slice(Math.max(0, at - REACH), at + REACH + 1);
  return near(row, rows).flatMap((y) => near(col, cols).map((x) => y * cols + x));
}

// Each place in turn goes where it adds most to the others.
function bestPlaces(patches, around, n) {
  const places = [];
  for (let step = 0; step < n * ROUNDS; step++) {
    const taken = new Set(places.filter((_, i) => i !== step % n).flatMap((at) => around[at]));
    const gains = around.map((region) => region.reduce((all, at) => all + (taken.has(at) ? 0 : patches[at]), 0));
    places[step % n] = gains.indexOf(Math.max(...gains));
  }
  return places;
}

// As many patches as n marks reach at most, nearest to the middle. Those that are equally far count alike.
function middle(patches, [rows, cols], n) {
  const far = patches.map((_, at) => Math.hypot(Math.floor(at / cols) - (rows - 1) / 2, (at % cols) - (cols - 1) / 2));
  const count = Math.min(patches.length, n * (2 * REACH + 1) ** 2);
  const edge = [...far].sort((a, b) => a - b)[count - 1];
  const inside = patches.filter((_, at) => far[at] < edge - 1e-9);
  const ring = patches.filter((_, at) => Math.abs(far[at] - edge) <= 1e-9);
  const sum = (some) => some.reduce((a, b) => a + b, 0);
  return sum(inside) + ((count - inside.length) * sum(ring)) / ring.length;
}

// The mean over all ways to place n marks: a patch is missed if none of the marks stands near it.
function byChance(patches, around, n) {
  const all = patches.length;
  const missed = (near) =>
    Array.from({ length: n }, (_, i) => Math.max(0, all - near - i) / (all - i)).reduce((a, b) => a * b, 1);
  return patches.reduce((sum, value, at) => sum + value * (1 - missed(around[at].length)), 0);
}
