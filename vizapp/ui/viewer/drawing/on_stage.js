// What of a view the stage paints, on the page and in files.

import { colourOf } from "./colour.js";

/** @param {import("../panel.js").View} view @param {Record<string, import("./colour.js").ColourMap>} colours */
export function onStage(view, colours) {
  const { map, truth, here } = view;
  return {
    values: map.values,
    layout: map.layout,
    high: map.high,
    queries: here.queries,
    map: colourOf(colours, view),
    reach: view.reach,
    opacity: view.opacity,
    byValue: view.byValue,
    smooth: view.smooth,
    showGrid: view.grid,
    marks: marksOf(view),
    outlines: view.outline || view.tool ? truth.parts : [],
    inputSize: view.payload.input,
  };
}

// Patches to be marked, {cell, grid, kind}.
function marksOf({ map, here, cell, pinned, crossed, hovered, sinksHere, tool, hand, handCell, payload, steps, asksNumber }) {
  const { grid } = here.queries;
  const read = map.layout.grid;
  const marks = sinksHere.map((sink) => ({ cell: sink, grid: read, kind: "sink" }));
  if (cell) marks.push({ cell, grid, kind: pinned ? "pinned" : "query" });
  if ((pinned || crossed) && hovered && (read !== grid || String(hovered) !== String(cell))) {
    marks.push({ cell: hovered, grid: read, kind: "read" });
  }
  if (steps && asksNumber) marks.push({ cell: asksNumber, grid: read, kind: "read" });
  if (tool && hand) marks.push({ cell: handCell, grid: payload.grid, kind: hand.from ? "pinned" : "read" });
  return marks;
}
