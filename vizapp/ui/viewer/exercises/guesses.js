// The reader's own curve: how good the guesses of all chapters were, beside chance and the middle of the picture.

import { put, tagged } from "../dom.js";
import { percent } from "../numbers/format.js";

export const exercise = {
  kind: "guesses",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { words, book, done }) {
    const list = document.createElement("div");
    const forget = tagged("button", words.say("guesses_forget"));
    list.className = "viz-guesses";
    box.append(list, forget);
    forget.addEventListener("click", () => {
      book.memory.forget();
      draw();
    });

    function draw() {
      const all = Object.entries(book.memory.guesses);
      put(forget, { hidden: !all.length });
      if (!all.length) return list.replaceChildren(tagged("p", words.say("guesses_none")));
      list.replaceChildren(
        ...all.map(([, guess]) => {
          const line = document.createElement("div");
          const bar = document.createElement("i");
          bar.style.setProperty("--mine", String(guess.mine));
          bar.style.setProperty("--centre", String(guess.centre));
          bar.style.setProperty("--chance", String(guess.chance));
          line.append(
            tagged("span", words.say("guesses_one", { n: guess.chapter, mine: percent(guess.mine) })),
            bar,
            tagged("span", words.say("guesses_beside", { centre: percent(guess.centre), chance: percent(guess.chance) })),
          );
          return line;
        }),
      );
    }

    draw();
    Promise.resolve().then(() => done());
    return {};
  },
};
