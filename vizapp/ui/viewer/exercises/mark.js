// The reader drags the tell-tale mark of a lesson off the picture, which starts a new forward pass without it.

import { put, tagged, write } from "../dom.js";

export const exercise = {
  kind: "mark",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { words, open, here, done }) {
    const button = tagged("button", words.say("mark_take"));
    const told = tagged("p", "");
    told.className = "viz-verdict";
    box.append(button, told);
    /** @type {HTMLButtonElement | null} */
    let handle = null; // on the picture, where the mark is
    let isDone = false;

    function take() {
      put(button, { disabled: true });
      write(told, words.say("mark_waits"));
      open(here().replace(/(picture=lesson\/[a-z]+\/\d+)(?!\/bare)/, "$1/bare"));
    }
    button.addEventListener("click", take);

    /** @param {import("../panel.js").View} view */
    function show(view) {
      const { payload } = view;
      if (payload.lesson?.isBare) {
        leave();
        write(told, "");
        put(button, { hidden: true });
        if (!isDone && view.map.values) done();
        isDone ||= Boolean(view.map.values);
        return;
      }
      const mark = view.truth.parts.find(({ object }) => !object);
      if (!mark || isDone) return leave();
      place(view, mark.on(payload.grid));
    }

    // A piece of the picture that can be dragged lies on the mark.
    function place(view, target) {
      const stage = box.closest(".viz")?.querySelector(".viz-canvas-box");
      const canvas = /** @type {HTMLCanvasElement | null} */ (stage?.querySelector(".viz-picture") ?? null);
      if (!stage || !canvas || handle?.isConnected) return;
      const [top, left, bottom, right] = boxOf(target);
      handle = document.createElement("button");
      handle.className = "viz-mark";
      handle.title = words.say("mark_drag");
      handle.setAttribute("aria-label", words.say("mark_take"));
      const { bitmap } = view.payload;
      const picture = document.createElement("canvas");
      [picture.width, picture.height] = [Math.round((right - left) * bitmap.width), Math.round((bottom - top) * bitmap.height)];
      picture.getContext("2d")?.drawImage(bitmap, -left * bitmap.width, -top * bitmap.height);
      handle.append(picture);
      // The canvas is square, as are pictures of lessons.
      Object.assign(handle.style, {
        left: `${100 * left}%`,
        top: `${100 * top}%`,
        width: `${100 * (right - left)}%`,
        height: `${100 * (bottom - top)}%`,
      });
      handle.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && take());
      handle.addEventListener("pointerdown", (event) => drag(event, canvas));
      stage.append(handle);
    }

    function drag(event, canvas) {
      const held = /** @type {HTMLButtonElement} */ (handle);
      const [x, y] = [event.clientX, event.clientY];
      held.setPointerCapture(event.pointerId);
      held.dataset.held = "true";
      event.preventDefault();
      const move = (at) => (held.style.translate = `${at.clientX - x}px ${at.clientY - y}px`);
      const end = (at) => {
        held.removeEventListener("pointermove", move);
        const { left, top, right, bottom } = canvas.getBoundingClientRect();
        const isOff =
          at.type === "pointerup" && (at.clientX < left || at.clientX > right || at.clientY < top || at.clientY > bottom);
        if (isOff) return take();
        held.style.translate = ""; // back to its place
        delete held.dataset.held;
      };
      held.addEventListener("pointermove", move);
      held.addEventListener("pointerup", end, { once: true });
      held.addEventListener("pointercancel", end, { once: true });
    }

    function leave() {
      handle?.remove();
      handle = null;
    }

    return { show, stop: leave };
  },
};

// top, left, bottom, right of what a target covers, in shares of the picture.
function boxOf({ cover, rows, cols }) {
  const on = [...cover.keys()].filter((i) => cover[i] > 0.25);
  const [ys, xs] = [on.map((i) => Math.floor(i / cols)), on.map((i) => i % cols)];
  return [Math.min(...ys) / rows, Math.min(...xs) / cols, (Math.max(...ys) + 1) / rows, (Math.max(...xs) + 1) / cols];
}
