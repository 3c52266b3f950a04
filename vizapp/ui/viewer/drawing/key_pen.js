// Draws by the keyboard: while a tool is chosen, arrows move a hand from patch to patch, and Enter puts it down or lifts it.
// `hand` of the state is null or {at, from}: its place as fractions of the picture, and where it was put down, null if it is up.

import { become, end, move, start, undo } from "./shapes.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1] };

export class KeyPen {
  // `area()` is [left, top, right, bottom] of what the network sees of the picture, `radius()` half a patch.
  constructor(state, area, radius) {
    this.state = state;
    this.area = area;
    this.radius = radius;
  }

  // An arrow or Enter; false for another key, or without a tool.
  press(key) {
    const tool = this.state.get("tool");
    if (!tool || !(key in STEPS || key === "Enter")) return false;
    const hand = this.state.get("hand");
    if (!hand) this.show();
    else if (key === "Enter") this.turn(tool, hand);
    else this.go(tool, hand, STEPS[key]);
    return true;
  }

  // Show the hand at the centre of the middle patch.
  show() {
    const [left, top, right, bottom] = this.area();
    const [wide, high] = this.radius();
    const middle = (from, to, step) => from + step * (2 * Math.floor((to - from) / step / 4) + 1);
    this.state.set({ hand: { at: [middle(left, right, wide), middle(top, bottom, high)], from: null } });
  }

  // Put the hand down, or lift it.
  turn(tool, { at, from }) {
    if (from) end(this.state);
    else start(this.state, tool, at, this.radius());
    this.state.set({ hand: { at, from: from ? null : at } });
    if (!from && tool === "box") become(this.state, { box: this.boxOf(at, at) });
  }

  go(tool, { at, from }, step) {
    const [left, top, right, bottom] = this.area();
    const radius = this.radius();
    const [low, high] = [
      [left, top],
      [right, bottom],
    ];
    const next = at.map((share, i) => {
      const to = share + 2 * step[i] * radius[i];
      return to > low[i] && to < high[i] ? to : share;
    });
    this.state.set({ hand: { at: next, from } });
    if (!from) return;
    if (tool === "box") become(this.state, { box: this.boxOf(from, next) });
    else move(this.state, next);
  }

  // The box that covers both patches and those between them.
  boxOf([x, y], [toX, toY]) {
    const [wide, high] = this.radius();
    return [Math.min(x, toX) - wide, Math.min(y, toY) - high, Math.max(x, toX) + wide, Math.max(y, toY) + high];
  }

  // Escape drops the shape that is being drawn. Returns whether there was one.
  escape() {
    const hand = this.state.get("hand");
    if (!hand?.from) return false;
    this.state.set({ hand: { at: hand.at, from: null } });
    undo(this.state);
    return true;
  }

  lift() {
    this.state.set({ hand: null });
  }
}
