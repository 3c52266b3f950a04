// Scores how well a map finds the object, with the metrics of vizapp/core/metrics. A map is the values of the patches row by row
// (Float32Array), the mask is zeros and ones in the model's pixels, height x width.

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
    this.cover = new Float64Array(rows * cols); // the fraction of each patch that is object
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

  // 1 for the patches that count as object: at least half of the patch is object. If no patch reaches that, those with the most.
  objectPatches() {
    const most = Math.max(...this.cover);
    const limit = Math.min(0.5, most);
    const isAll = this.cover.every((share) => share >= limit);
    return Uint8Array.from(this.cover, (share) => Number(share >= (isAll ? most : limit)));
  }

  // A metric needs both object and background.
  get isUsable() {
    return this.area > 0 && this.area < 1;
  }

  // The mask, widened by half a patch in each direction.
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

  // The probability that a patch of the object is brighter than another one. Counted along the sorted values, ties together.
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
      if (i && values[order[i - 1]] === values[order[i]]) continue; // no threshold separates ties
      best = Math.max(best, inside / (order.length - i + whole - inside));
    }
    return best;
  },

  pointing: (values, target) => shareOfBrightest(values, target, target.mask),
  pointing_near: (values, target) => shareOfBrightest(values, target, target.near),
};

// The indices of the values, from the smallest to the largest. A typed array of numbers sorts several times as fast as indices
// with a comparing function, so each index is packed into the low digits of a number that grows with its value.
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

// The mask's value at the centre of the brightest patch, averaged over ties. The centre of a patch of even size lies between four
// pixels, so it takes their mean.
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

// A map that is bright in the middle, where people put things: the baseline that any map must beat.
export function centrePrior([rows, cols]) {
  return Float32Array.from({ length: rows * cols }, (_, i) => {
    const y = ((Math.floor(i / cols) + 0.5) / rows) * 2 - 1;
    const x = (((i % cols) + 0.5) / cols) * 2 - 1;
    return Math.exp(-2 * (x * x + y * y));
  });
}

/** The one that was chosen: the state has no other than these. @param {import("../panel.js").Metric[]} all @param {{metric: string}} view */
export function metricOf(all, view) {
  const found = all.find(({ name }) => name === view.metric);
  if (!found) throw new TypeError(`There is no metric '${view.metric}'.`);
  return found;
}

// ---- as numbers are read, by the format that a metric declares

const isYesOrNo = (value) => value === 0 || value === 1; // a hit is, but for several brightest patches

/** @type {Record<import("../../../vocabulary.js").Format, {short: (value: number) => string, long: (value: number, words: any) => string}>} */
const WRITTEN = {
  share: { short: hundredths, long: percent },
  area: { short: hundredths, long: (value) => value.toFixed(2) },
  times: { short: (value) => value.toFixed(1), long: (value) => `${value.toFixed(1)} \u00d7` },
  hit: {
    short: (value) => (isYesOrNo(value) ? (value ? "\u2713" : "\u2013") : hundredths(value)),
    long: (value, words) => (isYesOrNo(value) ? words.say(value ? "yes" : "no") : percent(value)),
  },
};

/** @param {number} value */
function hundredths(value) {
  return String(Math.round(100 * value));
}

/** As it stands in a small map. @param {number} value @param {{format: import("../../../vocabulary.js").Format}} metric */
export const short = (value, { format }) => WRITTEN[format].short(value);

/** As it stands in a sentence. @param {number} value @param {{format: import("../../../vocabulary.js").Format}} metric @param {any} words */
export const long = (value, { format }, words) => WRITTEN[format].long(value, words);
