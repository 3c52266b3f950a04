// What of a view the stage paints, on the page and in files.

import { REACH } from "../numbers/guess.js";
import { COLOURS } from "../numbers/teaching.js";
import { colourOf } from "./colour.js";

/** @param {import("../panel.js").View} view @param {Record<string, import("./colour.js").ColourMap>} colours */
export function onStage(view, colours) {
  const { map, truth, here } = view;
  return {
    values: view.guess || (view.teach && view.labelled) ? null : map.values,
    labels: view.teach && view.labelled && view.taught?.run === view.payload.run ? view.taught : null,
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
    outlines: (view.outline || view.tool) && !view.guess ? truth.parts : [],
    inputSize: view.payload.input,
  };
}

// Patches to be marked, {cell, grid, kind, reach}.
function marksOf({
  map,
  here,
  cell,
  guess,
  marked,
  cellAt,
  pinned,
  crossed,
  hovered,
  sinksHere,
  tool,
  hand,
  handCell,
  payload,
  steps,
  asksNumber,
  teach,
  things,
  patchAt,
}) {
  const { grid } = here.queries;
  const read = map.layout.grid;
  const guessed = (guess ?? marked).map((place) => ({
    cell: cellAt(place),
    grid,
    reach: REACH,
    kind: guess ? "pinned" : "read",
  }));
  if (guess) return cell ? [...guessed, { cell, grid, reach: REACH, kind: "read" }] : guessed; // dashed: it is not marked yet
  if (teach) {
    const { grid: patches } = payload.layers[payload.layers.length - 1].queries;
    const marks = things.flatMap(({ at }, i) => at.map((place) => ({ cell: patchAt(place), colour: COLOURS[i] })));
    const all = marks.filter((mark) => mark.cell).map((mark) => ({ ...mark, grid: patches, kind: "pinned" }));
    return hovered ? [...all, { cell: hovered, grid: pinned ? read : grid, kind: "read" }] : all;
  }
  const marks = [...sinksHere.map((sink) => ({ cell: sink, grid: read, kind: "sink" })), ...guessed];
  if (cell) marks.push({ cell, grid, kind: pinned ? "pinned" : "query" });
  if ((pinned || crossed) && hovered && (read !== grid || String(hovered) !== String(cell))) {
    marks.push({ cell: hovered, grid: read, kind: "read" });
  }
  if (steps && asksNumber) marks.push({ cell: asksNumber, grid: read, kind: "read" });
  if (tool && hand) marks.push({ cell: handCell, grid: payload.grid, kind: hand.from ? "pinned" : "read" });
  return marks;
}
