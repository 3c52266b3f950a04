// The model's prediction: its likeliest labels, three at first and five on a click, and how much of the picture it saw.

import { finder, put, write } from "../dom.js";
import { percent } from "../numbers/format.js";
import { flag, passing } from "../state.js";

const UNSEEN = 0.005; // of a side: less is rounding
const FIRST = 3;
const WORTH = 0.01; // a label below this share is not worth a button, and neither are those after it

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "prediction",
  place: "found",
  order: 60,
  html: `<p class="viz-cut"></p><p class="viz-caution"></p><div class="viz-prediction"></div>
    <button class="viz-labels-more" aria-expanded="false">$labels_more</button>`,
  state: { labels: passing(flag(false)) }, // whether all labels are listed
  shows: ({ depth, isReading }) => depth === "picture" && !isReading,
  mount(root, { state, words }) {
    const find = finder(root);
    find("labels-more").addEventListener("click", () => state.set({ labels: !state.get("labels") }));

    const begin = ({ top, window, caution }) => {
      find("prediction").replaceChildren(...top.map(rowOf));
      find("prediction").dataset.doubtful = String(Boolean(caution));
      write(find("caution"), caution);
      write(find("cut"), cutInWords(words, window));
    };

    /** @param {import("../panel.js").View} view */
    function show({ labels, payload }) {
      [...find("prediction").children].forEach((row, i) => put(row, { hidden: i >= FIRST && !labels }));
      put(find("labels-more"), { hidden: !labels && !(payload.top[FIRST]?.[1] >= WORTH), "aria-expanded": labels });
      write(find("labels-more"), words.say(labels ? "labels_fewer" : "labels_more"));
    }

    return { reset: begin, swap: begin, show };
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
