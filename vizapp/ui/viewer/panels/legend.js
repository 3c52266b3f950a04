// The bar of colours, and what its top stands for.

import { finder, write } from "../dom.js";
import { percent, times } from "../numbers/format.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "legend",
  place: "stage",
  order: 30,
  html: `
    <div class="viz-legend">
      <span class="viz-low">0</span><canvas class="viz-bar" width="256" height="1"></canvas><span class="viz-high"></span>
    </div>`,
  mount(root, { words, colours }) {
    const find = finder(root);
    let painted = null;

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const { high, values } = view.map;
      const colour = colours[view.colours] ?? Object.values(colours)[0];
      if (painted !== colour) paint(find("bar").getContext("2d"), (painted = colour));
      const isWindow = view.reach && view.phrase.startsWith("from");
      const kind = isWindow ? view.phrase.replace("from", "window") : view.phrase;
      const part = percent(high / view.onPatches);
      write(find("high"), words.say(`legend_${kind}`, { share: percent(high), times: times(high * view.even), part }));
      write(find("low"), values?.some((value) => value < 0) ? "\u2264 0" : "0");
    }

    return { show };
  },
};

function paint(context, colour) {
  for (let i = 0; i < 256; i++) {
    context.fillStyle = colour.css(i / 255);
    context.fillRect(i, 0, 1, 1);
  }
}
