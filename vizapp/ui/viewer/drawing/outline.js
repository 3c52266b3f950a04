// From a mask to a line around it that is smooth at any size.

const SMOOTH = 1; // pixels of the model that the line is rounded by

// The outline of a mask, {path, top}: line pieces in the model's pixels, where the blurred mask crosses a half (marching
// squares); `top` is its highest point, where a name can stand; null for an empty mask.
export function outlineOf(mask, [height, width]) {
  const path = new Path2D();
  let top = null;
  const wide = width + 2; // with a rim of one pixel, where there is no object
  const field = blurred(mask, height, width);
  const cross = (a, b) => (0.5 - a) / (b - a);
  for (let y = -1; y < height; y++) {
    for (let x = -1; x < width; x++) {
      const at = (y + 1) * wide + x + 1;
      const [a, b, c, d] = [field[at], field[at + 1], field[at + wide + 1], field[at + wide]]; // clockwise from the upper left
      if (a > 0.5 === b > 0.5 && b > 0.5 === c > 0.5 && c > 0.5 === d > 0.5) continue;
      const ends = [];
      if (a > 0.5 !== b > 0.5) ends.push([x + cross(a, b), y]);
      if (b > 0.5 !== c > 0.5) ends.push([x + 1, y + cross(b, c)]);
      if (d > 0.5 !== c > 0.5) ends.push([x + cross(d, c), y + 1]);
      if (a > 0.5 !== d > 0.5) ends.push([x, y + cross(a, d)]);
      for (let i = 0; i + 1 < ends.length; i += 2) {
        path.moveTo(ends[i][0] + 0.5, ends[i][1] + 0.5); // values stand at the centres of pixels
        path.lineTo(ends[i + 1][0] + 0.5, ends[i + 1][1] + 0.5);
        top = top ?? [ends[i][0] + 0.5, ends[i][1] + 0.5];
      }
    }
  }
  return { path, top };
}

// The mean of the mask around each pixel, (height + 2) x (width + 2) with the rim.
function blurred(mask, height, width) {
  const wide = width + 2;
  const field = new Float32Array((height + 2) * wide);
  const share = 1 / (2 * SMOOTH + 1) ** 2;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!mask[y * width + x]) continue;
      for (let v = Math.max(0, y - SMOOTH); v <= Math.min(height - 1, y + SMOOTH); v++) {
        for (let u = Math.max(0, x - SMOOTH); u <= Math.min(width - 1, x + SMOOTH); u++) field[(v + 1) * wide + u + 1] += share;
      }
    }
  }
  return field;
}
