// Slanted lines for what a query cannot see: a bright one beside a dark one, which are seen on any picture and are in no colour map.

const SPACING = 7; // css pixels from line to line
const SMALL = 4; // of a small map
const BRIGHT = [255, 255, 255, 150];
const DARK = [0, 0, 0, 150];

const tiles = new Map(); // side -> canvas

/** Fill what `trace` puts into the path. @param {CanvasRenderingContext2D} context @param {number} ratio @param {() => void} trace */
function filled(context, spacing, ratio, trace) {
  const side = Math.max(3, Math.round(spacing * ratio));
  if (!tiles.has(side)) tiles.set(side, tileOf(side, Math.max(1, Math.round(ratio))));
  context.fillStyle = context.createPattern(tiles.get(side), "repeat");
  context.beginPath();
  trace();
  context.fill();
}

function tileOf(side, line) {
  const tile = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const image = new ImageData(side, side);
  for (let i = 0; i < side * side; i++) {
    const at = (Math.floor(i / side) + (i % side)) % side;
    if (at < 2 * line) image.data.set(at < line ? BRIGHT : DARK, 4 * i);
  }
  tile.getContext("2d").putImageData(image, 0, 0);
  return tile;
}

/**
 * Hatch the patches of a map that are out of reach.
 * @param {CanvasRenderingContext2D} context @param {{x: number, y: number, w: number, h: number}} box of the map
 * @param {{grid: number[], first: number}} layout @param {Uint8Array} reach @param {number} ratio
 */
export function hatchPatches(context, { x, y, w, h }, { grid: [rows, cols], first }, reach, ratio) {
  filled(context, SPACING, ratio, () => {
    for (let i = 0; i < rows * cols; i++) {
      if (reach[first + i]) continue;
      const [row, col] = [Math.floor(i / cols), i % cols];
      context.rect(x + (col * w) / cols, y + (row * h) / rows, w / cols, h / rows);
    }
  });
}

/** Hatch a whole box, over which a map is drawn that is clear where nothing is to be seen. */
export function hatchBelow(context, [x, y, w, h], ratio) {
  filled(context, SMALL, ratio, () => context.rect(x, y, w, h));
}
