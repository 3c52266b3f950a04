// Every layer and head as a small map: point at one for its score, click it to see it on the stage.

import { finder, write } from "../dom.js";
import { Atlas } from "../drawing/atlas.js";
import { mapName } from "../names.js";
import { short } from "../numbers/score.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "atlas",
  place: "explore",
  order: 10,
  html: `
    <div class="viz-atlas-title"><b>$atlas_title</b> <span class="viz-atlas-hint">$atlas_hint</span> <span class="viz-layer-grid"></span></div>
    <canvas class="viz-atlas" role="img" aria-label="$atlas_label"></canvas>`,
  mount(root, { state, words, colours, metrics }) {
    const find = finder(root);
    const canvas = find("atlas");
    const atlas = new Atlas(canvas, words);
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let laidOut = null;

    canvas.addEventListener("pointermove", (event) => {
      if (!view) return;
      const cell = atlas.cellAt(event);
      canvas.title = cell ? mapName(words, view, cell) : "";
      state.set({ peek: cell && [cell.row, cell.column] });
    });
    canvas.addEventListener("pointerleave", () => state.set({ peek: null }));
    canvas.addEventListener("click", (event) => {
      const cell = view && atlas.cellAt(event);
      if (cell) pick(cell);
    });

    // Show a small map on the stage.
    function pick({ row, column }) {
      const name = view.columns[column];
      if (typeof name === "number") {
        const map = { layer: row, head: name, fusion: "one", method: "attention", crossBlock: null };
        if (name < view.payload.layers[row].heads) state.set(map);
        return;
      }
      const fusion = view.fusion === "one" ? "mean" : view.fusion;
      state.set({ layer: row, fusion, method: name === "mean" ? "attention" : "rollout", crossBlock: null });
    }

    /** @param {import("../panel.js").View} next */
    function draw(next) {
      view = next;
      if (laidOut !== view.payload) atlas.layout((laidOut = view.payload), view.heads, view.columns);
      const style = getComputedStyle(root);
      const metric = metrics.find(({ name }) => name === view.metric) ?? metrics[0];
      atlas.draw({
        cells: view.cells,
        map: colours[view.colours] ?? Object.values(colours)[0],
        selected: view.selected,
        hovered: view.pointed,
        ink: style.color,
        accent: style.getPropertyValue("--color-accent") || "#f97316",
        scores: view.scores && { ...view.scores, text: (value) => short(value, metric) },
      });
    }

    const show = () => write(find("layer-grid"), layerInWords());

    // The grid of a layer, where layers differ.
    function layerInWords() {
      if (view.payload.isPlain || view.crossed) return "";
      const { queries, keys, windowed } = view.here;
      const [rows, cols] = queries.grid;
      const [keyRows, keyCols] = keys.grid;
      const kind = [String(queries.grid) === String(keys.grid) ? "grid" : "grids", ...(windowed ? ["windows"] : [])].join("_");
      return words.say(`layer_${kind}`, { layer: view.layer + 1, rows, cols, keyRows, keyCols });
    }

    return { draw, show, atlas };
  },
};
