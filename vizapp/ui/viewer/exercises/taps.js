// Predict where a query looks. The map is hidden until the reader has marked three patches; then these are scored by it, next to
// the scores of chance and of the middle of the picture.

import { put, tagged, write } from "../dom.js";
import { percent } from "../numbers/format.js";
import { scoreGuess } from "../numbers/guess.js";

const PATCHES = 3;

export const exercise = {
  kind: "taps",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { name, chapter, state, words, done, book }) {
    const count = tagged("output", "");
    const reveal = tagged("button", words.say("guess_reveal"));
    const told = tagged("p", "");
    box.classList.add("viz-taps");
    told.className = "viz-verdict";
    box.append(count, reveal, told);
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let isDone = false;
    reveal.addEventListener("click", finish);
    // Not at once: this may run inside a paint.
    const begin = () =>
      Promise.resolve().then(
        () => !isDone && state.set({ guess: [], marked: [], place: null, token: null, pinned: false, hover: null }),
      );
    begin();

    function finish() {
      const places = state.get("guess") ?? [];
      if (!view?.map.values || places.length < PATCHES) return;
      isDone = true;
      // Show the map again: the chapter's query, not the patch under the mouse.
      state.set({ guess: null, marked: places, hover: null });
      const { map } = view;
      const cells = places.map(view.cellAt).filter(Boolean);
      const found = scoreGuess(map.values, map.layout, cells);
      put(reveal, { hidden: true });
      put(count, { hidden: true });
      if (found) {
        const { mine, centre, chance } = found;
        write(told, words.say("guess_found", { mine: percent(mine), centre: percent(centre), chance: percent(chance) }));
        book.memory.guessed(name, { mine, centre, chance, chapter });
      }
      done();
    }

    function stop() {
      isDone = true;
      state.set({ guess: null, marked: [] });
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      if (!isDone && !view.guess) begin(); // another picture: its map is hidden, too
      const n = view.guess?.length ?? 0;
      write(count, words.say("guess_count", { n, all: PATCHES }));
      put(reveal, { disabled: n < PATCHES });
    }

    return { show, stop };
  },
};
