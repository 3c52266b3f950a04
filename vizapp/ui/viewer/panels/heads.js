// The maps of the layer: its heads together, each head alone, and the rollout that leads to it. The maps are the slider.

import { finder, pair, put, write } from "../dom.js";
import { colourOf } from "../drawing/colour.js";
import { Strip, hasName } from "../drawing/strip.js";
import { fusedAs } from "../names.js";
import { openOnly } from "../zoom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "heads",
  place: "explore",
  order: 20,
  html: `
    <div class="viz-strip-title">
      <label><span data-term="head">$head</span></label>
      <output class="viz-head-value"></output>
      <button class="viz-wide" title="$atlas_help"></button>
    </div>
    <div class="viz-strip viz-head-strip">
      <canvas></canvas>
      <input class="viz-head" type="range" min="0" max="1" step="1" value="0" />
      <div class="viz-strip-names" aria-hidden="true"></div>
    </div>`,
  keys: { ",": "key_head", ".": "key_head" },
  shows: ({ depth }) => depth !== "wide" && depth !== "number",
  mount(root, { state, words, colours }) {
    const find = finder(root);
    const strip = new Strip(find("head-strip"));
    /** @type {import("../panel.js").View | null} */
    let view = null;

    pair(root.querySelector("label"), find("head"));
    find("head").addEventListener("input", ({ target }) => choose(Number(target.value)));
    find("wide").addEventListener("click", () => state.set(openOnly("atlas")));

    // The places of the row: 0 for the heads together, 1 to n for one head each, n + 1 for rollout.
    function choose(at) {
      if (!view) return;
      if (at > view.here.heads) state.set({ method: "rollout", fusion: fusedAs(view) });
      else if (at > 0) state.set({ head: at - 1, fusion: "one", method: "attention" });
      else state.set({ fusion: fusedAs(view), method: "attention" });
    }

    function placeOf({ method, isOne, head, here }) {
      if (method === "rollout") return here.heads + 1;
      return isOne ? head + 1 : 0;
    }

    // Only what this layer has: it may have fewer heads than others, and no rollout. Of a query that is no patch: its block's heads.
    function cellsOf(view) {
      const { cells, layer, heads, here, crossed } = view;
      if (crossed) return crossed.cells;
      const row = cells[layer];
      return [row[heads], ...row.slice(0, here.heads), ...(rolls(view) ? [row[heads + 1]] : [])];
    }

    // A chapter that is not about rollout has none in the row.
    const rolls = ({ payload, isReading, needs, method }) =>
      payload.canRoll && (!isReading || needs.includes("fusion") || method === "rollout");

    /** @param {import("../panel.js").View} next */
    function draw(next) {
      strip.draw(cellsOf(next), colourOf(colours, next));
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const all = view.here.heads;
      const count = all + 1 + Number(rolls(view) && !view.crossed);
      put(find("head"), { max: count - 1, value: placeOf(view), "aria-valuetext": nameOf(placeOf(view)) });
      write(find("head-value"), view.isOne ? words.say("of", { n: view.head + 1, all }) : words.say("all"));
      write(find("wide"), words.say("atlas_open", { n: view.payload.layers.reduce((sum, { heads }) => sum + heads, 0) }));
      // "Mean" and "rollout" at the ends are wider than a map of many.
      const numberOf = (n) => (hasName(n, all) && (hasName(1, all) || n < all - 2) ? String(n) : "");
      strip.name(Array.from({ length: count }, (_, i) => (i === 0 || i > all ? nameOf(i) : numberOf(i))));
    }

    function nameOf(place) {
      if (place === 0) return words.say(fusedAs(view));
      return place > view.here.heads ? words.say("rollout_short") : words.say("head_n", { n: place });
    }

    // From all heads to the first one, then from head to head.
    function press(key) {
      const next = view.isOne ? view.head + (key === "," ? -1 : 1) : view.head;
      const head = Math.min(Math.max(0, next), view.here.heads - 1);
      state.set({ head, fusion: "one", method: "attention" });
    }

    return { draw, show, press };
  },
};
