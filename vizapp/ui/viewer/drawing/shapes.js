// Acts of a hand that marks the object: each changes `shapes` and `past` of the state, see truth.js for what a shape is.

// `past` is what `shapes` was before each act.
function change(state, shapes) {
  state.set({ shapes, past: [...state.get("past"), state.get("shapes")] });
}

// `tool` is "box" or "brush", `radius` that of the brush; points are [x, y] in shares of the picture.
export function start(state, tool, point, radius) {
  const shape = tool === "box" ? { box: [...point, ...point] } : { stroke: [point], radius };
  change(state, [...state.get("shapes"), shape]);
}

export function move(state, point) {
  const shapes = state.get("shapes").slice();
  const { box, stroke, radius } = shapes.pop();
  const moved = box ? { box: [box[0], box[1], ...point] } : { stroke: [...stroke, point], radius };
  state.set({ shapes: [...shapes, moved] });
}

// A box without any area is a click that was none.
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
