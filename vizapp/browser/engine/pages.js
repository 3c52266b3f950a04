// How many pages a picture's file has: the frames of an animated GIF, PNG or WebP that is looked at as one picture. They are
// counted without decoding, up to a bound, as vizapp/picture/pages.py does. One behind the first is decoded by the browser.

import { MOST_PAGES, PUBLIC_PIXELS } from "../../vocabulary.js";
import { Refused } from "./refused.js";

const STEPS = 2 ** 20; // parts of a GIF's frames that are looked at
const CHUNKS = 2 ** 16; // of a WebP or a PNG
const DRAWN = 4; // times the most pixels that are read: all frames before one are decoded

/**
 * @typedef {{pages: number, isAll: boolean, alone: number}} Pages `alone`: 1 if the first picture of a PNG is no part of its
 *   animation
 */

/** @type {Record<string, (bytes: Uint8Array, file: DataView) => Pages>} by kind, as header.js calls it */
const COUNTED = { gif, png, webp };

/** @param {string} kind @param {Uint8Array} bytes @returns {Pages} */
export function pagesOf(kind, bytes) {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return COUNTED[kind]?.(bytes, file) ?? { pages: 1, isAll: true, alone: 0 };
}

const upTo = (found, alone = 0) => ({ pages: Math.min(Math.max(1, found), MOST_PAGES), isAll: found <= MOST_PAGES, alone });

const is = (bytes, at, text) => [...text].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

function gif(bytes) {
  const table = (told) => (told & 0x80 ? 3 * 2 ** ((told & 7) + 1) : 0);
  let [at, found, steps] = [13 + table(bytes[10]), 0, 0];
  while (at < bytes.length && steps < STEPS && found <= MOST_PAGES) {
    steps += 1;
    const mark = bytes[at];
    if (mark === 0x3b) break;
    if (mark === 0x2c) {
      at += 11 + table(bytes[at + 9]);
      found += 1;
    } else if (mark === 0x21) {
      at += 2;
    } else {
      at += 1;
      continue;
    }
    for (; bytes[at] && steps < STEPS; steps++) at += 1 + bytes[at];
    at += 1;
  }
  const { pages, isAll } = upTo(found);
  return { pages, isAll: isAll && steps < STEPS, alone: 0 };
}

function png(bytes, file) {
  let [told, found, alone, hasPixels] = [0, 0, 0, false];
  for (let at = 8, i = 0; i < CHUNKS; i++) {
    if (at + 8 > bytes.length || is(bytes, at + 4, "IEND") || (hasPixels && !told))
      return upTo(Math.min(told, found) + alone, alone);
    const length = file.getUint32(at);
    if (is(bytes, at + 4, "acTL") && length === 8 && !hasPixels && at + 12 <= bytes.length) told = file.getUint32(at + 8);
    if (is(bytes, at + 4, "fcTL")) found += 1;
    if (is(bytes, at + 4, "IDAT") && !hasPixels) [hasPixels, alone] = [true, found ? 0 : 1];
    at += 12 + length;
  }
  return { pages: Math.max(1, Math.min(told, found, MOST_PAGES)), isAll: false, alone };
}

function webp(bytes, file) {
  let found = 0;
  for (let at = 12, i = 0; i < CHUNKS; i++) {
    if (at + 8 > bytes.length || found > MOST_PAGES) return upTo(found);
    if (is(bytes, at, "ANMF")) found += 1;
    at += 8 + Math.ceil(file.getUint32(at + 4, true) / 2) * 2;
  }
  return { pages: Math.max(1, found), isAll: false, alone: 0 };
}

const decoder = () => /** @type {any} */ (globalThis).ImageDecoder;

/** Whether this browser can decode a page behind the first. */
export const canTurn = () => Boolean(decoder());

/**
 * A page behind the first, as a bitmap. Refuses one that is not there, and one too far behind.
 * @param {Uint8Array} bytes with orientation 1
 * @param {{kind: string, width: number, height: number}} header
 * @param {number} page
 * @param {Pages} counted
 * @returns {Promise<ImageBitmap>}
 */
export async function bitmapOfPage(bytes, { kind, width, height }, page, { pages, alone }) {
  if (page > pages) throw new Refused("pictureNoPage", { page, pages });
  if (page * width * height > PUBLIC_PIXELS * DRAWN) throw new Refused("picturePageFar", { page });
  if (!canTurn()) throw new Refused("picturePageNotHere");
  const how = { data: bytes, type: `image/${kind}`, colorSpaceConversion: "none", preferAnimation: true };
  const film = new (decoder())(how);
  try {
    const { image } = await film.decode({ frameIndex: page - 1 - alone });
    const bitmap = await createImageBitmap(image, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
    image.close();
    return bitmap;
  } catch {
    throw new Refused("pictureDamaged");
  } finally {
    film.close();
  }
}
