// The stage: the picture with the map on it. A mouse or a dragging finger asks patches, a click pins one, arrows move it, a tool
// draws.

import { finder, intoView, put, speaker } from "../dom.js";
import { KeyPen } from "../drawing/key_pen.js";
import { Pen } from "../drawing/pen.js";
import { onStage } from "../drawing/on_stage.js";
import { Stage } from "../drawing/stage.js";
import { clear } from "../drawing/shapes.js";
import { mapSentence } from "../names.js";
import { touched } from "../numbers/teaching.js";
import { later } from "../numbers/timers.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowRight: [0, 1] };

const SETTLED = 400; // milliseconds
const GUESSES = 3;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "stage",
  place: "stage",
  order: 20,
  html: `
    <div class="viz-canvas-box">
      <canvas class="viz-picture" role="img"></canvas>
      <div class="viz-wait">$waiting</div>
    </div>`,
  keys: {
    ArrowLeft: "key_patch",
    ArrowUp: "key_patch",
    ArrowDown: "key_patch",
    ArrowRight: "key_patch",
    Enter: "", // while a tool is chosen, see key_pen.js
    Escape: "key_back",
  },
  mount(root, { state, words, colours }) {
    const find = finder(root);
    const canvas = find("picture");
    const stage = new Stage(canvas);
    let payload = null;
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let tool = null;

    const radius = () => {
      const [left, top, right, bottom] = payload.window;
      return [(right - left) / payload.grid[1] / 2, (bottom - top) / payload.grid[0] / 2]; // half a patch
    };
    const pen = new Pen(canvas, state, (event) => payload && stage.pointAt(event), radius);
    const keyPen = new KeyPen(state, () => payload.window, radius);
    const speak = speaker(find("canvas-box"));

    canvas.addEventListener("pointermove", (event) => {
      if (!view || view.tool || view.steps) return; // also for a finger that moves sideways; up and down it scrolls (viewer.css)
      state.set({ hover: stage.placeAt(event) });
    });
    canvas.addEventListener("pointerleave", () => state.set({ hover: null }));
    canvas.addEventListener("click", (event) => {
      if (!view || pen.takesClick()) return;
      if (view.teach && !view.guess) return teach(stage.placeAt(event));
      const cell = view.cellAt(stage.placeAt(event));
      if (!cell) return;
      if (view.guess) return guess(cell);
      if (view.steps) return state.set({ number: view.placeOf(cell) }); // whose number is told
      const isPinned = view.pinned && !view.crossed && view.chosen === view.here.queries.tokenOf(cell);
      if (isPinned) state.set({ place: null, token: null, pinned: false, crossBlock: null });
      else state.set({ place: view.placeOf(cell), token: null, pinned: true, crossBlock: null });
    });

    // Mark a patch, or remove its mark, up to the number that the exercise asks for.
    function guess(cell) {
      const marked = view?.guess ?? [];
      const others = marked.filter((place) => String(view?.cellAt(place)) !== String(cell));
      if (others.length < marked.length) state.set({ guess: others });
      else if (marked.length < GUESSES) state.set({ guess: [...marked, view?.placeOf(cell)] });
      speak(() => words.say("guess_at", { row: cell[0] + 1, col: cell[1] + 1, n: (view?.guess ?? []).length }));
    }

    // Mark a patch as part of the thing that is taught, or remove its mark.
    function teach(place) {
      const cell = place && view?.patchAt(place);
      if (!cell) return;
      state.set({
        things: touched(
          view,
          view?.placeOfPatch(cell).map((share) => Math.round(share * 1e4) / 1e4),
        ),
      });
      speak(() => words.say("hand_at", { row: cell[0] + 1, col: cell[1] + 1 }));
    }

    // Bring the picture into view. Where it is sticky beside the maps (viewer.css), it is in view already.
    function lookAt() {
      const { top, bottom } = canvas.getBoundingClientRect();
      if (top >= -1 && bottom <= innerHeight + 1) return;
      intoView(root.closest(".viz"));
    }

    function begin(begun) {
      // On a phone the picture is chosen below the stage. Scroll again after the layout has settled: the new maps may be lower.
      if (payload) for (const pause of [0, SETTLED]) later(lookAt, pause);
      payload = begun;
      stage.setPicture(payload);
      liftPens();
    }

    function liftPens() {
      pen.lift();
      keyPen.lift();
    }

    /** @param {import("../panel.js").View} shown */
    function draw(shown) {
      view = shown;
      stage.draw(onStage(view, colours));
    }

    function show() {
      put(find("canvas-box"), { "data-drawing": view.tool ?? "" });
      if (view.tool !== tool) {
        tool = view.tool;
        liftPens();
        if (tool) takeUp();
      }
      if (tool && view.hand) {
        const [row, col] = view.handCell;
        speak(() => words.say(view.hand?.from ? "hand_draws" : "hand_at", { row: row + 1, col: col + 1 }));
      }
      if (view.guess) put(canvas, { "aria-label": words.say("guess_stage") });
      else if (view.teach) put(canvas, { "aria-label": words.say("teach_stage") });
      else if (view.map.values) put(canvas, { "aria-label": mapSentence(words, view) });
    }

    // Bring the stage into view for drawing. A tool that was chosen by a key is moved by keys, which need the focus here.
    function takeUp() {
      lookAt();
      const button = document.activeElement;
      if (!button?.matches("[data-tool]:focus-visible") || !root.closest(".viz")?.contains(button)) return;
      /** @type {HTMLElement} */ (root.closest("[tabindex]")).focus({ preventScroll: true });
      keyPen.show();
    }

    function press(key) {
      if (keyPen.press(key)) return;
      if ((view.guess || view.teach) && (key === "Enter" || key in ARROWS)) return guessBy(key);
      if (key === "Enter") return false;
      if (key === "Escape") {
        // Each Escape undoes one thing: the shape being drawn, the tool, the pinned patch, the drawing.
        if (keyPen.escape() || pen.escape()) return;
        if (!["pinned", "place", "token"].some((key) => state.get(key)) && !state.get("shapes").length) return false;
        if (!view.pinned) clear(state);
        state.set({ hover: null, place: null, token: null, pinned: false });
        return;
      }
      // Move the pinned patch by one; start in the middle.
      const [rows, cols] = view.here.queries.grid;
      const cell = view.here.queries.cellOf(view.chosen);
      const [down, right] = ARROWS[key];
      const inside = (at, count) => Math.min(count - 1, Math.max(0, at));
      const next = cell ? [inside(cell[0] + down, rows), inside(cell[1] + right, cols)] : [rows >> 1, cols >> 1];
      state.set({ hover: null, place: view.placeOf(next), token: null, pinned: true, crossBlock: null });
    }

    // Arrows move over the picture, Enter marks.
    function guessBy(key) {
      const [rows, cols] = view.here.queries.grid;
      const cell = view.hovered ?? [rows >> 1, cols >> 1];
      if (key === "Enter") return view.guess ? guess(cell) : teach(view.placeOf(cell));
      const [down, right] = ARROWS[key];
      const next = [Math.min(rows - 1, Math.max(0, cell[0] + down)), Math.min(cols - 1, Math.max(0, cell[1] + right))];
      state.set({ hover: view.placeOf(next) });
      speak(() => words.say("hand_at", { row: next[0] + 1, col: next[1] + 1 }));
    }

    return { reset: begin, swap: begin, draw, show, press, stage };
  },
};
