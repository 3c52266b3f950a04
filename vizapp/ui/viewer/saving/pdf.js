// PDF of one page: pictures packed without loss, text as text in Helvetica, which every reader has. Libraries that write PDF are ten
// times as long as the viewer's figures need, and would come with every page.

import { FONT, painted } from "./figure.js";
import { deflated, joined } from "./bytes.js";

// Helvetica's letters beyond Latin-1, by their number in the encoding that PDF calls WinAnsi.
const BEYOND = { "\u2013": 150, "\u2014": 151, "\u2019": 146, "\u201c": 147, "\u201d": 148, "\u2022": 149, "\u2026": 133 };
const REPLACED = { "\u2212": "\u2013", "\u202f": " ", "\u00a0": " ", "\u2009": " ", "\u200a": " ", "\u2605": "*" };

/** @param {import("./figure.js").Figure} figure @param {{pixels: number, about: Record<string, any>}} how */
export async function pdf(figure, { pixels, about }) {
  const written = figure.lines.map((line) => ({ ...line, bytes: letters(line.text) }));
  // If Helvetica lacks a letter, the whole page becomes one picture, drawn with this computer's fonts.
  const isLatin = written.every(({ bytes }) => bytes);
  const { width, height } = figure;
  const whole = () => [{ canvas: painted(figure, pixels), smooth: true, x: 0, y: 0, w: width, h: height }];
  const pictures = isLatin ? figure.pictures : whole();
  const drawn = pictures.map(({ x, y, w, h }, i) => `q ${w} 0 0 ${h} ${x} ${height - y - h} cm /P${i} Do Q\n`);
  const said = isLatin ? written.map((line) => text(line, height)) : [];
  const content = joined([...drawn, ...said.flat()]);
  const named = pictures.map((_, i) => `/P${i} ${6 + i} 0 R`).join(" ");
  const objects = [
    ["<< /Type /Catalog /Pages 2 0 R >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R ` +
        `/Resources << /XObject << ${named} >> /Font << /F ${5} 0 R >> >> >>`,
    ],
    stream("", content),
    ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"],
    ...(await Promise.all(pictures.map(image))),
    [`<< /Creator (vizapp) /Keywords <${utf16(JSON.stringify(about))}> >>`],
  ];
  return new Blob([assembled(objects)], { type: "application/pdf" });
}

function stream(dictionary, bytes) {
  return [`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`, bytes, "\nendstream"];
}

async function image({ canvas, smooth }) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0, o = 0; i < data.length; i += 4) {
    const clear = 255 - data[i + 3]; // what is clear shows the paper
    for (let c = 0; c < 3; c++) rgb[o++] = Math.round((data[i + c] * data[i + 3]) / 255) + clear;
  }
  const packed = await deflated(rgb);
  const size = `/Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  return stream(`/Type /XObject /Subtype /Image ${size} /Filter /FlateDecode /Interpolate ${smooth}`, packed);
}

function text({ bytes, x, y, align }, height) {
  const left = align === "left" ? x : x - FONT * widthOf(bytes);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `BT /F ${FONT} Tf ${left.toFixed(2)} ${(height - y).toFixed(2)} Td <${hex}> Tj ET\n`;
}

function letters(said) {
  const codes = [...said].map((letter) => {
    const shown = REPLACED[letter] ?? letter;
    return BEYOND[shown] ?? (shown.charCodeAt(0) < 256 && shown.length === 1 ? shown.charCodeAt(0) : null);
  });
  return codes.includes(null) ? null : Uint8Array.from(codes);
}

// Helvetica's widths in thousandths of its size, for what stands at the right end: figures, letters, signs.
const WIDTHS = { 32: 278, 37: 889, 44: 278, 46: 278, 61: 584, 215: 584, 150: 556, 176: 400 };
const NARROW = "ijl'|";
function widthOf(bytes) {
  return [...bytes].reduce((sum, code) => sum + (WIDTHS[code] ?? letterWidth(String.fromCharCode(code))), 0) / 1000;
}

function letterWidth(letter) {
  if (NARROW.includes(letter)) return 222;
  if ("ft".includes(letter)) return 278;
  if (letter === "r") return 333;
  if ("cksvxyzJ".includes(letter)) return 500;
  if (letter === "m") return 833;
  if (letter === "w") return 722;
  return /[A-Z]/.test(letter) ? 680 : 556;
}

function utf16(said) {
  const codes = [0xfeff, ...Array.from({ length: said.length }, (_, i) => said.charCodeAt(i))];
  return codes.map((code) => code.toString(16).padStart(4, "0")).join("");
}

function assembled(objects) {
  const parts = [joined(["%PDF-1.4\n"])];
  const starts = [];
  let at = parts[0].length;
  objects.forEach((object, i) => {
    starts.push(at);
    const bytes = joined([`${i + 1} 0 obj\n`, ...object, "\nendobj\n"]);
    parts.push(bytes);
    at += bytes.length;
  });
  const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R /Info ${size - 1} 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return joined([...parts, end]);
}
