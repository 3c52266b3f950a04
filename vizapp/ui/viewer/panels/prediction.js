// What the model says of the picture: its five likeliest labels; and how much of the picture it saw at all.

import { finder, write } from "../dom.js";
import { percent } from "../numbers/format.js";

const UNSEEN = 0.005; // of a side: less is rounding

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "prediction",
  place: "told",
  order: 60,
  html: `<p class="viz-cut"></p><p class="viz-caution"></p><div class="viz-prediction"></div>`,
  mount(root, { words }) {
    const find = finder(root);
    const begin = ({ top, window, caution }) => {
      find("prediction").replaceChildren(...top.map(rowOf));
      find("prediction").dataset.doubtful = String(Boolean(caution));
      write(find("caution"), caution);
      write(find("cut"), cutInWords(words, window));
    };
    return { reset: begin, swap: begin };
  },
};

// Which edges of the picture the network does not see; "" if it sees all.
function cutInWords(words, [left, top, right, bottom]) {
  const inside = (from, to) => Math.min(1, to) - Math.max(0, from);
  const [wide, high] = [inside(left, right), inside(top, bottom)];
  const isCut = [wide, high].map((share) => share < 1 - UNSEEN);
  const key = isCut[0] ? (isCut[1] ? "cut_edges" : "cut_sides") : "cut_ends";
  return isCut.includes(true) ? words.say(key, { share: percent(wide * high) }) : "";
}

function rowOf([label, share]) {
  const row = document.createElement("div");
  row.innerHTML = "<i></i><span></span><span></span>";
  const [bar, name, value] = /** @type {HTMLCollectionOf<HTMLElement>} */ (row.children);
  bar.style.width = `${100 * share}%`;
  name.textContent = label;
  value.textContent = percent(share);
  return row;
}
