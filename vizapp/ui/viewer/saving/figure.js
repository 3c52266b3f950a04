// A figure: pictures and lines of text, in points (1/72 inch) from the upper left corner. Each format draws the same one.

/**
 * @typedef {object} Picture
 * @property {HTMLCanvasElement} canvas
 * @property {boolean} smooth false: its pixels are patches, and stay squares
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 *
 * @typedef {object} Line
 * @property {string} text
 * @property {number} x its left end, or its right end
 * @property {number} y its base line
 * @property {"left" | "right"} align
 *
 * @typedef {{width: number, height: number, pictures: Picture[], lines: Line[]}} Figure
 */

export const DPI = 300;
export const FONT = 7.5; // points
// Letters of Chinese are named: of those that this computer has, a browser may take Japanese ones.
export const FAMILY = "Helvetica, Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', sans-serif";
const LEADING = 9.5;
const GAP = 5;
const MARGIN = 6; // points: white beside and below what is written
const BAR = 7; // points: how high the bar of colours is

/**
 * @param {HTMLCanvasElement} picture
 * @param {{pixels: number, smooth: boolean, bar: {canvas: HTMLCanvasElement, low: string, high: string} | null, caption: string}} about
 *   `pixels`: how wide it is to be at 300 to an inch
 * @returns {Figure}
 */
export function figureOf(picture, { pixels, smooth, bar, caption }) {
  const width = (72 * pixels) / DPI;
  const high = (width * picture.height) / picture.width;
  const pictures = [{ canvas: picture, smooth, x: 0, y: 0, w: width, h: high }];
  const lines = [];
  let y = high + GAP;
  if (bar) {
    const base = y + BAR - 0.5;
    const left = MARGIN + widthOf(bar.low) + 4;
    const right = MARGIN + widthOf(bar.high) + 4;
    lines.push({ text: bar.low, x: MARGIN, y: base, align: /** @type {const} */ ("left") });
    lines.push({ text: bar.high, x: width - MARGIN, y: base, align: /** @type {const} */ ("right") });
    pictures.push({ canvas: bar.canvas, smooth: true, x: left, y, w: Math.max(10, width - left - right), h: BAR });
    y += BAR + GAP;
  }
  for (const text of broken(caption, width - 2 * MARGIN)) {
    lines.push({ text, x: MARGIN, y: y + FONT, align: /** @type {const} */ ("left") });
    y += LEADING;
  }
  return { width, height: y + MARGIN, pictures, lines };
}

let measuring = null;

function widthOf(text) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `${10 * FONT}px ${FAMILY}`; // small letters are measured in whole pixels
  return measuring.measureText(text).width / 10;
}

// What stays on one line: a word, or a Chinese letter with the signs that stand before or after it.
const PIECES = /\s*(?:[（“‘《]*\p{Script=Han}[，。；：、！？）”’》]*|[^\s\p{Script=Han}（“‘《]+|\S)/gu;

/** Lines that are no wider than the figure. @param {string} text @param {number} width @param {(text: string) => number} [measure] */
export function broken(text, width, measure = widthOf) {
  const lines = [""];
  for (const piece of text.match(PIECES) ?? []) {
    const longer = lines.at(-1) + piece;
    if (!lines.at(-1) || measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(piece.trimStart());
  }
  return lines.map((line) => line.trim()).filter(Boolean);
}

/** Painted on white, `pixels` wide. @param {Figure} figure @param {number} pixels */
export function painted({ width, height, pictures, lines }, pixels) {
  const scale = pixels / width;
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.round(pixels),
    height: Math.round(height * scale),
  });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const { canvas: picture, smooth, x, y, w, h } of pictures) {
    context.imageSmoothingEnabled = smooth;
    context.drawImage(picture, x * scale, y * scale, w * scale, h * scale);
  }
  context.fillStyle = "black";
  context.font = `${FONT * scale}px ${FAMILY}`;
  for (const { text, x, y, align } of lines) {
    context.textAlign = align;
    context.fillText(text, x * scale, y * scale);
  }
  return canvas;
}
