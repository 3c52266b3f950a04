// PNG, with its resolution and where it comes from.

import { DPI, painted } from "./figure.js";
import { big, crc32, joined } from "./bytes.js";

const HEAD = 8 + 25; // the signature and the chunk that says how large it is

/** @param {import("./figure.js").Figure} figure @param {{pixels: number, about: Record<string, any>}} how */
export async function png(figure, { pixels, about }) {
  const plain = new Uint8Array(await (await blobOf(painted(figure, pixels))).arrayBuffer());
  const perMetre = Math.round(DPI / 0.0254);
  const chunks = [
    chunk("pHYs", joined([big(perMetre), big(perMetre), Uint8Array.of(1)])),
    chunk("iTXt", joined(["Software", Uint8Array.of(0, 0, 0, 0, 0), `vizapp ${about.vizapp ?? ""}`.trim()])),
    chunk("iTXt", joined(["Comment", Uint8Array.of(0, 0, 0, 0, 0), JSON.stringify(about)])),
  ];
  return new Blob([joined([plain.subarray(0, HEAD), ...chunks, plain.subarray(HEAD)])], { type: "image/png" });
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export function blobOf(canvas) {
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large"))), "image/png"));
}

function chunk(name, data) {
  const named = joined([name, data]);
  return joined([big(data.length), named, big(crc32(named))]);
}
