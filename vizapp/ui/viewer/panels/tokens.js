// Above the stage: the direction of attention, and the tokens that are not patches.

import { Choice, finder, put, write } from "../dom.js";
import { nameKey } from "../names.js";
import { percent } from "../numbers/format.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "tokens",
  place: "explore",
  order: 5,
  html: `
    <div class="viz-line">
      <span class="viz-direction" role="group" aria-label="$direction_label">
        <button data-set="direction" data-value="from" title="$from_help">$from</button><button data-set="direction" data-value="to" title="$to_help">$to</button>
      </span>
      <span class="viz-chips" role="group" aria-label="$chips_label"></span>
    </div>`,
  mount(root, { state, words }) {
    const box = finder(root)("chips");
    const direction = new Choice(root, state);
    let chips = [];

    function begin({ finest, layers, named }) {
      const prefix = finest.prefix.filter((name) => layers.some(({ queries }) => queries.prefix.includes(name)));
      chips = [...new Set([...prefix, ...named])].map((name) => chipOf(name, prefix.includes(name)));
      box.replaceChildren(...chips.map(({ chip }) => chip));
    }

    // A token that gets attention reserves room for its share, so that nothing moves when the share arrives.
    function chipOf(name, getsShare) {
      const chip = document.createElement("button");
      chip.classList.toggle("viz-with-share", getsShare);
      chip.innerHTML = "<b></b> <span></span><i></i>";
      chip.children[0].textContent = words.say(...nameKey("chip", name));
      chip.title = words.say(...nameKey("chip", name, "_help"));
      // Chosen again, it is only where the stage returns to.
      chip.onclick = () => {
        const isPinned = state.get("pinned") && chip.dataset.pinned === "true";
        state.set({ token: name, place: null, pinned: !isPinned, crossBlock: null });
      };
      return { chip, name };
    }

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const { map } = view;
      direction.show(view.direction, (value) => value === "to" && (typeof view.query === "string" || !view.hasColumns));
      for (const { chip, name } of chips) {
        const query = view.tokenIn(name);
        put(chip, {
          disabled: !view.isKnown(name),
          "aria-pressed": view.query === query,
          "data-pinned": view.pinned && view.chosen === query,
        });
        const at = map.layout.prefix.indexOf(name);
        const share = at >= 0 && map.values ? map.values[at] : null;
        write(chip.children[1], share === null ? "" : view.hiddenBy(at) ? words.say("chip_hidden") : percent(share));
        /** @type {HTMLElement} */ (chip.children[2]).style.width = share === null ? "0" : `${Math.min(100, 100 * share)}%`;
      }
    }

    return { reset: begin, swap: begin, show };
  },
};
