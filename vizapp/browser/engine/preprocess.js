// Picture -> pixels, exactly as a checkpoint was trained: the twin of model/preprocess.py. The only place that resizes, crops,
// pads and normalises.

import { FITS } from "../../vocabulary.js";
import { frameOf } from "./frame.js";
import { resize } from "./resample.js";
import { even } from "./rounding.js";

const LARGEST_RESIZED = 2 ** 24; // pixels: beyond it (a very long strip) only the part that the model sees is resized

/**
 * @typedef {object} Preprocess as the header of a network's file says it
 * @property {[number, number]} size height and width of the input
 * @property {number[]} mean of each channel, for values from 0 to 1: three for RGB, one for grey
 * @property {number[]} std
 * @property {string} interpolation
 * @property {number} crop how much of the resized picture the centre crop keeps
 * @property {import("../../vocabulary.js").Fit} fit unless the caller chooses
 */

/**
 * @param {{width: number, height: number, data: Uint8Array | Uint8ClampedArray}} picture RGB, upright
 * @param {Preprocess} how
 * @param {import("../../vocabulary.js").Fit} [fit] another than the checkpoint's own
 * @returns {{pixels: Float32Array, frame: import("./frame.js").Frame}} pixels (channels, h, w)
 */
export function preprocess(picture, how, fit = how.fit) {
  const scaled = scaledSize(picture.height, picture.width, how, fit);
  /** @type {[number, number]} */
  const origin = [centred(scaled[0], how.size[0]), centred(scaled[1], how.size[1])];
  const rgb = { width: picture.width, height: picture.height, channels: 3, data: picture.data };
  const seen = windowOf(how.mean.length === 1 ? grey(rgb) : rgb, how, scaled, origin);
  const { height, width } = picture;
  return { pixels: normalised(seen, how), frame: frameOf([height, width], how.size, scaled, origin) };
}

// The grey of ITU-R 601, in 16 bits as Pillow has it.
function grey({ width, height, data }) {
  const made = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < made.length; i++, at += 3) {
    made[i] = (data[at] * 19595 + data[at + 1] * 38470 + data[at + 2] * 7471 + 0x8000) >> 16;
  }
  return { width, height, channels: 1, data: made };
}

// [height, width] to resize the picture to before the window is cut out of it: rounded as timm rounds.
/** @returns {[number, number]} */
function scaledSize(height, width, { size, crop, fit: own }, fit) {
  if (!FITS.includes(fit)) throw new Error(`'${fit}' is no way to bring a picture to a size.`);
  const kept = fit === "crop" || fit === own ? crop : 1;
  const [targetH, targetW] = size.map((side) => Math.floor(side / kept));
  if (fit === "squash") return [targetH, targetW];
  if (fit === "crop" && targetH === targetW) {
    // The long side is truncated, by torchvision's Resize.
    if (height <= width) return [targetH, Math.trunc((targetH * width) / height)];
    return [Math.trunc((targetW * height) / width), targetW];
  }
  const ratios = [height / targetH, width / targetW];
  const ratio = fit === "crop" ? Math.min(...ratios) : Math.max(...ratios); // cover the target, or fit into it
  return [Math.max(1, even(height / ratio)), Math.max(1, even(width / ratio))];
}

// Where a centred window of `size` begins: negative when it is wider than what is `scaled`. Rounded as timm does: half to even
// when cropping, the odd pixel to the far side when padding.
function centred(scaled, size) {
  return scaled >= size ? even((scaled - size) / 2) : -Math.floor((size - scaled) / 2);
}

// What the model's window shows of the picture resized to `scaled`, bytes (h, w, channels); the mean colour where there is none.
function windowOf(picture, { size: [height, width], mean, interpolation: filter }, [scaledH, scaledW], [top, left]) {
  const [y0, y1] = [Math.max(top, 0), Math.min(top + height, scaledH)];
  const [x0, x1] = [Math.max(left, 0), Math.min(left + width, scaledW)];
  const across = (x) => (x * picture.width) / scaledW;
  const down = (y) => (y * picture.height) / scaledH;
  const visible =
    scaledH * scaledW > LARGEST_RESIZED // the same pixels up to rounding, without the gigabytes
      ? resize(picture, x1 - x0, y1 - y0, { filter, box: [across(x0), down(y0), across(x1), down(y1)] })
      : resize(picture, scaledW, scaledH, { filter, part: [x0, y0, x1, y1] });
  const channels = mean.length;
  const fill = Uint8Array.from(mean, (value) => even(value * 255));
  const made = new Uint8Array(height * width * channels);
  for (let i = 0; i < made.length; i++) made[i] = fill[i % channels];
  const line = (x1 - x0) * channels;
  for (let y = y0; y < y1; y++) {
    made.set(visible.data.subarray((y - y0) * line, (y - y0 + 1) * line), ((y - top) * width + x0 - left) * channels);
  }
  return { width, height, channels, data: made };
}

// Bytes (h, w, channels) -> float32 (channels, h, w); each of 256 values is divided once, and rounded where torch rounds.
function normalised({ width, height, channels, data }, { mean, std }) {
  const pixels = new Float32Array(channels * height * width);
  const table = new Float32Array(256);
  for (let channel = 0; channel < channels; channel++) {
    const [middle, spread] = [Math.fround(mean[channel]), Math.fround(std[channel])];
    for (let value = 0; value < 256; value++) table[value] = Math.fround(Math.fround(value / 255) - middle) / spread;
    const start = channel * height * width;
    for (let i = 0, at = channel; i < height * width; i++, at += channels) pixels[start + i] = table[data[at]];
  }
  return pixels;
}
