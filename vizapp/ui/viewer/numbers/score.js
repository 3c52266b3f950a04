// Does a map find the object? The same metrics as vizapp/core/metrics, for one map and one mask: values of the patches,
// row by row (Float32Array), and the mask in the model's pixels, (height x width) zeros and ones.

import { percent } from "./format.js";

export class Target {
  constructor(mask, [height, width], [rows, cols]) {
    this.mask = mask;
    this.height = height;
    this.width = width;
    this.rows = rows;
    this.cols = cols;
    this.patchHeight = height / rows;
    this.patchWidth = width / cols;
    this.cover = new Float64Array(rows * cols); // how much of each patch is object
    const pixels = new Float64Array(rows * cols);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const patch = this.patchOf(y, x);
        this.cover[patch] += mask[y * width + x];
        pixels[patch] += 1;
      }
    }
    for (let i = 0; i < rows * cols; i++) this.cover[i] /= pixels[i] || 1;
    this.area = this.cover.reduce((a, b) => a + b, 0) / (rows * cols);
    this.isObject = this.objectPatches();
  }

  patchOf(y, x) {
    return Math.floor((y + 0.5) / this.patchHeight) * this.cols + Math.floor((x + 0.5) / this.patchWidth);
  }

  // 1 for the patches that count as object: at least half of them is; if no patch reaches that, those that have most of it.
  objectPatches() {
    const most = Math.max(...this.cover);
    const limit = Math.min(0.5, most);
    const isAll = this.cover.every((share) => share >= limit);
    return Uint8Array.from(this.cover, (share) => Number(share >= (isAll ? most : limit)));
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
  auc(values, { isObject }) {
    const objects = isObject.reduce((a, b) => a + b, 0);
    const others = values.length - objects;
    if (!others) return 0.5;
    const order = darkestFirst(values);
    let wins = 0;
    let below = 0; // other patches that are darker
    for (let start = 0, end; start < order.length; start = end) {
      let here = 0;
      for (end = start; end < order.length && values[order[end]] === values[order[start]]; end++) here += isObject[order[end]];
      const equals = end - start - here;
      wins += here * (below + equals / 2);
      below += equals;
    }
    return wins / (objects * others);
  },

  iou(values, { cover, area }) {
    const whole = area * values.length;
    const order = darkestFirst(values);
    let best = 0;
    let inside = 0;
    for (let i = order.length - 1; i >= 0; i--) {
      inside += cover[order[i]];
      if (i && values[order[i - 1]] === values[order[i]]) continue; // no threshold parts equals
      best = Math.max(best, inside / (order.length - i + whole - inside));
    }
    return best;
  },

  pointing: (values, target) => shareOfBrightest(values, target, target.mask),
  pointing_near: (values, target) => shareOfBrightest(values, target, target.near),
};

// The indices of the values, from the smallest to the largest. Numbers are sorted several times as fast as indices with a
// function that compares; so each index goes into the low digits of a number that grows with its value.
function darkestFirst(values) {
  const n = values.length;
  const bits = new Uint32Array(values.slice().buffer);
  const keys = new Float64Array(n);
  for (let i = 0; i < n; i++) keys[i] = (bits[i] >>> 31 ? ~bits[i] >>> 0 : bits[i] + 2 ** 31) * n + i;
  keys.sort();
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = keys[i] - Math.floor(keys[i] / n) * n;
  return order;
}

// What of `mask` lies in the middle of the brightest patch, the mean of equals. The middle of a patch of even size is between
// four pixels: their mean.
function shareOfBrightest(values, target, mask) {
  const { cols, width, patchHeight, patchWidth } = target;
  const top = values.reduce((most, one) => Math.max(most, one), -Infinity);
  const limit = top - 1e-9 * Math.abs(top);
  let hits = 0;
  let all = 0;
  for (let patch = 0; patch < values.length; patch++) {
    if (values[patch] < limit) continue;
    const y = (Math.floor(patch / cols) + 0.5) * patchHeight - 0.5;
    const x = ((patch % cols) + 0.5) * patchWidth - 0.5;
    for (const row of [Math.floor(y), Math.ceil(y)]) {
      for (const col of [Math.floor(x), Math.ceil(x)]) hits += mask[row * width + col] / 4;
    }
    all += 1;
  }
  return hits / all;
}

// Bright in the middle, where people put things: what any map must beat.
export function centrePrior([rows, cols]) {
  return Float32Array.from({ length: rows * cols }, (_, i) => {
    const y = ((Math.floor(i / cols) + 0.5) / rows) * 2 - 1;
    const x = (((i % cols) + 0.5) / cols) * 2 - 1;
    return Math.exp(-2 * (x * x + y * y));
  });
}

/** The one that was chosen; the first where a link names one that is not here. @param {any[]} all @param {{metric: string}} view */
export const metricOf = (all, view) => all.find(({ name }) => name === view.metric) ?? all[0];

// ---- as numbers are read, by the format that a metric declares: "percent", "times" or "number"

const HITS = ["pointing", "pointing_near"]; // yes or no, but for several brightest patches
const isYesOrNo = (value, name) => HITS.includes(name) && (value === 0 || value === 1);

// As it stands in a small map.
export function short(value, { name, format }) {
  if (isYesOrNo(value, name)) return value ? "\u2713" : "\u2013";
  return format === "times" ? value.toFixed(1) : String(Math.round(100 * value));
}

export function long(value, { name, format }, words) {
  if (isYesOrNo(value, name)) return words.say(value ? "yes" : "no");
  if (format === "times") return `${value.toFixed(1)} \u00d7`;
  return format === "number" ? value.toFixed(2) : percent(value);
}
