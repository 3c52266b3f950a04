// A public server reads five formats. Whatever else the browser can show (HEIC in Safari, BMP) becomes one of them before it is sent.

import { framed, jpegOf } from "./frames.js";

const TYPE = /^image\/(jpeg|png|webp|gif|avif)$/;
const NAME = /\.(jpe?g|jfif|png|webp|gif|avif)$/i; // of a file without a type

/**
 * @param {File} file
 * @param {number} most bytes that the server accepts: a PNG that has more becomes a JPEG
 * @returns {Promise<File>} a file that the server reads; the same one if the browser cannot show it either, and the server says why
 */
export async function readable(file, most) {
  if (file.type ? TYPE.test(file.type) : NAME.test(file.name)) return file;
  try {
    const picture = await createImageBitmap(file);
    const canvas = framed(picture, picture.width, picture.height);
    picture.close();
    const png = await /** @type {Promise<Blob>} */ (new Promise((done) => canvas.toBlob(done)));
    const made = png.size > most ? await jpegOf(canvas) : png;
    const name = `${file.name.replace(/\.\w+$/, "")}.${made === png ? "png" : "jpg"}`;
    return new File([made], name, { type: made.type, lastModified: file.lastModified });
  } catch {
    return file;
  }
}
