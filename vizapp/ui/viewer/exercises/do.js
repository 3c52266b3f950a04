// One action on the page. It is done once the page is in the wanted state and the hand rests, however it got there. "Show me"
// does it for the reader.

import { put, tagged } from "../dom.js";
import { LAST } from "../exercise.js";
import { callOff, later } from "../numbers/timers.js";

const REST = 500; // milliseconds: a slider that is on its way has not arrived

export const exercise = {
  kind: "do",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { spec, state, words, done }) {
    const wanted = Object.entries(spec.done);
    /** @type {Record<string, any> | null} */
    let before = null; // the page as it was at first
    let last = 1; // layers
    let timer = 0;
    let isDone = false;

    if (spec.sets) {
      const button = tagged("button", words.say("book_show"));
      const changes = () => (spec.sets === LAST ? { layer: last - 1 } : state.said(spec.sets));
      button.addEventListener("click", () => state.set(changes()));
      box.append(button);
    }

    /** @param {import("../panel.js").View} view */
    function show(view) {
      last = view.payload.layers.length;
      const now = { ...view, picture: view.payload.id, model: view.payload.model };
      before ??= now;
      if (isDone) return;
      const isSo = wanted.every(([key, how]) => is(now[key], how, before?.[key]));
      if (isSo && !timer) timer = later(finish, REST);
      else if (!isSo) stop();
    }

    function is(value, how, was) {
      if (how === "changed") return String(value) !== String(was);
      if (how === "last") return value === last - 1;
      if (how === "none") return value === null;
      if (how === "any") return value !== null && value !== false;
      if (typeof how === "string" && how.startsWith(">=")) return value >= Number(how.slice(2));
      return value === how;
    }

    function finish() {
      isDone = true;
      for (const button of box.querySelectorAll("button")) put(button, { disabled: true });
      done();
    }

    function stop() {
      callOff(timer);
      timer = 0;
    }

    return { show, stop };
  },
};
