// The acts of marking the object by hand. Each changes `shapes` of the state, described in truth.js, and adds the old `shapes` to

// `past`, for undo.
function change(state, shapes) {
  state.set({ shapes, past: [...state.get("past"), state.get("shapes")] });
}

// `tool` is "box", "brush" or "eraser", `radius` that of the two; points are [x, y] in shares of the picture.
export function start(state, tool, point, radius) {
  const line = tool === "eraser" ? "erase" : "stroke";
  const shape = tool === "box" ? { box: [...point, ...point] } : { [line]: [point], radius };
  change(state, [...state.get("shapes"), shape]);
}

export function move(state, point) {
  const { box, stroke, erase } = state.get("shapes").at(-1);
  if (box) become(state, { box: [box[0], box[1], ...point] });
  else become(state, stroke ? { stroke: [...stroke, point] } : { erase: [...erase, point] });
}

// Change the last shape, which is being drawn.
export function become(state, changes) {
  const shapes = state.get("shapes");
  state.set({ shapes: [...shapes.slice(0, -1), { ...shapes.at(-1), ...changes }] });
}

// Finish the last shape. A box without area was only a click, and is dropped.
export function end(state) {
  const { box } = state.get("shapes").at(-1);
  if (box && (box[0] === box[2] || box[1] === box[3])) undo(state);
}

export function clear(state) {
  if (state.get("shapes").length) change(state, []);
}

// Take the last act back, `clear` too.
export function undo(state) {
  const past = state.get("past").slice();
  state.set({ shapes: past.pop() ?? [], past });
}
