// A picture's file -> RGB, upright: what vizapp/picture.py does, with the decoders of a browser, in a Worker or a page.
//
// Browsers read the tag that says which way is up, too, in some formats, and not all the same: it is taken out before, so that
// they turn nothing, and then obeyed here.

import { headerOf } from "./header.js";
import { decodePng } from "./png.js";
import { Refused } from "./refused.js";
import { upright } from "./turn.js";
import { overWhite } from "./white.js";

const MAX_PIXELS = 25_000_000; // as many as of a stranger's picture on a server: four bytes each, and some of them twice
const MOST_SHRUNK = 8; // times as many may be in a JPEG, which is then decoded at a smaller size
const MIN_SIDE = 8;
const MAX_ASPECT = 100; // long side : short side
const STRIP = 2 ** 20; // pixels that are read off a canvas at a time

/**
 * @typedef {{width: number, height: number, data: Uint8Array}} Rgb
 *
 * @param {Uint8Array} bytes of a file
 * @returns {Promise<Rgb & {note: {key: string, values: Record<string, number>} | null}>}
 *   note: what must be said of it. Throws `Refused` for what is no picture, or cannot be read here
 */
export async function decode(bytes) {
  const header = headerOf(bytes);
  const factor = shrinking(header);
  const stored = header.kind === "png" ? await decodePng(bytes) : await byBrowser(bytes, header, factor);
  const picture = upright(stored, header.orientation);
  if (factor === 1) return { ...picture, note: null };
  const { width, height } = header.orientation < 5 ? header : { width: header.height, height: header.width };
  const values = { lessWidth: picture.width, lessHeight: picture.height, width, height };
  return { ...picture, note: { key: "pictureShrunk", values } };
}

// How many times shorter its sides must become; refuses what has a wrong shape, or too many pixels at any.
function shrinking({ kind, width, height }) {
  const pixels = width * height;
  const size = { width, height };
  if (pixels > MAX_PIXELS * (kind === "jpeg" ? MOST_SHRUNK : 1)) {
    throw new Refused("pictureTooLarge", { ...size, millions: MAX_PIXELS / 1e6 });
  }
  if (Math.min(width, height) < MIN_SIDE) throw new Refused("pictureTooSmall", { ...size, least: MIN_SIDE });
  if (Math.max(width, height) > MAX_ASPECT * Math.min(width, height)) {
    throw new Refused("pictureTooLong", { ...size, most: MAX_ASPECT });
  }
  return [1, 2, 4].find((factor) => pixels <= MAX_PIXELS * factor ** 2) ?? 4;
}

/** @returns {Promise<Rgb>} */
async function byBrowser(bytes, { kind, width, height, exif }, factor) {
  const resized = { resizeWidth: Math.ceil(width / factor), resizeHeight: Math.ceil(height / factor), resizeQuality: "high" };
  let bitmap;
  try {
    bitmap = await createImageBitmap(new Blob([unturned(bytes, exif)], { type: `image/${kind}` }), {
      // Profiles are not applied, as in the training of the networks.
      colorSpaceConversion: "none",
      premultiplyAlpha: "none",
      .../** @type {ImageBitmapOptions} */ (factor > 1 ? resized : {}),
    });
  } catch {
    throw new Refused("pictureDamaged");
  }
  try {
    return pixelsOf(bitmap);
  } finally {
    bitmap.close();
  }
}

// The same file, whose orientation is 1.
function unturned(bytes, [from, counts]) {
  if (from === undefined) return bytes;
  const copy = bytes.slice();
  copy.fill(0, from, from + 2);
  copy[counts] = 1;
  return copy;
}

/** @param {ImageBitmap} bitmap @returns {Rgb} */
export function pixelsOf(bitmap) {
  const { width, height } = bitmap;
  const rows = Math.min(height, Math.max(1, Math.floor(STRIP / width)));
  const canvas = new OffscreenCanvas(width, rows); // of a strip: phones have canvases of 16 million pixels and no more
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  const data = new Uint8Array(width * height * 3);
  for (let top = 0; top < height; top += rows) {
    context.clearRect(0, 0, width, rows);
    context.drawImage(bitmap, 0, -top);
    const count = Math.min(rows, height - top);
    overWhite(context.getImageData(0, 0, width, count).data, data, top * width * 3);
  }
  return { width, height, data };
}
