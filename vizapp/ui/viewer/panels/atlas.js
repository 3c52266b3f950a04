// Every layer and head as a small map: point at one to see it larger, with its figures; click it to see it on the stage.

import { ATLAS_ORDERS } from "../../../vocabulary.js";
import { bind, finder, tagged, write } from "../dom.js";
import { Atlas } from "../drawing/atlas.js";
import { colourOf } from "../drawing/colour.js";
import { Listing } from "../listing.js";
import { fusedAs, mapName, tokenName } from "../names.js";
import { percent } from "../numbers/format.js";
import { ranked } from "../numbers/measures.js";
import { long, metricOf, short } from "../numbers/score.js";
import { oneOf } from "../state.js";

const LENS = 156; // css pixels: its width with the space beside it

const orders = ATLAS_ORDERS.map((name) => `<option value="${name}">$order_${name}</option>`);

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "atlas",
  place: "maps",
  order: 10,
  shows: ({ depth }) => depth === "wide",
  html: `
    <div class="viz-atlas-title"><b>$atlas_title</b> <span class="viz-atlas-hint">$atlas_hint</span> <span class="viz-layer-grid"></span>
      <label><span data-term="entropy distance cls sinks score">$order</span> <select class="viz-order">${orders.join("")}</select></label></div>
    <p class="viz-atlas-numbers"></p>
    <div class="viz-atlas-box">
      <canvas class="viz-atlas" role="img" aria-label="$atlas_label"></canvas>
      <div class="viz-unseen"><table class="viz-listing" role="grid" aria-label="$atlas_label"></table></div>
      <div class="viz-lens" hidden><canvas class="viz-lens-map"></canvas><div class="viz-lens-said"></div></div>
    </div>`,
  state: { order: oneOf("layers", ATLAS_ORDERS) },
  mount(root, { state, words, colours, metrics }) {
    const find = finder(root);
    const canvas = find("atlas");
    const atlas = new Atlas(canvas, words);
    const choices = [...find("order").options];
    const listing = new Listing(find("listing"), {
      pick: (place) => pick(place),
      peek: (place) => state.set({ peek: place && [place.row, place.column] }),
    });
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let laidOut = null;
    let inked = null; // {theme, ink, accent}
    let sorted = null; // {key, order}: the order of heads while no patch is under the mouse

    bind(find("order"), "change", state, ({ value }) => ({ order: value }));
    canvas.addEventListener("pointermove", (event) => {
      if (!view || event.pointerType === "touch") return; // a finger taps; it does not hover
      const cell = atlas.cellAt(event);
      state.set({ peek: cell && [cell.row, cell.column] });
    });
    canvas.addEventListener("pointerleave", () => state.set({ peek: null }));
    canvas.addEventListener("click", (event) => {
      const cell = view && atlas.cellAt(event);
      if (!cell) return;
      pick(cell);
    });

    // Show a small map on the stage.
    function pick({ row, column }) {
      const name = view.columns[column];
      if (typeof name === "number") {
        const map = { layer: row, head: name, fusion: "one", method: "attention", crossBlock: null };
        if (name < view.payload.layers[row].heads) state.set(map);
        return;
      }
      const fusion = fusedAs(view);
      state.set({ layer: row, fusion, method: name === "mean" ? "attention" : "rollout", crossBlock: null });
    }

    // A number of a map, by the name of what heads are sorted by; null where it has none.
    function figure(by, place) {
      if (by === "score") return view.scores?.table[place.row][place.column] ?? null;
      return view.measured(place)?.[by] ?? null;
    }

    // [row, column] of all heads, sorted by a number; null for the order of layers. It is kept while a patch is under the mouse.
    function order() {
      const by = view.order;
      if (by === "layers") return (sorted = null);
      const { payload } = view;
      const key = [by, payload.id, payload.run, view.chosen, view.metric].join();
      if (sorted?.key === key && view.query !== view.chosen) return sorted.order;
      const heads = payload.layers.flatMap((layer, row) => [...Array(layer.heads).keys()].map((column) => [row, column]));
      const found = ranked(heads, ([row, column]) => figure(by, { row, column }), by);
      if (!found) return sorted?.key === key ? sorted.order : null;
      sorted = { key, order: found };
      return sorted.order;
    }

    // The page's colours, read once for each theme (the classes of the body): inside a container with size queries, reading a
    // style makes the browser lay out.
    function inks() {
      const theme = document.body.className;
      if (inked?.theme === theme) return inked;
      const style = getComputedStyle(root);
      return (inked = { theme, ink: style.color, accent: style.getPropertyValue("--color-accent") || "#f97316" });
    }

    /** @param {import("../panel.js").View} next */
    function draw(next) {
      view = next;
      if (!isSeen()) return;
      if (laidOut !== view.payload) atlas.layout((laidOut = view.payload), view.heads, view.columns);
      const metric = metricOf(metrics, view);
      atlas.draw({
        cells: view.cells,
        map: colourOf(colours, view),
        selected: view.selected,
        hovered: view.pointed,
        ...inks(),
        scores: view.scores && { ...view.scores, text: (value) => short(value, metric) },
        order: order(),
        fusion: fusedAs(view),
      });
      if (lensed()) atlas.drawLarge(find("lens-map"), view.pointed, view.cells);
    }

    // Its numbers are those of all layers and heads, which nothing else waits for.
    const isSeen = () => view.depth === "wide" || view.lights.includes("atlas");
    const isAt = () => canvas.matches(":hover") || listing.hasFocus; // here, and not in another viewer of the same state
    const lensed = () => Boolean(view.pointed && view.cells[view.pointed.row][view.pointed.column] && isAt());

    function show() {
      if (!isSeen()) return;
      write(find("layer-grid"), layerInWords());
      write(find("atlas-numbers"), atlas.numbersInWords(view.scores && metricOf(metrics, view).title));
      if (find("order").value !== view.order) find("order").value = view.order;
      for (const option of choices) option.disabled = !isKnown(option.value);
      showLens();
      listing.soon(listed);
    }

    // The contents of the table: each map with the number by which heads are sorted, or its score, or its width.
    function listed() {
      const by = view.order !== "layers" ? view.order : view.scores ? "score" : "entropy";
      const metric = metricOf(metrics, view);
      const write = {
        score: (value) => long(value, metric, words),
        entropy: (value) => value.toFixed(2),
        distance: (value) => value.toFixed(0),
      };
      const say = (row, column) => {
        if (view.cells[row][column] === undefined) return null;
        const value = figure(by, { row, column });
        if (value === null || value === undefined) return "\u2013";
        const said = (write[by] ?? percent)(value);
        return by === "score" && view.scores.isBest(row, column) ? words.say("listing_best", { value: said }) : said;
      };
      const what = by === "score" ? metric.title : words.say(`listing_${by}`);
      return {
        caption: words.say("listing", { name: tokenName(words, view, view.crossed ? view.chosen : view.query), what }),
        columns: view.columns.map((name) =>
          typeof name === "number" ? words.say("listing_head", { head: name + 1 }) : atlas.nameOf(name, false),
        ),
        rows: view.cells.map((_, row) => words.say("listing_layer", { layer: row + 1 })),
        texts: view.cells.map((cells, row) => cells.map((_, column) => say(row, column))),
        selected: view.selected,
      };
    }

    // Is there a map that has this number?
    function isKnown(by) {
      if (by === "layers" || by === view.order) return true;
      if (by === "score") return Boolean(view.scores);
      return view.cells.some((cells, row) => cells[0] && view.measured({ row, column: 0 })?.[by] !== null);
    }

    // Beside the map under the mouse, on the side with more room.
    function showLens() {
      const lens = find("lens");
      lens.hidden = !lensed();
      if (lens.hidden) return;
      const box = atlas.box(view.pointed.row, view.pointed.column);
      if (!box) return;
      const [left, right] = [box.x / atlas.ratio, (box.x + box.w) / atlas.ratio];
      const width = canvas.clientWidth;
      lens.style.left = `${right + LENS <= width ? right + 4 : Math.max(0, left - LENS)}px`;
      lens.style.top = `${Math.max(0, Math.min(box.y / atlas.ratio - 40, canvas.clientHeight - lens.offsetHeight))}px`;
      const said = lines();
      if (find("lens-said").textContent !== said.join("")) {
        find("lens-said").replaceChildren(...said.map((line) => tagged("p", line)));
      }
    }

    function lines() {
      const { pointed } = view;
      const found = view.measured(pointed);
      const score = view.scores?.table[pointed.row][pointed.column] ?? null;
      const metric = metricOf(metrics, view);
      const said = (number, key, values) => (number === null || number === undefined ? [] : [words.say(key, values(number))]);
      return [
        mapName(words, view, pointed),
        ...said(score, "lens_score", (value) => ({ title: metric.title, value: long(value, metric, words) })),
        ...said(found?.entropy, "lens_entropy", (value) => ({ entropy: value.toFixed(2), n: Math.exp(value).toFixed(0) })),
        ...said(found?.distance, "lens_distance", (value) => ({ distance: value.toFixed(0) })),
        ...said(found?.cls, "lens_cls", (value) => ({ share: percent(value) })),
        ...said(found?.sinks, "lens_sinks", (value) => ({ share: percent(value) })),
      ];
    }

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
