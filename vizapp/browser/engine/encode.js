// The picture as the page shows it: small ones without loss, photographs as JPEG; as ui/viewer/payload.py has it.

import { DRAWN_PIXELS, JPEG_QUALITY, LONGEST_SIDE } from "../../vocabulary.js";
import { bytesOf } from "./blobs.js";

/**
 * @param {{width: number, height: number, data: Uint8Array}} picture RGB
 * @returns {Promise<{bytes: Uint8Array, type: string}>}
 */
export async function encode(picture) {
  const bitmap = await fitted(picture);
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const type = width * height <= DRAWN_PIXELS ? "image/png" : "image/jpeg";
  const blob = await canvas.convertToBlob({ type, quality: JPEG_QUALITY / 100 });
  return { bytes: await bytesOf(blob), type: blob.type };
}

// Only people see this picture, so the browser may resize it in its own way, which takes a tenth of the time of Pillow's.
function fitted({ width, height, data }) {
  const pixels = new ImageData(width, height);
  const rgba = pixels.data;
  for (let at = 0, to = 0; at < data.length; at += 3, to += 4) {
    rgba[to] = data[at];
    rgba[to + 1] = data[at + 1];
    rgba[to + 2] = data[at + 2];
    rgba[to + 3] = 255;
  }
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const [resizeWidth, resizeHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  const resized = scale < 1 ? { resizeWidth, resizeHeight, resizeQuality: /** @type {const} */ ("high") } : {};
  return createImageBitmap(pixels, { colorSpaceConversion: "none", ...resized });
}
