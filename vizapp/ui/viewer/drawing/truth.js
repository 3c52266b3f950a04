// The place of the object: known for a lesson's picture, or drawn by hand on the stage with boxes and brush strokes.
// Shapes are {box: [left, top, right, bottom]} and {stroke: [[x, y], ...], radius: [wide, high]}; with `erase`, a shape is
// removed from those before it. Their units are fractions of the picture, so that they stay in place under another model.

import { Target } from "../numbers/score.js";
import { outlineOf } from "./outline.js";

export class Truth {
  constructor(payload) {
    this.size = payload.input;
    this.grid = payload.grid;
    this.window = payload.window;
    this.things = payload.truth.map((thing, i) => ({ ...thing, mask: bits(payload.get(`truth.${i}`), payload.input) }));
    this.shapes = null;
    this.known = null;
  }

  // The known things, given these shapes. A drawing replaces what the server knows. The result is cached for each drawing.
  of(shapes) {
    if (this.known && this.shapes === shapes) return this.known;
    const things = shapes.length ? [{ name: "", object: true, mask: this.drawnMask(shapes) }] : this.things;
    const whole = new Uint8Array(this.size[0] * this.size[1]);
    for (const { object, mask } of things) if (object) for (let i = 0; i < whole.length; i++) whole[i] |= mask[i];
    const parts = things.map(({ name, object, mask }) => ({
      name,
      object,
      on: this.targets(mask),
      ...outlineOf(mask, this.size),
    }));
    this.shapes = shapes;
    this.known = new Known(shapes.length > 0, parts, this.targets(whole), this.grid);
    return this.known;
  }

  // grid -> Target, each made once.
  targets(mask) {
    const made = new Map();
    return (grid) => {
      if (!made.has(String(grid))) made.set(String(grid), new Target(mask, this.size, grid));
      return made.get(String(grid));
    };
  }

  drawnMask(shapes) {
    const [height, width] = this.size;
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    const [left, top, right, bottom] = this.window;
    context.scale(width / (right - left), height / (bottom - top)); // shares of the picture to the model's pixels
    context.translate(-left, -top);
    for (const { box, stroke, erase, radius } of shapes) {
      context.globalCompositeOperation = erase ? "destination-out" : "source-over";
      if (box) {
        const [x, y] = [Math.min(box[0], box[2]), Math.min(box[1], box[3])];
        context.fillRect(x, y, Math.abs(box[2] - box[0]), Math.abs(box[3] - box[1]));
      } else paintStroke(context, stroke ?? erase, radius);
    }
    const { data } = context.getImageData(0, 0, width, height);
    const mask = new Uint8Array(height * width);
    for (let i = 0; i < mask.length; i++) mask[i] = Number(data[4 * i + 3] > 127);
    return mask;
  }
}

// What maps are measured against. `parts`: what is where, each by itself, {name, object, on(grid) -> Target, path, top}.
class Known {
  constructor(isDrawn, parts, whole, grid) {
    this.isDrawn = isDrawn;
    this.parts = parts;
    this.whole = whole;
    this.target = this.targetOn(grid); // null if there is nothing to measure against
  }

  // The same for maps of another grid.
  targetOn(grid) {
    const target = this.whole(grid);
    return target.isUsable ? target : null;
  }
}

// Draw with a round pen of the radii [wide, high] in the units of the points. A line of length zero would leave no dot.
function paintStroke(context, points, [wide, high]) {
  context.save();
  context.scale(wide, high);
  context.lineWidth = 2;
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  context.moveTo(points[0][0] / wide - 1e-3, points[0][1] / high);
  for (const [x, y] of points) context.lineTo(x / wide, y / high);
  context.stroke();
  context.restore();
}

function bits(packed, [height, width]) {
  return Uint8Array.from({ length: height * width }, (_, i) => (packed[i >> 3] >> (7 - (i & 7))) & 1);
}
