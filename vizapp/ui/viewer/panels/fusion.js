// How heads are combined, and how much of a token rollout lets skip a layer.

import { FUSIONS } from "../../../vocabulary.js";
import { Choice, bind, finder, put, write } from "../dom.js";
import { fusedAs } from "../names.js";
import { percent } from "../numbers/format.js";

const buttons = FUSIONS.map((name) => `<button data-set="fusion" data-value="${name}" title="$${name}_help">$${name}</button>`);

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "fusion",
  place: "show",
  order: 10,
  html: `
    <label><span data-term="head fusion">$fusion_label</span></label>
    <span class="viz-group" role="group" aria-label="$fusion_label">${buttons.join("")}</span>
    <label class="viz-skip-box"><span data-term="skip rollout">$skip</span>
      <input class="viz-skip" type="range" min="0.05" max="0.95" step="0.05" value="0.5" /><output class="viz-skip-value"></output>
    </label>`,
  mount(root, { state }) {
    const find = finder(root);
    const fusion = new Choice(root, state);
    bind(find("skip"), "input", state, ({ value }) => ({ skipWeight: Number(value) }));

    /** @param {import("../panel.js").View} view */
    function show(view) {
      fusion.show(view.isOne ? null : fusedAs(view));
      put(find("skip-box"), { hidden: !view.payload.canRoll });
      if (Number(find("skip").value) !== view.skipWeight) find("skip").value = view.skipWeight;
      write(find("skip-value"), percent(view.skipWeight));
    }

    return { show };
  },
};
