// Three squares: a patch, the filter of one number of its token, and what each pixel adds. The pixel under the mouse is lit in
// all.

import { digits } from "../numbers/format.js";

const NAMES = ["pixels", "filter", "adds"];

/**
 * @param {import("../numbers/embedding.js").Embedding} found
 * @param {number} dimension the number of the token
 * @param {import("../words.js").Words} words
 */
export function squaresOf(found, dimension, words) {
  const { pixels, height, width, channels } = found;
  const [filter, products] = [found.filter(dimension), found.products(dimension)];
  const added = new Float32Array(height * width); // of all colours
  for (let i = 0; i < products.length; i++) added[i % added.length] += products[i];
  const box = document.createElement("div");
  box.className = "viz-patch";
  const squares = [pixels, filter, added].map((values, i) => {
    const figure = document.createElement("figure");
    const place = document.createElement("div");
    const canvas = paint(values, { width, height, channels: values === added ? 1 : channels });
    const caption = Object.assign(document.createElement("figcaption"), {
      textContent: words.say(`patch_${NAMES[i]}`, { i: dimension + 1 }),
    });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", caption.textContent ?? "");
    const lit = document.createElement("i");
    lit.hidden = true;
    place.append(canvas, lit);
    figure.append(place, caption);
    return figure;
  });
  const sign = (text) => Object.assign(document.createElement("span"), { textContent: text, ariaHidden: "true" });
  box.append(squares[0], sign("\u00d7"), squares[1], sign("="), squares[2]);

  const point = ({ target, clientX, clientY }) => {
    if (!(target instanceof HTMLCanvasElement)) return;
    const area = target.getBoundingClientRect();
    const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    const [x, y] = [at((clientX - area.left) / area.width, width), at((clientY - area.top) / area.height, height)];
    for (const lit of box.querySelectorAll("i")) {
      lit.hidden = false;
      Object.assign(lit.style, {
        left: `${(100 * x) / width}%`,
        top: `${(100 * y) / height}%`,
        width: `${100 / width}%`,
        height: `${100 / height}%`,
      });
    }
    const said = box.closest(".viz-step-body")?.querySelector(".viz-step-pointed");
    const place = y * width + x;
    const colours = Array.from({ length: channels }, (_, c) => c * height * width + place);
    const sums = colours.map((i) => `${digits(pixels[i])} \u00d7 ${digits(filter[i])}`).join(" + ");
    if (said) said.textContent = words.say("patch_pixel", { row: y + 1, col: x + 1, sums, sum: digits(added[place]) });
  };
  box.addEventListener("pointermove", point);
  box.addEventListener("pointerdown", point); // a tap does not move
  box.addEventListener("pointerleave", () => {
    for (const lit of box.querySelectorAll("i")) lit.hidden = true;
  });
  return box;
}

// Paint numbers as greys around zero: the largest absolute value becomes white or black.
function paint(values, { width, height, channels }) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  const top = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
  const area = width * height;
  for (let i = 0; i < area; i++) {
    for (let c = 0; c < 3; c++) {
      const value = values[(channels === 3 ? c : 0) * area + i]; // of other than three colours the first
      image.data[4 * i + c] = 127.5 * (1 + value / top);
    }
    image.data[4 * i + 3] = 255;
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
