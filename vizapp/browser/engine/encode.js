// The picture as the page shows it: small ones without loss, photographs as JPEG; as ui/viewer/payload.py has it.

const LONGEST_SIDE = 1024; // of the picture on the page; the maps do not depend on it
const SMALL = 256 * 256; // pixels; drawn ones, which JPEG would blur where they are one pixel wide
const QUALITY = 0.88;

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
  const type = width * height <= SMALL ? "image/png" : "image/jpeg";
  const blob = await canvas.convertToBlob({ type, quality: QUALITY });
  return { bytes: new Uint8Array(await blob.arrayBuffer()), type: blob.type };
}

// No network sees this one, so the browser may resize it in its own way, which takes a tenth of the time of Pillow's.
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
