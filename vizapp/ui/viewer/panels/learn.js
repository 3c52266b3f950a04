// The door to the textbook, where everybody looks first: beside the picture.

import { finder, put } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "learn",
  place: "stage",
  order: 4, // among the buttons that stand at the right
  html: `<button class="viz-learn" title="$book_help">$book_open</button>`,
  keys: { b: "" }, // its title says so
  mount(root, { state, book }) {
    const find = finder(root);
    const turn = () => (state.get("chapter") ? book.close() : book.open());
    put(find("learn"), { hidden: !book.chapters.length });
    find("learn").addEventListener("click", turn);
    /** @param {import("../panel.js").View} view */
    const show = (view) => put(find("learn"), { "aria-pressed": Boolean(view.chapter) });
    return { show, press: turn };
  },
};
