// Does a map find the object? The same metrics as vizapp/core/metrics, for one map and one mask: values of the patches,
// row by row, and the mask in the model's pixels, (height x width) zeros and ones.

export class Target {
  constructor(mask, [height, width], [rows, cols]) {
    Object.assign(this, { mask, height, width, rows, cols, patchHeight: height / rows, patchWidth: width / cols });
    this.cover = new Float64Array(rows * cols); // how much of each patch is object
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) this.cover[this.patchOf(y, x)] += mask[y * width + x];
    }
    for (let i = 0; i < rows * cols; i++) this.cover[i] /= this.patchHeight * this.patchWidth;
    this.area = this.cover.reduce((a, b) => a + b, 0) / (rows * cols);
  }

  patchOf(y, x) {
    return Math.floor(y / this.patchHeight) * this.cols + Math.floor(x / this.patchWidth);
  }

  // There must be object and something else.
  get isUsable() {
    return this.area > 0 && this.area < 1;
  }

  // The mask and all that is up to half a patch to the side, up or down.
  get near() {
    if (!this.grown) {
      const { height, width, mask } = this;
      const tall = Math.floor(this.patchHeight / 2);
      const wide = Math.floor(this.patchWidth / 2);
      const sideways = new Uint8Array(mask.length);
      this.grown = new Uint8Array(mask.length);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          if (mask[y * width + x]) sideways.fill(1, y * width + Math.max(0, x - wide), y * width + Math.min(width, x + wide + 1));
        }
      }
      for (let y = 0; y < height; y++) {
        for (let from = Math.max(0, y - tall); from <= Math.min(height - 1, y + tall); from++) {
          for (let x = 0; x < width; x++) this.grown[y * width + x] |= sideways[from * width + x];
        }
      }
    }
    return this.grown;
  }
}

export const METRICS = {
  energy(values, target) {
    let inside = 0;
    let total = 0;
    for (let i = 0; i < values.length; i++) {
      const positive = Math.max(0, values[i]);
      inside += positive * target.cover[i];
      total += positive;
    }
    return total > 0 ? inside / total : target.area;
  },

  lift: (values, target) => METRICS.energy(values, target) / target.area,

  // How often a patch of the object is brighter than another one: counted along the sorted values, equals together.
  auc(values, { cover }) {
    const most = Math.max(...cover);
    let limit = Math.min(0.5, most);
    if (cover.every((share) => share >= limit)) limit = most;
    let objects = 0;
    for (const share of cover) objects += Number(share >= limit);
    const others = values.length - objects;
    if (!others) return 0.5;
    let wins = 0;
    let below = 0; // other patches that are darker
    forEachLevel(values, "up", (level) => {
      const here = level.filter((i) => cover[i] >= limit).length;
      wins += here * (below + (level.length - here) / 2);
      below += level.length - here;
    });
    return wins / (objects * others);
  },

  iou(values, { cover, area }) {
    const whole = area * values.length;
    let best = 0;
    let inside = 0;
    let drawn = 0;
    forEachLevel(values, "down", (level) => {
      for (const i of level) inside += cover[i];
      drawn += level.length;
      best = Math.max(best, inside / (drawn + whole - inside));
    });
    return best;
  },

  pointing: (values, target) => shareOfBrightest(values, target, target.mask),
  pointing_near: (values, target) => shareOfBrightest(values, target, target.near),
};

// Call `visit` with the indices of equal values, level by level.
function forEachLevel(values, way, visit) {
  const order = Uint32Array.from(values.keys()).sort((a, b) => (way === "up" ? values[a] - values[b] : values[b] - values[a]));
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    visit(order.subarray(start, end));
    start = end;
  }
}

// The share of `mask` among the brightest pixels of the bilinearly enlarged map. A bilinear surface is highest next to
// the centres of patches, so only the patches that reach the top there are looked at pixel by pixel.
function shareOfBrightest(values, target, mask) {
  const { rows, cols, width, patchHeight, patchWidth } = target;
  const at = (y, x) => bilinear(values, rows, cols, (y + 0.5) / patchHeight - 0.5, (x + 0.5) / patchWidth - 0.5);
  const highest = (patch) => {
    const y = Math.floor(patch / cols) * patchHeight + (patchHeight - 1) / 2;
    const x = (patch % cols) * patchWidth + (patchWidth - 1) / 2;
    return Math.max(at(Math.floor(y), Math.floor(x)), at(Math.floor(y), Math.ceil(x)), at(Math.ceil(y), Math.floor(x)), at(Math.ceil(y), Math.ceil(x)));
  };
  const tops = Array.from(values.keys(), highest);
  const top = Math.max(...tops);
  const limit = top - 1e-9 * Math.abs(top);
  let hits = 0;
  let all = 0;
  tops.forEach((reached, patch) => {
    if (reached < limit) return;
    const [y0, x0] = [Math.floor(patch / cols) * patchHeight, (patch % cols) * patchWidth];
    for (let y = y0; y < y0 + patchHeight; y++) {
      for (let x = x0; x < x0 + patchWidth; x++) {
        if (at(y, x) < limit) continue;
        all += 1;
        hits += mask[y * width + x];
      }
    }
  });
  return hits / all;
}

function bilinear(values, rows, cols, y, x) {
  const row = Math.min(rows - 1, Math.max(0, y));
  const col = Math.min(cols - 1, Math.max(0, x));
  const [r, c] = [Math.min(rows - 1, Math.floor(row)), Math.min(cols - 1, Math.floor(col))];
  const [below, right] = [Math.min(rows - 1, r + 1), Math.min(cols - 1, c + 1)];
  const [down, across] = [row - r, col - c];
  const upper = values[r * cols + c] * (1 - across) + values[r * cols + right] * across;
  const lower = values[below * cols + c] * (1 - across) + values[below * cols + right] * across;
  return upper * (1 - down) + lower * down;
}

// Bright in the middle, where people put things: what any map must beat.
export function centrePrior([rows, cols]) {
  return Float64Array.from({ length: rows * cols }, (_, i) => {
    const y = ((Math.floor(i / cols) + 0.5) / rows) * 2 - 1;
    const x = (((i % cols) + 0.5) / cols) * 2 - 1;
    return Math.exp(-2 * (x * x + y * y));
  });
}
