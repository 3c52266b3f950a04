// Curves over the layers for several pictures: the share on the object, how widely the query looks, how scattered, and what stays
// on CLS. One picture may be an accident; similar curves for several show a habit of the network.

import { put, tagged, write } from "../dom.js";
import { chart, layerAt } from "../drawing/chart.js";
import { depthOf } from "../numbers/depth.js";
import { digits, percent } from "../numbers/format.js";

/** @type {[import("../../../vocabulary.js").Depth, (value: number) => string][]} */
const KINDS = [
  ["object", percent],
  ["entropy", digits],
  ["apart", (value) => value.toFixed(0)],
  ["own", percent],
];
const ENOUGH = 3; // pictures

export const exercise = {
  kind: "curves",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { state, words, open, here, done }) {
    const figures = document.createElement("div");
    const more = tagged("button", words.say("curves_more"));
    const count = tagged("output", "");
    const habit = tagged("p", "");
    figures.className = "viz-curves";
    habit.className = "viz-verdict";
    box.append(figures, more, " ", count, habit);
    /** @type {Map<string, import("../numbers/depth.js").Depth[]>} */
    const seen = new Map(); // of each picture that was shown
    let model = "";
    let drawn = "";
    let isDone = false;
    let pressed = -1; // the number of the chart
    let depth = 0; // layers
    more.addEventListener("click", next);
    // Dragging over a curve moves the layer like the slider, which on a phone is far above the curves. The box captures the
    // pointer, because the charts are replaced for each layer.
    figures.addEventListener("pointerdown", (event) => {
      pressed = [...figures.children].findIndex((one) => one.firstElementChild?.contains(/** @type {Node} */ (event.target)));
      if (pressed < 0) return;
      figures.setPointerCapture(event.pointerId);
      move(event);
    });
    figures.addEventListener("pointermove", (event) => figures.hasPointerCapture(event.pointerId) && move(event));

    /** @param {PointerEvent} event */
    function move({ clientX }) {
      const drawing = figures.children[pressed]?.firstElementChild;
      if (drawing) state.set({ layer: layerAt(drawing, clientX, depth) });
    }

    // The next picture of the lesson, with everything else as it is.
    function next() {
      open(
        here().replace(
          /picture=lesson\/([a-z]+)\/(\d+)/,
          (_, lesson, number) => `picture=lesson/${lesson}/${(Number(number) + 1) % 40}`,
        ),
      );
    }

    /** @param {import("../panel.js").View} view */
    function show(view) {
      const { payload } = view;
      if (model !== payload.model) seen.clear(); // another network has other habits
      model = payload.model;
      const isReadout = view.query === view.tokenIn(payload.readout) && !view.crossed;
      const found = isReadout && !seen.has(payload.id) && depthOf(view);
      if (found) seen.set(payload.id, found);
      put(more, { hidden: !payload.lesson });
      depth = payload.layers.length;
      const shown = JSON.stringify([payload.id, seen.size, view.layer]);
      if (shown === drawn) return;
      drawn = shown;
      write(count, words.say("curves_seen", { n: seen.size }));
      const own = seen.get(payload.id);
      figures.replaceChildren(
        ...KINDS.map(([key, written]) => {
          const lines = [...seen].map(([id, layers]) => ({ values: layers.map((one) => one[key]), isOwn: id === payload.id }));
          const value = own?.[view.layer][key];
          const said = value === null || value === undefined ? "" : written(value);
          return chart(lines, {
            title: words.say(`depth_${key}`),
            said,
            at: view.layer,
            label: words.say("depth_label", { layer: view.layer + 1 }),
          });
        }),
      );
      // In how many of these pictures more lies on the object at the end than at the beginning.
      const all = [...seen.values()]
        .map((layers) => [layers[0].object, layers.at(-1)?.object])
        .filter(([a, b]) => a !== null && b !== null);
      const grown = all.filter(([first, last]) => last > first).length;
      write(habit, all.length >= ENOUGH ? words.say("curves_habit", { n: all.length, grown }) : "");
      if (!isDone && seen.size >= ENOUGH) {
        isDone = true;
        done();
      }
    }

    return { show };
  },
};
