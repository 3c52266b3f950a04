// Two doors below the picture: "How is this number made?" opens the steps to one number of the map (steps.js), "Teach it" what is
// taught by example (teach.js). One of them is open at a time.

import { finder, put } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "number",
  place: "told",
  order: 42,
  html: `<button class="viz-number" aria-pressed="false" title="$number_help">$number</button><button class="viz-teach-open" aria-pressed="false" title="$teach_help">$teach</button>`,
  keys: { n: "" },
  mount(root, { state }) {
    const find = finder(root);
    const turn = () => state.set({ steps: !state.get("steps"), teach: false, hover: null, tool: null });

    find("number").addEventListener("click", turn);
    find("teach-open").addEventListener("click", () =>
      state.set({ teach: !state.get("teach"), steps: false, hover: null, tool: null }),
    );

    /** @param {import("../panel.js").View} view */
    function show(view) {
      put(find("number"), { "aria-pressed": view.steps });
      put(find("teach-open"), { "aria-pressed": view.teach });
    }

    return { show, press: turn };
  },
};
