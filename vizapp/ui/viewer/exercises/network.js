// The drawing of the whole network, with each chapter at the part that it is about: where all of them are found again.

import { plain, tagged } from "../dom.js";
import { Network } from "../drawing/network.js";
import { nameKey } from "../names.js";

export const exercise = {
  kind: "network",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { words, book, done }) {
    const network = new Network(words);
    network.element.classList.add("viz-way-whole");
    book.chapters.forEach((chapter, number) => {
      if (chapter === book.whole) return;
      const isDone = book.memory.done.includes(chapter.name);
      const button = tagged("button", `${number} \u00b7 ${plain(chapter.title)}${isDone ? " \u2713" : ""}`);
      button.dataset.chapter = chapter.name;
      button.addEventListener("click", () => book.open(chapter.name));
      network.parts[chapter.part].place.append(button);
    });
    box.append(network.element);
    Promise.resolve().then(() => done());

    /** @param {import("../panel.js").View} view */
    const show = (view) => network.show(view, words.say(...nameKey("chip", view.payload.readout)));
    return { show };
  },
};
