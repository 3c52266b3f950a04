// Decodes PNG without the browser, to the same bytes as Pillow. A canvas stores colours multiplied by their alpha, so half
// transparent ones come back changed, and each browser converts 16 bits in its own way.

import { WHOLE, byteOf, largestOf, white } from "./depth.js";
import { Refused } from "./refused.js";
import { overWhite } from "./white.js";

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }; // by colour type: grey, RGB, palette, grey and alpha, RGBA
const SIGNIFICANT = { 0: 1, 2: 3, 4: 2, 6: 4 }; // bytes of sBIT
const AT_ONCE = [[0, 0, 1, 1]];
// First column and row, and the steps from one to the next, of the seven passes of an interlaced picture (Adam7).
// prettier-ignore
const PASSES = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];

/**
 * @typedef {{key: string, values: Record<string, number>}} Note
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<{width: number, height: number, data: Uint8Array, note: Note | null}>} RGB, over white, as it is stored; a
 *   note if it is made brighter
 */
export async function decodePng(bytes) {
  const { about, palette, transparent, significant, packed } = parts(bytes);
  const { width, height, depth, type, isInterlaced } = about;
  if (!packed.length || !(type in CHANNELS) || (type === 3 && !palette)) throw new Refused("pictureDamaged");
  const passes = (isInterlaced ? PASSES : AT_ONCE)
    .map(([x, y, stepX, stepY]) => {
      const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
      return { x, y, stepX, stepY, columns, rows };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
  const bits = CHANNELS[type] * depth;
  const lineOf = ({ columns }) => Math.ceil((columns * bits) / 8);
  const lines = await inflated(
    packed,
    passes.reduce((sum, pass) => sum + pass.rows * (1 + lineOf(pass)), 0),
  );
  const rows = unfiltered(lines, passes, lineOf, Math.max(1, bits >> 3));
  const { top, alpha, note } = depth === 16 ? whiteOf(rows, type, significant) : { top: WHOLE, alpha: WHOLE, note: null };
  const toRgba = note ? deep(type, top, alpha) : colours(type, depth, palette, transparent);
  return { width, height, data: coloured(rows, width, height, toRgba), note };
}

// The rows of all passes, each with its pass, unfiltered in place.
function unfiltered(lines, passes, lineOf, step) {
  const found = [];
  let at = 0;
  for (const pass of passes) {
    const line = lineOf(pass);
    let before = new Uint8Array(line);
    for (let row = 0; row < pass.rows; row++, at += 1 + line) {
      const own = lines.subarray(at + 1, at + 1 + line);
      unfilter(lines[at], own, before, step);
      found.push({ own, pass, row });
      before = own;
    }
  }
  return found;
}

// The values that are white and opaque in a picture of 16 bits.
function whiteOf(rows, type, significant) {
  let [largest, clear] = [0, 0];
  for (const { own } of rows) {
    const { colours: found, alpha } = largestOf(own, CHANNELS[type]);
    [largest, clear] = [Math.max(largest, found), Math.max(clear, alpha)];
  }
  const told = significant?.length === SIGNIFICANT[type] ? significant.subarray(0, type & 2 ? 3 : 1) : [];
  const { top, note } = white(largest, Math.max(0, ...told));
  return { top, alpha: clear <= top ? top : WHOLE, note };
}

// RGB of all rows.
function coloured(rows, width, height, toRgba) {
  const data = new Uint8Array(width * height * 3);
  let [rgba, rgb] = [new Uint8Array(0), new Uint8Array(0)];
  for (const { own, pass, row } of rows) {
    if (rgba.length !== pass.columns * 4) [rgba, rgb] = [new Uint8Array(pass.columns * 4), new Uint8Array(pass.columns * 3)];
    toRgba(own, rgba);
    overWhite(rgba, rgb);
    const to = (pass.y + row * pass.stepY) * width + pass.x;
    if (pass.stepX === 1) data.set(rgb, to * 3);
    else for (let i = 0; i < pass.columns; i++) data.set(rgb.subarray(i * 3, i * 3 + 3), (to + i * pass.stepX) * 3);
  }
  return data;
}

// Parse the chunks.
function parts(bytes) {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [packed, chunks] = [[], new Map()];
  for (let at = 8; at + 12 <= bytes.length;) {
    const [length, kind] = [file.getUint32(at), String.fromCharCode(...bytes.subarray(at + 4, at + 8))];
    const inside = bytes.subarray(at + 8, at + 8 + length);
    if (kind === "IDAT") packed.push(inside);
    else if (!chunks.has(kind)) chunks.set(kind, inside);
    at += 12 + length;
  }
  const [depth, type, , , interlace] = bytes.subarray(24, 29);
  const about = { width: file.getUint32(16), height: file.getUint32(20), depth, type, isInterlaced: interlace === 1 };
  return { about, palette: chunks.get("PLTE"), transparent: chunks.get("tRNS"), significant: chunks.get("sBIT"), packed };
}

// No more than `length` bytes: a small file can unfold to gigabytes.
async function inflated(packed, length) {
  const lines = new Uint8Array(length);
  const { readable, writable } = new DecompressionStream("deflate");
  const reader = readable.getReader();
  feed(writable, packed).catch(() => {}); // the reader gets the same error
  let at = 0;
  try {
    while (at < length) {
      const { done, value } = await reader.read();
      if (done) break;
      lines.set(value.subarray(0, length - at), at);
      at += value.length;
    }
  } catch {
    throw new Refused("pictureDamaged");
  } finally {
    reader.cancel().catch(() => {});
  }
  if (at < length) throw new Refused("pictureDamaged");
  return lines;
}

// Write the chunks one by one, since a Blob of them could not be read in every Worker (blobs.js).
async function feed(writable, packed) {
  const writer = writable.getWriter();
  for (const piece of packed) {
    await writer.ready;
    await writer.write(piece);
  }
  await writer.close();
}

// A row was stored as its difference from what is to the left (`step` bytes before) and above; in place.
function unfilter(kind, row, above, step) {
  const n = row.length;
  if (kind === 1) for (let i = step; i < n; i++) row[i] += row[i - step];
  else if (kind === 2) for (let i = 0; i < n; i++) row[i] += above[i];
  else if (kind === 3) for (let i = 0; i < n; i++) row[i] += ((i < step ? 0 : row[i - step]) + above[i]) >> 1;
  else if (kind === 4) {
    for (let i = 0; i < n; i++) row[i] += i < step ? above[i] : paeth(row[i - step], above[i], above[i - step]);
  } else if (kind !== 0) throw new Refused("pictureDamaged");
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// A function that turns a row into RGBA of 8 bits.
function colours(type, depth, palette, transparent) {
  const key = type !== 3 && transparent ? wholes(transparent) : null; // the colour that is clear
  if (type === 3) return (row, rgba) => fromTable(row, depth, rgba, (index) => colour(index, palette, transparent));
  if (type === 0 && depth < 16) {
    const most = 2 ** depth - 1;
    const grey = (value) => [(value * 255) / most, (value * 255) / most, (value * 255) / most, key?.[0] === value ? 0 : 255];
    return (row, rgba) => fromTable(row, depth, rgba, grey);
  }
  // Of 16 bits Pillow rounds grey, and takes the upper half of colours.
  if (type === 0) return (row, rgba) => wideGrey(row, rgba);
  const [step, channels] = [depth >> 3, CHANNELS[type]];
  return (row, rgba) => {
    for (let i = 0, at = 0; at < rgba.length; at += 4, i += channels * step) {
      const isGrey = channels === 2;
      rgba[at] = row[i];
      rgba[at + 1] = row[isGrey ? i : i + step];
      rgba[at + 2] = row[isGrey ? i : i + 2 * step];
      rgba[at + 3] = channels === 3 ? (isKey(row, i, step, key) ? 0 : 255) : row[i + (channels - 1) * step];
    }
  };
}

// Pairs of bytes as numbers.
function wholes(bytes) {
  return Array.from({ length: bytes.length >> 1 }, (_, i) => bytes[2 * i] * 256 + bytes[2 * i + 1]);
}

const colour = (index, palette, transparent) => [...palette.subarray(3 * index, 3 * index + 3), transparent?.[index] ?? 255];

const isKey = (row, i, step, key) => step === 1 && key?.every((value, channel) => row[i + channel] === value);

// Several pixels in a byte, the first the highest.
function fromTable(row, depth, rgba, of) {
  const mask = 2 ** depth - 1;
  for (let i = 0, at = 0; at < rgba.length; i += depth, at += 4) {
    rgba.set(of((row[i >> 3] >> (8 - depth - (i & 7))) & mask), at);
  }
}

function wideGrey(row, rgba) {
  for (let i = 0, at = 0; at < rgba.length; i += 2, at += 4) {
    rgba.fill(Math.round((row[i] * 256 + row[i + 1]) / 257), at, at + 3);
    rgba[at + 3] = 255;
  }
}

// A function that turns a row of 16 bits into RGBA, if fewer of them are used.
function deep(type, top, opaque) {
  const channels = CHANNELS[type];
  const isClear = channels === 2 || channels === 4;
  const places = channels < 3 ? [0, 0, 0] : [0, 2, 4];
  return (row, rgba) => {
    for (let i = 0, at = 0; at < rgba.length; at += 4, i += 2 * channels) {
      places.forEach((place, channel) => {
        rgba[at + channel] = byteOf(row[i + place] * 256 + row[i + place + 1], top);
      });
      const end = i + 2 * channels;
      rgba[at + 3] = isClear ? byteOf(row[end - 2] * 256 + row[end - 1], opaque) : 255;
    }
  };
}
