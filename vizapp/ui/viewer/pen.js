// The tools with which the hand marks the object on the stage: box and brush, undo and clear; mouse, pen or finger.

export class Pen {
  // `changed` is called when there is something new to paint.
  constructor(viewer, truth, changed) {
    Object.assign(this, { viewer, truth, changed });
    this.tool = null; // "box" or "brush" while the hand draws instead of asking patches
    this.pointer = null; // the mouse or finger that is drawing
    this.buttons = [...viewer.root.querySelectorAll("button[data-tool]")];
    this.listen();
  }

  get isDown() {
    return this.pointer !== null;
  }

  choose(tool) {
    this.tool = tool;
    this.pointer = null;
    if (tool) {
      this.viewer.pointer = null;
      this.viewer.bringIntoView();
    }
    this.changed();
  }

  // Does this click belong to the drawing, or does it ask a patch? The one that follows the release of a box is drawing, too.
  takesClick() {
    const takes = Boolean(this.tool) || this.hasJustDrawn;
    this.hasJustDrawn = false;
    return takes;
  }

  // Escape: a shape that is being drawn goes, else the tool is laid down. Was there anything to do?
  escape() {
    if (!this.tool) return false;
    if (this.isDown) {
      this.pointer = null;
      this.truth.undo();
      this.changed();
    } else {
      this.choose(null);
    }
    return true;
  }

  show() {
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.tool === this.tool));
    this.viewer.find("undo").disabled = !this.truth.past.length;
    this.viewer.find("clear").disabled = !this.truth.isDrawn;
    this.viewer.find("canvas-box").dataset.drawing = this.tool ?? "";
  }

  listen() {
    const { viewer, truth } = this;
    const on = (element, type, react) => element.addEventListener(type, (event) => viewer.payload && react(event));
    for (const button of this.buttons) on(button, "click", () => this.choose(this.tool === button.dataset.tool ? null : button.dataset.tool));
    for (const act of ["undo", "clear"]) {
      on(viewer.find(act), "click", () => {
        truth[act]();
        this.changed();
      });
    }
    const canvas = viewer.find("picture");
    on(canvas, "pointerdown", (event) => {
      this.hasJustDrawn = false;
      if (!this.tool || this.isDown || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.pointer = event.pointerId;
      truth.start(this.tool, viewer.stage.pointAt(event));
      this.changed();
    });
    on(canvas, "pointermove", (event) => {
      if (event.pointerId !== this.pointer) return;
      truth.move(viewer.stage.pointAt(event));
      this.changed();
    });
    const end = (event) => {
      if (event.pointerId !== this.pointer) return;
      this.pointer = null;
      this.hasJustDrawn = true;
      truth.end();
      this.changed();
    };
    on(canvas, "pointerup", end);
    on(canvas, "pointercancel", end);
  }
}
