// The slider through the heads of a layer, and how they are combined.

import { Choice, bind, finder, pair, put, write } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "heads",
  place: "explore",
  order: 20,
  html: `
    <div class="viz-row">
      <label><span data-term="head fusion">$head</span></label>
      <input class="viz-head" type="range" min="1" max="1" step="1" value="1" />
      <output class="viz-head-value"></output>
      <span class="viz-group" role="group" aria-label="$fusion_label">
        <button data-set="fusion" data-value="one" title="$one_help">$one</button><button data-set="fusion" data-value="mean" title="$mean_help">$mean</button><button data-set="fusion" data-value="max" title="$max_help">$max</button><button data-set="fusion" data-value="min" title="$min_help">$min</button>
      </span>
    </div>`,
  keys: { ",": "key_head", ".": "key_head" },
  mount(root, { state, words }) {
    const find = finder(root);
    const fusion = new Choice(root, state);
    /** @type {import("../panel.js").View | null} */
    let view = null;

    pair(root.querySelector("label"), find("head"));
    bind(find("head"), "input", state, ({ value }) => ({ head: value - 1, fusion: "one" }));

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const all = view.here.heads;
      const isRolled = view.method === "rollout";
      const isOne = view.fusion === "one" && !isRolled;
      put(find("head"), { max: all, value: view.head + 1, disabled: isRolled });
      write(find("head-value"), isOne ? words.say("of", { n: view.head + 1, all }) : words.say("all"));
      fusion.show(isRolled && view.fusion === "one" ? "mean" : view.fusion, (value) => value === "one" && isRolled);
    }

    // From all heads to the first one, then from head to head.
    function press(key) {
      const isOne = view.fusion === "one" && view.method === "attention";
      const next = isOne ? view.head + (key === "," ? -1 : 1) : view.head;
      const head = Math.min(Math.max(0, next), view.here.heads - 1);
      state.set({ head, fusion: "one", method: "attention" });
    }

    return { show, press };
  },
};
