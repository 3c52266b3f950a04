// Draws by mouse or finger while a tool is chosen; the patches under it are then not queried.

import { end, move, start, undo } from "./shapes.js";

export class Pen {
  // `pointAt(event)` is the place of an event in shares of the picture, null before there is one; `radius()` that of the brush.
  constructor(canvas, state, pointAt, radius) {
    this.canvas = canvas;
    this.state = state;
    this.pointAt = pointAt;
    this.radius = radius;
    this.pointer = null; // the mouse or finger that is drawing
    this.hasJustDrawn = false;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => event.pointerId === this.pointer && move(state, pointAt(event)));
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, (event) => this.up(event));
  }

  down(event) {
    const tool = this.state.get("tool");
    this.hasJustDrawn = false;
    if (!tool || this.pointer !== null || event.button !== 0 || !this.pointAt(event)) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.state.set({ hand: null }); // see key_pen.js: one hand draws
    start(this.state, tool, this.pointAt(event), this.radius());
  }

  up(event) {
    if (event.pointerId !== this.pointer) return;
    this.pointer = null;
    this.hasJustDrawn = true;
    end(this.state);
  }

  // Whether a click belongs to the drawing. So does the click that browsers send after the release of a box.
  takesClick() {
    const takes = Boolean(this.state.get("tool")) || this.hasJustDrawn;
    this.hasJustDrawn = false;
    return takes;
  }

  lift() {
    this.pointer = null;
  }

  // Escape drops the shape that is being drawn, or puts the tool away. Returns whether there was anything to do.
  escape() {
    if (!this.state.get("tool")) return false;
    if (this.pointer !== null) {
      this.pointer = null;
      undo(this.state);
    } else this.state.set({ tool: null });
    return true;
  }
}
