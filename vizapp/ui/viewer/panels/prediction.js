// What the model says of the picture: its five likeliest labels.

import { finder } from "../dom.js";
import { percent } from "../numbers/format.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "prediction",
  place: "stage",
  order: 60,
  html: `<div class="viz-prediction"></div>`,
  mount(root) {
    const begin = ({ top }) => finder(root)("prediction").replaceChildren(...top.map(rowOf));
    return { reset: begin, swap: begin };
  },
};

function rowOf([label, share]) {
  const row = document.createElement("div");
  row.innerHTML = "<i></i><span></span><span></span>";
  const [bar, name, value] = /** @type {HTMLCollectionOf<HTMLElement>} */ (row.children);
  bar.style.width = `${100 * share}%`;
  name.textContent = label;
  value.textContent = percent(share);
  return row;
}
