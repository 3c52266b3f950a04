// Queries that are not patches: chooses the block and the query that the stage shows in place of a layer.

import { bind, finder, pair } from "../dom.js";
import { nameKey } from "../names.js";

const FEW = 12; // up to this many chips have full names, and no field for a number
const MOST = 400; // of chips: more would help nobody

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "cross",
  place: "explore",
  order: 7,
  html: `
    <div class="viz-line viz-cross-line" hidden>
      <label title="$cross_help">$cross</label>
      <select class="viz-cross-block"></select>
      <input class="viz-cross-query" type="number" min="1" step="1" title="$cross_query" aria-label="$cross_query" />
      <span class="viz-chips viz-cross-chips" role="group" aria-label="$cross_chips"></span>
    </div>`,
  keys: { Escape: "key_back" },
  mount(root, { state, words }) {
    const find = finder(root);
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let chips = [];
    let named = "";
    let seen = null; // the chip that was pressed when it was last painted

    pair(root.querySelector("label"), find("cross-block"));
    bind(find("cross-block"), "change", state, ({ value }) => ({ crossBlock: value === "" ? null : Number(value), hover: null }));
    find("cross-query").addEventListener("input", ({ target }) => {
      const number = Number(target.value);
      if (Number.isInteger(number) && number >= 1) look(number - 1);
    });

    const lastBlock = () => view.payload.cross.length - 1;
    const look = (query) => state.set({ crossQuery: query, crossBlock: view.crossBlock ?? lastBlock(), hover: null });

    function begin({ cross }) {
      find("cross-line").hidden = !cross.length;
      const options = cross.map(({ name }, block) => {
        return new Option(words.say("cross_block", { n: block + 1, all: cross.length, name }), String(block));
      });
      find("cross-block").replaceChildren(new Option(words.say("cross_off"), ""), ...options);
      named = "";
    }

    function nameChips(queries) {
      const many = queries.length > FEW;
      chips = queries.slice(0, MOST).map((name, query) => {
        const chip = document.createElement("button");
        chip.textContent = many ? String(query + 1) : words.say(...nameKey("chip", name));
        chip.title = words.say(...nameKey("name", name));
        chip.onclick = () => (isShown(query) ? state.set({ crossBlock: null }) : look(query));
        return chip;
      });
      find("cross-chips").replaceChildren(...chips);
      find("cross-query").hidden = !many;
      find("cross-query").max = queries.length;
    }

    const isShown = (query) => view.crossBlock !== null && view.crossQuery === query;

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const { cross } = view.payload;
      if (!cross.length) return;
      const { queries } = cross[view.crossBlock ?? lastBlock()];
      if (named !== queries.join()) nameChips(queries);
      named = queries.join();
      find("cross-block").value = view.crossBlock === null ? "" : String(view.crossBlock);
      if (document.activeElement !== find("cross-query")) find("cross-query").value = view.crossQuery + 1;
      for (const [query, chip] of chips.entries()) chip.setAttribute("aria-pressed", String(isShown(query)));
      const pressed = view.crossBlock === null ? null : chips[view.crossQuery];
      if (pressed && pressed !== seen) find("cross-chips").scrollTop = pressed.offsetTop - chips[0].offsetTop; // of a typed number
      seen = pressed;
    }

    function press() {
      if (!view || view.crossBlock === null || view.tool) return false;
      state.set({ crossBlock: null });
    }

    return { reset: begin, swap: begin, show, press };
  },
};
