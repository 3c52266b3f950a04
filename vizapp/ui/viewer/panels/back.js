// What leads back from a depth to the picture.

import { finder, write } from "../dom.js";
import { depthOf, openOnly } from "../zoom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "back",
  place: "told",
  order: 5,
  html: `<button class="viz-back" title="$back_help"></button>`,
  keys: { Escape: "key_back" },
  shows: ({ depth }) => depth !== "picture",
  mount(root, { state, words }) {
    const find = finder(root);
    const leave = () => state.set(openOnly(null));
    find("back").addEventListener("click", leave);

    /** @param {import("../panel.js").View} view */
    const show = ({ layer, depth }) => {
      if (depth !== "picture") write(find("back"), words.say("back", { layer: layer + 1, depth: words.say(`back_${depth}`) }));
    };
    // What is being drawn is undone first.
    const press = () => depthOf(state.all()) !== "picture" && !state.get("tool") && leave();
    return { show, press };
  },
};
