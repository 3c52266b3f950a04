// Pillow's resize, byte for byte: antialiased, in two passes, with coefficients of 22 bits and bytes between the passes.
//
// A canvas resizes differently, and differently in each browser, and a network that was trained on Pillow's pixels then gives
// other numbers. So "close" is not enough here: this rounds wherever Pillow rounds, and in the same direction.

/**
 * @typedef {object} Image
 * @property {number} width
 * @property {number} height
 * @property {number} channels values of a pixel, side by side
 * @property {Uint8Array | Uint8ClampedArray} data row by row
 *
 * @typedef {[number, number, number, number]} Box left, top, right, bottom
 */

const BITS = 22; // of a coefficient, as a whole number: 32 less 8 for the byte and 2 for sums outside of 0 to 255
const HALF = 1 << (BITS - 1);

const sinc = (x) => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI));

const bilinear = (x) => Math.max(0, 1 - Math.abs(x));

// With a = -0.5, as Pillow and most others have it; a canvas and OpenCV take -0.75.
function bicubic(signed) {
  const x = Math.abs(signed);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * -0.5;
  return 0;
}

const lanczos = (x) => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0);

const KERNELS = { bilinear: [bilinear, 1], bicubic: [bicubic, 2], lanczos: [lanczos, 3] };

/**
 * `image` at `width` x `height`.
 *
 * @param {Image} image
 * @param {number} width
 * @param {number} height
 * @param {object} [how]
 * @param {string} [how.filter] "nearest", "bilinear", "bicubic" or "lanczos"
 * @param {Box} [how.box] the part of `image` that is resized, which may begin within a pixel; all of it
 * @param {Box} [how.part] the part of the result that is wanted, in whole pixels, the same bytes as a cut out of all of it
 * @returns {Image}
 */
export function resize(image, width, height, { filter = "bicubic", box, part } = {}) {
  const from = /** @type {Box} */ ((box ?? [0, 0, image.width, image.height]).map(Math.fround)); // Pillow keeps floats
  const wanted = part ?? [0, 0, width, height];
  if (filter === "nearest") return nearest(image, width, height, from, wanted);
  const across = coefficients(image.width, from[0], from[2], width, filter, wanted[0], wanted[2]);
  const down = coefficients(image.height, from[1], from[3], height, filter, wanted[1], wanted[3]);
  const [top, bottom] = [down.first[0], down.first[down.count - 1] + down.size[down.count - 1]];
  return vertical(horizontal(image, across, top, bottom), down, top);
}

// For each pixel of the result from `start` to `stop`: the first source pixel, the number of source pixels, and their weights.
function coefficients(inSize, in0, in1, outSize, filter, start, stop) {
  const [kernel, reach] = KERNELS[filter];
  const scale = Math.fround(in1 - in0) / outSize;
  const stretch = Math.max(1, scale); // a reduction widens the kernel: this is the antialias
  const support = reach * stretch;
  const count = stop - start;
  const most = Math.ceil(support) * 2 + 1;
  const [first, size, weights] = [new Int32Array(count), new Int32Array(count), new Int32Array(count * most)];
  const exact = new Float64Array(most);
  for (let place = 0; place < count; place++) {
    const centre = in0 + (place + start + 0.5) * scale;
    const low = Math.max(0, Math.trunc(centre - support + 0.5));
    const n = Math.min(inSize, Math.trunc(centre + support + 0.5)) - low;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      exact[i] = kernel((i + low - centre + 0.5) * (1 / stretch));
      sum += exact[i];
    }
    for (let i = 0; i < n; i++) {
      const weight = (sum === 0 ? exact[i] : exact[i] / sum) * (1 << BITS);
      weights[place * most + i] = Math.trunc(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
    first[place] = low;
    size[place] = n;
  }
  return { first, size, weights, most, count };
}

// Only those rows that the second pass looks at.
function horizontal({ width, channels, data }, { first, size, weights, most, count }, top, bottom) {
  const made = new Uint8Array((bottom - top) * count * channels);
  let out = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = 0; x < count; x++) {
      const from = (y * width + first[x]) * channels;
      const [weight, n] = [x * most, size[x]];
      if (channels === 3) {
        let [red, green, blue] = [HALF, HALF, HALF];
        for (let i = 0, at = from; i < n; i++, at += 3) {
          const one = weights[weight + i];
          red += data[at] * one;
          green += data[at + 1] * one;
          blue += data[at + 2] * one;
        }
        made[out++] = clipped(red);
        made[out++] = clipped(green);
        made[out++] = clipped(blue);
        continue;
      }
      for (let channel = 0; channel < channels; channel++) {
        let sum = HALF;
        for (let i = 0; i < n; i++) sum += data[from + i * channels + channel] * weights[weight + i];
        made[out++] = clipped(sum);
      }
    }
  }
  return { width: count, height: bottom - top, channels, data: made };
}

function vertical({ width, channels, data }, { first, size, weights, most, count }, top) {
  const line = width * channels;
  const made = new Uint8Array(count * line);
  const sums = new Int32Array(line); // a row at a time, in the order in which it lies in memory
  for (let y = 0; y < count; y++) {
    sums.fill(HALF);
    for (let i = 0; i < size[y]; i++) {
      const weight = weights[y * most + i];
      const from = (first[y] - top + i) * line;
      for (let x = 0; x < line; x++) sums[x] += data[from + x] * weight;
    }
    for (let x = 0; x < line; x++) made[y * line + x] = clipped(sums[x]);
  }
  return { width, height: count, channels, data: made };
}

function clipped(sum) {
  const value = sum >> BITS;
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

// The pixel under each centre. Positions are accumulated step by step, which reproduces Pillow's rounding.
function nearest({ width, height, channels, data }, outWidth, outHeight, box, [left, top, right, bottom]) {
  const columns = places(width, box[0], box[2], outWidth);
  const rows = places(height, box[1], box[3], outHeight);
  const made = new Uint8Array((right - left) * (bottom - top) * channels);
  let out = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const from = (rows[y] * width + columns[x]) * channels;
      for (let channel = 0; channel < channels; channel++) made[out++] = data[from + channel];
    }
  }
  return { width: right - left, height: bottom - top, channels, data: made };
}

function places(inSize, in0, in1, outSize) {
  const step = Math.fround(in1 - in0) / outSize;
  const found = new Int32Array(outSize);
  let at = in0 + step * 0.5;
  for (let place = 0; place < outSize; place++, at += step) found[place] = Math.min(inSize - 1, Math.trunc(at));
  return found;
}
