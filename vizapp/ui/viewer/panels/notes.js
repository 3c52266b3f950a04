// What is to be known of the model that is shown, one line above all maps.

import { finder } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "notes",
  place: "top",
  order: 10,
  html: `<div class="viz-notes" role="note"></div>`,
  mount(root, { words }) {
    const notes = finder(root)("notes");
    const begin = (payload) => {
      notes.textContent = notes.title = words.told(payload.notes);
    };
    return { reset: begin, swap: begin };
  },
};
