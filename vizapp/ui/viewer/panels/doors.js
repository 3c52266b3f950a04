// The ways deeper, one button each: how one number is made, things that are taught, how well the map finds the object. The same
// room beside the picture is used by all; a button above it leads back.

import { finder, put, write } from "../dom.js";
import { openOnly } from "../zoom.js";

const KEYS = { n: "steps", t: "teach", o: "score", a: "atlas" };

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "doors",
  place: "doors",
  order: 10,
  html: `
    <button class="viz-number" aria-pressed="false" title="$number_help">$number</button>
    <button class="viz-judge" aria-pressed="false" title="$judge_help"></button>
    <button class="viz-teach-open" aria-pressed="false" title="$teach_help">$teach</button>
    <button class="viz-learn" title="$book_help">$book_open</button>`,
  keys: { n: "key_number", a: "key_atlas", o: "key_object", t: "key_teach", b: "key_book" },
  shows: ({ depth, isReading }) => depth === "picture" && !isReading,
  mount(root, { state, words, book }) {
    const find = finder(root);
    const turn = (key) => state.set(openOnly(state.get(key) ? null : key));

    find("number").addEventListener("click", () => turn("steps"));
    find("judge").addEventListener("click", () => turn("score"));
    find("teach-open").addEventListener("click", () => turn("teach"));
    find("learn").addEventListener("click", () => book.open());

    /** @param {import("../panel.js").View} view */
    function show(view) {
      put(find("number"), { "aria-pressed": view.steps });
      put(find("teach-open"), { "aria-pressed": view.teach });
      put(find("judge"), { "aria-pressed": view.score });
      for (const one of ["judge", "teach-open"]) put(find(one), { hidden: view.isReading });
      put(find("learn"), { hidden: view.isReading || !book.chapters.length });
      write(find("judge"), words.say(view.truth.target ? "judge_known" : "judge_mark"));
    }

    function press(key) {
      if (key !== "b") return turn(KEYS[key]);
      if (state.get("chapter")) book.close();
      else book.open();
    }

    return { show, press };
  },
};
