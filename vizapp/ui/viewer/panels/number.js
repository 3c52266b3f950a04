// "How is this number made?": opens the steps to one number of the map, and while they are open a click chooses whose number.

import { finder, put } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "number",
  place: "told",
  order: 42,
  html: `<button class="viz-number" aria-pressed="false" title="$number_help">$number</button>`,
  keys: { n: "" },
  mount(root, { state }) {
    const find = finder(root);
    const turn = () => state.set({ steps: !state.get("steps"), hover: null, tool: null });

    find("number").addEventListener("click", turn);

    /** @param {import("../panel.js").View} view */

    function show(view) {
      put(find("number"), { "aria-pressed": view.steps });
    }

    return { show, press: turn };
  },
};
