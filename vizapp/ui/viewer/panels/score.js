// The object: known, or marked by hand; and in words how well the map finds it.

import { finder, put, speaker, write } from "../dom.js";
import { clear, undo } from "../drawing/shapes.js";
import { mapName } from "../names.js";
import { percent } from "../numbers/format.js";
import { METRICS, long, metricOf } from "../numbers/score.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "score",
  place: "maps",
  order: 20,
  shows: ({ depth, tool }) => depth === "score" || tool !== null,
  html: `
    <div class="viz-row">
      <label><span data-term="object">$truth</span></label>
      <span class="viz-group" role="group" aria-label="$truth_help">
        <button data-tool="box" aria-pressed="false" title="$box_help">$box</button><button data-tool="brush" aria-pressed="false" title="$brush_help">$brush</button><button data-tool="eraser" aria-pressed="false" title="$eraser_help" disabled>$eraser</button><button class="viz-undo" title="$undo_help" disabled>$undo</button><button class="viz-clear" title="$clear_help" disabled>$clear</button>
      </span>
      <label title="$outline_help"><input class="viz-outline" type="checkbox" checked /> $outline</label>
      <label><span data-term="score lift auc iou pointing">$metric</span> <select class="viz-metric"></select></label>
    </div>
    <p class="viz-score"></p>`,
  mount(root, { state, words, metrics }) {
    const find = finder(root);
    const tools = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("button[data-tool]"))];
    const offered = metrics.filter(({ name }) => Object.hasOwn(METRICS, name)); // those that the browser can compute
    find("metric").append(...offered.map(({ name, title }) => new Option(title, name)));
    state.offer(
      "metric",
      offered.map(({ name }) => name),
    );
    const speak = speaker(find("score"));

    for (const button of tools) {
      button.addEventListener("click", () => {
        const { tool } = button.dataset;
        state.set({ tool: state.get("tool") === tool ? null : tool, hover: null });
      });
    }
    find("undo").addEventListener("click", () => undo(state));
    find("clear").addEventListener("click", () => clear(state));
    find("outline").addEventListener("change", ({ target }) => state.set({ outline: target.checked }));
    find("metric").addEventListener("change", ({ target }) => state.set({ metric: target.value }));

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const { truth, tool } = view;
      for (const button of tools) put(button, { "aria-pressed": button.dataset.tool === tool });
      const eraser = /** @type {HTMLButtonElement} */ (tools.find((one) => one.dataset.tool === "eraser"));
      put(eraser, { disabled: !truth.isDrawn && tool !== "eraser" });
      put(find("undo"), { disabled: !view.past.length });
      put(find("clear"), { disabled: !truth.isDrawn });
      for (const name of ["outline", "metric"]) put(find(name), { disabled: !truth.target });
      find("outline").checked = view.outline;
      if (find("metric").value !== view.metric) find("metric").value = view.metric;
      const told = tool && !truth.isDrawn ? "" : sentence(view);
      const text = words.told([told, tool ? words.say(`draw_${tool}`) : ""]);
      write(find("score"), text);
      speak(() => find("score").textContent);
    }

    function sentence(view) {
      const { truth, scores } = view;
      if (!truth.target) return words.say("score_none");
      if (!scores) return words.say("score_rests");
      if (!view.pointed && !view.selected) return ""; // no map of the atlas is on the stage
      const { row, column } = view.pointed ?? view.selected;
      const value = scores.table[row][column];
      const cell = view.cells[row][column];
      if (cell === undefined || (!cell && view.isLost)) return ""; // there is no map, and the sentence below the picture says why
      if (value === null || value === undefined) return words.say("arriving");
      const metric = metricOf(offered, view);
      const inWords = (number) => long(number, metric, words);
      const parts = view.metric === "energy" ? shareOfParts(truth, cell) : { objects: "", marks: [] };
      const patches = view.metric === "energy" ? fewOn(view, column, cell) : null; // the share that falls on them, if it is small
      const few = patches === null ? "" : "_few";
      const kind = `score_${view.metric + few}`;
      const told = words.say(words.has(kind) ? kind : "score_any", {
        where: mapName(words, view, { row, column }),
        title: metric.title,
        value: inWords(value),
        parts: parts.objects,
        area: percent(truth.target.area),
        prior: inWords(scores.priorOn(cell.layout.grid)),
        patches: percent(patches ?? 1),
      });
      return words.told([told, ...parts.marks, bestHead(view, inWords)]);
    }

    // The share of a single map (mean or one head) of the query's attention that falls on patches, if it is less than half.
    function fewOn(view, column, { values, layout }) {
      const isShares = view.direction === "from" && (column < view.heads || (column === view.heads && view.isMean));
      const patches = values.subarray(layout.first).reduce((a, b) => a + b, 0);
      return isShares && patches < 0.5 ? patches : null;
    }

    // The share of the map on each thing, if there are several.
    function shareOfParts(truth, { values, layout }) {
      const shares = truth.parts.map(({ name, object, on }) => {
        const target = on(layout.grid);
        const share = METRICS.energy(values.subarray(layout.first), target);
        return { name, object, area: percent(target.area), share: percent(share) };
      });
      const objects = shares.filter((one) => one.object).map((one) => words.say("score_part", one));
      const marks = shares.filter((one) => !one.object).map((one) => words.say("score_mark", one));
      return { objects: objects.length > 1 ? words.say("score_parts", { list: words.list(objects) }) : "", marks };
    }

    function bestHead(view, inWords) {
      const { table, best, isBest, isChance, evenOn, priorOn } = view.scores;
      if (!best) return "";
      const value = inWords(table[best.row][best.column]);
      if (isChance) {
        const { grid } = view.cells[best.row][best.column].layout;
        const chance = { even: inWords(evenOn(grid)), prior: inWords(priorOn(grid)) };
        return words.say("score_chance", { where: mapName(words, view, best), value, ...chance });
      }
      const n = table.reduce((sum, row, r) => sum + row.filter((_, column) => isBest(r, column)).length, 0);
      return n > 1
        ? words.say("score_best_many", { n, value })
        : words.say("score_best", { where: mapName(words, view, best), value });
    }

    return { show };
  },
};
