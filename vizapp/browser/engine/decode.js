// A picture's file -> RGB, upright: what vizapp/picture does, with the decoders of a browser, in a Worker or a page.
//
// Browsers obey the orientation tag in some formats, and not all in the same ones. So it is set to 1 before they decode, and the
// picture is turned here.

import { MAX_ASPECT, MIN_SIDE, MOST_SHRUNK, PUBLIC_PIXELS } from "../../vocabulary.js";
import { bitmapOf } from "./blobs.js";
import { headerOf } from "./header.js";
import { bitmapOfPage, canTurn, pagesOf } from "./pages.js";
import { decodePng } from "./png.js";
import { Refused } from "./refused.js";
import { sampleOf } from "./samples.js";
import { upright } from "./turn.js";
import { overWhite } from "./white.js";
import { isWhole } from "./whole.js";

const NAMES = { jpeg: "JPEG", webp: "WebP", gif: "GIF", bmp: "BMP", avif: "AVIF" };
const DAMAGED = ["InvalidStateError", "EncodingError"]; // the names of a browser's errors for pixels that it cannot decode
const STRIP = 2 ** 20; // pixels that are read off a canvas at a time

/**
 * @typedef {{width: number, height: number, data: Uint8Array}} Rgb
 * @typedef {{page: number, pages: number, isAll: boolean, turns: boolean}} Page as numbers/payload.js has it
 *
 * @param {Uint8Array} bytes of a file
 * @param {number} [page] of an animation that is looked at as one picture, from 1
 * @returns {Promise<Rgb & {note: {key: string, values: Record<string, number>} | null, pages: Page | null}>}
 *   note: a sentence for the visitor; pages: if the file has several. Throws `Refused` for files that are not pictures, or cannot
 *   be decoded here
 */
export async function decode(bytes, page = 1) {
  const header = headerOf(bytes);
  const factor = shrinking(header);
  const counted = pagesOf(header.kind, bytes);
  const { note, ...stored } = await storedIn(bytes, header, factor, page, counted);
  const picture = upright(stored, header.orientation);
  const pages = counted.pages > 1 ? { page, pages: counted.pages, isAll: counted.isAll, turns: canTurn() } : null;
  if (factor === 1) return { ...picture, note, pages };
  const { width, height } = header.orientation < 5 ? header : { width: header.height, height: header.width };
  const values = { lessWidth: picture.width, lessHeight: picture.height, width, height };
  return { ...picture, note: { key: "pictureShrunk", values }, pages };
}

// A page as it is stored, before it is turned.
async function storedIn(bytes, header, factor, page, counted) {
  if (page > 1) return { ...(await bitmapRead(bitmapOfPage(unturned(bytes, header.exif), header, page, counted))), note: null };
  return header.kind === "png" ? decodePng(bytes) : { ...(await byBrowser(bytes, header, factor)), note: null };
}

// The factor by which its sides must shrink. Refuses extreme aspect ratios, and pictures that are too large at any factor.
function shrinking({ kind, width, height }) {
  const pixels = width * height;
  const size = { width, height };
  if (pixels > PUBLIC_PIXELS * (kind === "jpeg" ? MOST_SHRUNK : 1)) {
    throw new Refused("pictureTooLarge", { ...size, millions: PUBLIC_PIXELS / 1e6 });
  }
  if (Math.min(width, height) < MIN_SIDE) throw new Refused("pictureTooSmall", { ...size, least: MIN_SIDE });
  if (Math.max(width, height) > MAX_ASPECT * Math.min(width, height)) {
    throw new Refused("pictureTooLong", { ...size, most: MAX_ASPECT });
  }
  return [1, 2, 4].find((factor) => pixels <= PUBLIC_PIXELS * factor ** 2) ?? 4;
}

/** @returns {Promise<Rgb>} */
async function byBrowser(bytes, { kind, width, height, exif }, factor) {
  if (!isWhole(kind, bytes)) throw new Refused("pictureDamaged");
  const resized = { resizeWidth: Math.ceil(width / factor), resizeHeight: Math.ceil(height / factor), resizeQuality: "high" };
  return bitmapRead(bitmapIn(kind, unturned(bytes, exif), factor > 1 ? resized : {}));
}

/** @param {Promise<ImageBitmap>} decoding @returns {Promise<Rgb>} */
async function bitmapRead(decoding) {
  const bitmap = await decoding;
  try {
    return pixelsOf(bitmap);
  } finally {
    bitmap.close();
  }
}

async function bitmapIn(kind, bytes, resized) {
  const file = (some) => new Blob([some], { type: `image/${kind}` });
  try {
    // Colour profiles are not applied, because training did not apply them either.
    return await bitmapOf(file(bytes), { colorSpaceConversion: "none", premultiplyAlpha: "none", ...resized });
  } catch (error) {
    // A browser reports damaged files and unknown formats by the same error. If it can decode a sample, this file is damaged.
    const known = await bitmapOf(file(sampleOf(kind))).catch(() => null);
    if (!known) throw new Refused("pictureKind", { kind: NAMES[kind] });
    known.close();
    if (!DAMAGED.includes(error?.name)) throw error;
    throw new Refused("pictureDamaged");
  }
}

// The same file with orientation 1.
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
  const canvas = new OffscreenCanvas(width, rows); // read in strips: a phone's canvas has at most 16 million pixels
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
