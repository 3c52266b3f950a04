// What the map means: this layer's attention, or rollout through all layers up to it.

import { Choice, bind, finder, put, write } from "../dom.js";
import { percent } from "../numbers/format.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "method",
  place: "show",
  order: 10,
  html: `
    <label><span data-term="attention rollout">$method</span></label>
    <span class="viz-group" role="group" aria-label="$method">
      <button data-set="method" data-value="attention" title="$attention_help">$attention</button><button data-set="method" data-value="rollout" title="$rollout_help">$rollout</button>
    </span>
    <label class="viz-skip-box"><span data-term="skip">$skip</span>
      <input class="viz-skip" type="range" min="0.05" max="0.95" step="0.05" value="0.5" /><output class="viz-skip-value"></output>
    </label>`,
  mount(root, { state }) {
    const find = finder(root);
    const method = new Choice(root, state);
    for (const button of method.buttons) button.addEventListener("click", () => state.set({ crossBlock: null }));
    bind(find("skip"), "input", state, ({ value }) => ({ skipWeight: Number(value) }));

    /** @param {import("../panel.js").View} view */

    function show(view) {
      method.show(view.crossed ? null : view.method, (value) => value === "rollout" && !view.payload.canRoll);
      put(find("skip-box"), { hidden: view.method !== "rollout" });
      if (Number(find("skip").value) !== view.skipWeight) find("skip").value = view.skipWeight;
      write(find("skip-value"), percent(view.skipWeight));
    }

    return { show };
  },
};
