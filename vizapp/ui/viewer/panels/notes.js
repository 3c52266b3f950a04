// What is to be known of the model that is shown. At a desk it stands below what every picture has, which it does not move.

import { finder } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "notes",
  place: "top",
  order: 10,
  html: `<div class="viz-notes" role="note"></div>`,
  mount(root, { words }) {
    const notes = finder(root)("notes");
    const begin = (payload) => (notes.textContent = words.told(payload.notes));
    return { reset: begin, swap: begin };
  },
};
