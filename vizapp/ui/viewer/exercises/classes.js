// The same picture, asked for two classes by a method that can tell them apart: two maps, side by side.

import { put, tagged, write } from "../dom.js";
import { floatsOf } from "../numbers/base64.js";
import { percent } from "../numbers/format.js";
import { Layout } from "../numbers/layout.js";
import { METRICS } from "../numbers/score.js";
import { paintMap } from "../drawing/small_map.js";

export const exercise = {
  kind: "classes",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { words, ask, colours, done }) {
    const button = tagged("button", words.say("classes_ask"));
    const figures = document.createElement("div");
    const told = tagged("p", "");
    figures.className = "viz-pairs";
    told.className = "viz-verdict";
    box.append(button, figures, told);
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let shown = "";
    button.addEventListener("click", bring);

    async function bring() {
      if (!view) return;
      const { payload, truth } = view;
      shown = payload.run;
      put(button, { disabled: true });
      write(told, words.say("book_waits"));
      const answer = await ask("classes");
      if (payload.run !== view.payload.run) return;
      put(button, { disabled: false });
      write(told, answer.why ?? (answer.classes ? "" : words.say("asked_lost")));
      if (!answer.classes) return;
      const layout = new Layout({ prefix: [], grid: answer.grid }, payload.window);
      figures.replaceChildren(
        ...answer.classes.map(({ label, share, map }) => {
          const values = floatsOf(map);
          const figure = document.createElement("figure");
          const parts = truth.parts.map(({ name, on }) =>
            words.say("score_part", { name, share: percent(METRICS.energy(values, on(answer.grid)) ?? 0) }),
          );
          figure.append(
            paintMap(payload, values, layout, colours.viridis),
            tagged("figcaption", words.say("classes_said", { label, share: percent(share), parts: words.list(parts) })),
          );
          return figure;
        }),
      );
      done();
    }

    return {
      show(next) {
        view = next;
        if (!shown || shown === view.payload.run) return;
        shown = ""; // the maps were of another picture
        figures.replaceChildren();
        write(told, "");
        put(button, { disabled: false });
      },
    };
  },
};
