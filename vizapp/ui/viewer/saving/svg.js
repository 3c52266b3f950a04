// SVG: text stays text, and patches stay squares at any size.

import { FAMILY, FONT } from "./figure.js";

const escaped = (text) => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const short = (number) => String(Number(number.toFixed(2)));

/** @param {import("./figure.js").Figure} figure @param {{about: Record<string, any>}} how */
export async function svg({ width, height, pictures, lines }, { about }) {
  const images = pictures.map(({ canvas, smooth, x, y, w, h }) => {
    const style = smooth ? "" : ' style="image-rendering: pixelated"';
    const place = `x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"`;
    return `<image ${place} preserveAspectRatio="none"${style} href="${canvas.toDataURL("image/png")}"/>`;
  });
  const texts = lines.map(
    ({ text, x, y, align }) =>
      `<text x="${short(x)}" y="${short(y)}" text-anchor="${align === "left" ? "start" : "end"}">${escaped(text)}</text>`,
  );
  const [wide, high] = [short(width), short(height)];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}pt" height="${high}pt" viewBox="0 0 ${wide} ${high}">`,
    `<metadata>${escaped(JSON.stringify(about))}</metadata>`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...images,
    `<g font-family="${FAMILY}" font-size="${FONT}">${texts.join("")}</g>`,
    "</svg>",
  ];
  return new Blob([parts.join("\n")], { type: "image/svg+xml" });
}
