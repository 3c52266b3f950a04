// Reads the header of a picture's file before it is decoded: format, size and orientation.

import { Refused } from "./refused.js";

const ORIENTATION = 0x0112; // the EXIF tag
const CMYK = 4; // channels of a JPEG

/**
 * @typedef {object} Header
 * @property {"jpeg" | "png" | "webp" | "gif" | "bmp" | "avif"} kind
 * @property {number} width as it is stored
 * @property {number} height
 * @property {number} orientation 1 to 8, as EXIF counts; 1: the first row is the top
 * @property {number[]} exif where the two bytes of the orientation stand, and which of them counts; [] where it is not told
 */

const KINDS = { jpeg, png, webp, gif, bmp, avif };

const DOCUMENTS = ["<svg", "<?xml", "%PDF"];
const PHOTOS = ["heic", "heix", "mif1", "msf1", "hevc"];
const ELSEWHERE = ["II*\0", "MM\0*", "P1", "P2", "P3", "P4", "P5", "P6", "\0\0\0\fjP", "\xffO\xffQ"]; // TIFF, PPM, JPEG 2000

/** @param {Uint8Array} bytes @returns {Header} */
export function headerOf(bytes) {
  if (!bytes.length) throw new Refused("pictureEmpty");
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const kind = kindOf(file);
  try {
    const { width, height, exif = null } = KINDS[kind](file);
    return { kind, width, height, ...orientationAt(file, exif) };
  } catch (error) {
    if (error instanceof RangeError) throw new Refused("pictureDamaged"); // the file ends within its header
    throw error;
  }
}

function kindOf(file) {
  const start = text(file, 0, 16);
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "webp";
  if (start.startsWith("GIF8")) return "gif";
  if (start.startsWith("BM")) return "bmp";
  const brand = start.slice(4, 8) === "ftyp" ? start.slice(8, 12) : "";
  if (brand === "avif" || brand === "avis") return "avif";
  if (PHOTOS.includes(brand)) throw new Refused("pictureHeic");
  if (DOCUMENTS.some((mark) => start.trimStart().startsWith(mark))) throw new Refused("pictureDocument");
  throw new Refused(ELSEWHERE.some((mark) => start.startsWith(mark)) ? "pictureNotHere" : "pictureUnknown");
}

const text = (file, at, length) => {
  let found = "";
  for (let i = at; i < Math.min(at + length, file.byteLength); i++) found += String.fromCharCode(file.getUint8(i));
  return found;
};

function jpeg(file) {
  let exif = null;
  for (let at = 2; ;) {
    while (file.getUint8(at + 1) === 0xff) at++; // marks may begin with any number of these
    const mark = file.getUint8(at + 1);
    if (file.getUint8(at) !== 0xff || mark === 0xda) throw new Refused("pictureDamaged"); // pixels before their size
    if (mark >= 0xd0 && mark <= 0xd8) {
      at += 2; // has no length
      continue;
    }
    if (mark === 0xe1 && text(file, at + 4, 6) === "Exif\0\0") exif ??= at + 10;
    if (mark >= 0xc0 && mark <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(mark)) {
      // Some programs store CMYK inverted and others do not, and browsers do not agree on how to tell.
      if (file.getUint8(at + 9) === CMYK) throw new Refused("pictureCmyk");
      return { height: file.getUint16(at + 5), width: file.getUint16(at + 7), exif: exif ?? exifAfter(file, at) };
    }
    at += 2 + file.getUint16(at + 2);
  }
}

// The EXIF chunk of a PNG, which stands after the size.
function exifAfter(file, start) {
  for (let at = start; at + 10 < file.byteLength && file.getUint8(at) === 0xff && file.getUint8(at + 1) !== 0xda;) {
    if (file.getUint8(at + 1) === 0xe1 && text(file, at + 4, 6) === "Exif\0\0") return at + 10;
    at += 2 + file.getUint16(at + 2);
  }
  return null;
}

function png(file) {
  let exif = null;
  for (let at = 8; at + 12 <= file.byteLength; at += 12 + file.getUint32(at)) {
    if (text(file, at + 4, 4) === "eXIf") exif = at + 8; // it may stand behind the pixels
  }
  return { width: file.getUint32(16), height: file.getUint32(20), exif };
}

function webp(file) {
  const kind = text(file, 12, 4);
  if (kind === "VP8 ") return { width: file.getUint16(26, true) & 0x3fff, height: file.getUint16(28, true) & 0x3fff };
  if (kind === "VP8L") {
    const bits = file.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  let exif = null;
  for (let at = 12; at + 8 <= file.byteLength; at += 8 + Math.ceil(file.getUint32(at + 4, true) / 2) * 2) {
    if (text(file, at, 4) === "EXIF") exif = at + (text(file, at + 8, 4) === "Exif" ? 14 : 8);
  }
  const three = (at) => file.getUint16(at, true) + (file.getUint8(at + 2) << 16);
  return { width: three(24) + 1, height: three(27) + 1, exif };
}

function gif(file) {
  return { width: file.getUint16(6, true), height: file.getUint16(8, true) };
}

function bmp(file) {
  return { width: Math.abs(file.getInt32(18, true)), height: Math.abs(file.getInt32(22, true)) }; // below zero: top down
}

// The largest of the sizes in the file, which also lists those of tiles and thumbnails. A browser turns an AVIF by itself.
function avif(file) {
  let [width, height] = [0, 0];
  for (let at = 0; at + 16 < Math.min(file.byteLength, 65536); at++) {
    if (file.getUint32(at) !== 0x69737065) continue; // "ispe"
    const [w, h] = [file.getUint32(at + 8), file.getUint32(at + 12)];
    if (w * h > width * height) [width, height] = [w, h];
  }
  return { width, height };
}

// The orientation; 1 if the EXIF data are damaged, which is no reason to refuse the pixels.
function orientationAt(file, exif) {
  const upright = { orientation: 1, exif: [] };
  if (exif === null || exif + 8 > file.byteLength) return upright;
  const little = text(file, exif, 2) === "II";
  const table = exif + file.getUint32(exif + 4, little);
  if (table + 2 > file.byteLength) return upright;
  const count = file.getUint16(table, little);
  for (let i = 0, at = table + 2; i < count && at + 12 <= file.byteLength; i++, at += 12) {
    if (file.getUint16(at, little) !== ORIENTATION) continue;
    const orientation = file.getUint16(at + 8, little);
    return orientation >= 1 && orientation <= 8 ? { orientation, exif: [at + 8, at + (little ? 8 : 9)] } : upright;
  }
  return upright;
}
