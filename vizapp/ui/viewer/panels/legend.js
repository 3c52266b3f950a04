// The bar of colours, and what its top stands for.

import { finder, put, write } from "../dom.js";
import { barOf, legendOf } from "../drawing/bar.js";
import { colourOf } from "../drawing/colour.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "legend",
  place: "stage",
  order: 30,
  shows: ({ opacity }) => opacity > 0,
  html: `
    <div class="viz-legend">
      <span class="viz-shut" hidden><i></i><span></span></span><span class="viz-low">0</span><canvas class="viz-bar" width="256" height="1"></canvas><span class="viz-high" data-term="uniform"></span>
    </div>`,
  mount(root, { words, colours }) {
    const find = finder(root);
    let painted = null;

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const colour = colourOf(colours, view);
      if (painted !== colour) barOf((painted = colour), find("bar"));
      const { low, high } = legendOf(words, view);
      write(find("high"), high);
      write(find("low"), low);
      put(find("shut"), { hidden: !view.reach });
      if (view.reach) write(find("shut").lastChild, words.say(unseen(view.here)));
      const explains = termsOf(view);
      if (find("high").dataset.term !== explains) find("high").dataset.term = explains;
    }

    return { show };
  },
};

// Why there is no number of a patch that is hatched.
function unseen({ windowed, mask }) {
  if (!windowed) return "legend_hidden";
  return mask === undefined ? "legend_outside" : "legend_outside_or_hidden";
}

// Which words of the glossary explain what the top colour stands for.
function termsOf({ phrase, fusion, reach, here }) {
  if (phrase.endsWith(`_${fusion}`)) return "fusion";
  if (phrase.endsWith("_few")) return "attention cls";
  return reach && here.windowed && phrase === "from" ? "uniform window" : "uniform";
}
