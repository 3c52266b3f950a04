// The pen: a mouse or finger that draws on a canvas while a tool is chosen, instead of asking patches.

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

  // Does this click belong to the drawing, or does it ask a patch? The one that follows the release of a box is drawing, too.
  takesClick() {
    const takes = Boolean(this.state.get("tool")) || this.hasJustDrawn;
    this.hasJustDrawn = false;
    return takes;
  }

  lift() {
    this.pointer = null;
  }

  // Escape: a shape that is being drawn goes, else the tool is laid down. Was there anything to do?
  escape() {
    if (!this.state.get("tool")) return false;
    if (this.pointer !== null) {
      this.pointer = null;
      undo(this.state);
    } else this.state.set({ tool: null });
    return true;
  }
}
