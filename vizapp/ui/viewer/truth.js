// Where the object is: known for a lesson picture, or drawn by hand on the stage, as boxes and strokes of a brush.
// Shapes are kept in shares of the picture, so that they stay where they are when another model looks at it.

import { Target } from "./score.js";
import { outlineOf } from "./outline.js";

export class Truth {
  constructor() {
    this.things = []; // what the server knows: {name, object, mask}
    this.shapes = []; // what a hand drew: {box: [left, top, right, bottom]} or {stroke: [[x, y], ...], radius}
    this.past = []; // what `shapes` was before each act of the hand
  }

  // Take over what a payload knows; what was drawn stays if it is the same picture.
  begin(payload) {
    if (payload.id !== this.id) {
      this.shapes = [];
      this.past = [];
    }
    this.id = payload.id;
    this.size = payload.input;
    this.grid = payload.grid;
    this.window = payload.window;
    this.things = payload.truth.map((thing, i) => ({ ...thing, mask: bits(payload.get(`truth.${i}`), payload.input) }));
    this.now = null;
  }

  get isDrawn() {
    return this.shapes.length > 0;
  }

  // What maps are measured against; null if there is nothing.
  get target() {
    return this.targetOn(this.grid);
  }

  // The same for maps of another grid.
  targetOn(grid) {
    const target = this.seen().whole(grid);
    return target.isUsable ? target : null;
  }

  // What is where, each by itself: {name, object, on(grid) -> Target, path, top}.
  get parts() {
    return this.seen().parts;
  }

  // A drawing takes the place of what was known. Made when somebody asks: a hand moves more often than frames are painted.
  seen() {
    if (!this.now) {
      const things = this.isDrawn ? [{ name: "", object: true, mask: this.drawnMask() }] : this.things;
      const whole = new Uint8Array(this.size[0] * this.size[1]);
      for (const { object, mask } of things) if (object) for (let i = 0; i < whole.length; i++) whole[i] |= mask[i];
      const parts = things.map(({ name, object, mask }) => ({ name, object, on: this.targets(mask), ...outlineOf(mask, this.size) }));
      this.now = { whole: this.targets(whole), parts };
    }
    return this.now;
  }

  // grid -> Target, each made once.
  targets(mask) {
    const made = new Map();
    return (grid) => {
      if (!made.has(String(grid))) made.set(String(grid), new Target(mask, this.size, grid));
      return made.get(String(grid));
    };
  }

  drawnMask() {
    const [height, width] = this.size;
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    const [left, top, right, bottom] = this.window;
    context.scale(width / (right - left), height / (bottom - top)); // shares of the picture to the model's pixels
    context.translate(-left, -top);
    for (const { box, stroke, radius } of this.shapes) {
      if (box) context.fillRect(Math.min(box[0], box[2]), Math.min(box[1], box[3]), Math.abs(box[2] - box[0]), Math.abs(box[3] - box[1]));
      else paintStroke(context, stroke, radius);
    }
    const { data } = context.getImageData(0, 0, width, height);
    const mask = new Uint8Array(height * width);
    for (let i = 0; i < mask.length; i++) mask[i] = Number(data[4 * i + 3] > 127);
    return mask;
  }

  // ---- drawing by hand; points are [x, y] in shares of the picture

  start(tool, point) {
    const [left, top, right, bottom] = this.window;
    const radius = [(right - left) / this.grid[1] / 2, (bottom - top) / this.grid[0] / 2]; // half a patch
    this.change([...this.shapes, tool === "box" ? { box: [...point, ...point] } : { stroke: [point], radius }]);
  }

  move(point) {
    const shape = this.shapes.at(-1);
    if (shape.box) shape.box = [shape.box[0], shape.box[1], ...point];
    else shape.stroke.push(point);
    this.now = null;
  }

  // A box without any area is a click that was none.
  end() {
    const { box } = this.shapes.at(-1);
    if (box && (box[0] === box[2] || box[1] === box[3])) this.undo();
  }

  clear() {
    if (this.isDrawn) this.change([]);
  }

  // Take the last act back, `clear` too.
  undo() {
    this.shapes = this.past.pop() ?? [];
    this.now = null;
  }

  change(shapes) {
    this.past.push(this.shapes);
    this.shapes = shapes;
    this.now = null;
  }
}

// A round pen with the radii [wide, high] in the units of the points. A line of no length would leave no dot.
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
