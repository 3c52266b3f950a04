// The picture as the page shows it: small ones without loss, photographs as JPEG; as ui/viewer/payload.py has it.

import { resize } from "./resample.js";
import { even } from "./rounding.js";

const LONGEST_SIDE = 1024; // of the picture on the page; the maps do not depend on it
const SMALL = 256 * 256; // pixels; drawn ones, which JPEG would blur where they are one pixel wide
const QUALITY = 0.88;

/**
 * @param {{width: number, height: number, data: Uint8Array}} picture RGB
 * @returns {Promise<{bytes: Uint8Array, type: string}>}
 */
export async function encode(picture) {
  const { width, height, data } = fitted(picture);
  const canvas = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = new ImageData(width, height);
  for (let at = 0, to = 0; at < data.length; at += 3, to += 4) {
    for (let channel = 0; channel < 3; channel++) pixels.data[to + channel] = data[at + channel];
    pixels.data[to + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  const type = width * height <= SMALL ? "image/png" : "image/jpeg";
  const blob = await canvas.convertToBlob({ type, quality: QUALITY });
  return { bytes: new Uint8Array(await blob.arrayBuffer()), type: blob.type };
}

function fitted(picture) {
  const scale = LONGEST_SIDE / Math.max(picture.width, picture.height);
  if (scale >= 1) return picture;
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, even(side * scale)));
  return resize({ ...picture, channels: 3 }, width, height, { filter: "bilinear" });
}
