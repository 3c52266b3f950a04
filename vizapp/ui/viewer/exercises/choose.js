// Predict: a question with a few answers, of which the picture itself says which is right.

import { put, tagged } from "../dom.js";
import { READINGS, filled } from "../numbers/readings.js";

export const exercise = {
  kind: "choose",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { spec, state, words, done }) {
    /** @type {import("../panel.js").View | null} */
    let view = null;
    const group = document.createElement("div");
    const verdict = tagged("p", "");
    group.className = "viz-options";
    verdict.className = "viz-verdict";
    const options = Object.entries(spec.options).map(([key, html]) => {
      const button = document.createElement("button");
      button.addEventListener("click", () => choose(key));
      group.append(button);
      return { key, button, html };
    });
    box.append(group, verdict);

    // A reading of the picture, or a word that is right for every picture.
    function right() {
      if (!view) return null;
      return Object.hasOwn(READINGS, spec.right) ? READINGS[spec.right]({ view, words, then: [] }) : spec.right;
    }

    function choose(key) {
      if (spec.sets) state.set(state.said(spec.sets)); // what the question is about
      const truth = right();
      if (truth === null) return; // the numbers are on their way
      for (const option of options) {
        put(option.button, { disabled: true, "aria-pressed": option.key === key });
        if (option.key === truth) option.button.dataset.right = "true";
      }
      verdict.textContent = words.say(key === truth ? "book_right" : "book_wrong");
      done();
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      for (const { button, html } of options)
        if (!button.childNodes.length) button.innerHTML = filled(html, { view, words, then: [] }) ?? "";
    }

    return { show };
  },
};
