// Where the object is: known for a lesson picture, or drawn by hand on the stage, as boxes and strokes of a brush.
// Shapes are kept in shares of the picture, so that they stay where they are when another model looks at it.

import { Target } from "./score.js";

const SMOOTH = 1; // pixels of the model that an outline is rounded by

export class Truth {
  constructor() {
    this.things = []; // what the server knows: {name, object, mask}
    this.shapes = []; // what a hand drew: {box: [left, top, right, bottom]} or {stroke: [[x, y], ...], radius}
    this.target = null;
    this.outlines = [];
  }

  // Take over what a payload knows; what was drawn stays if it is the same picture.
  begin(payload) {
    if (payload.id !== this.id) this.shapes = [];
    this.id = payload.id;
    this.size = payload.input;
    this.grid = payload.grid;
    this.window = payload.window;
    this.things = payload.truth.map((thing, i) => ({ ...thing, mask: bits(payload.get(`truth.${i}`), payload.input) }));
    this.update();
  }

  get isDrawn() {
    return this.shapes.length > 0;
  }

  // A drawing takes the place of what was known.
  update() {
    const [height, width] = this.size;
    const drawn = this.isDrawn ? [{ name: "", object: true, mask: this.drawnMask() }] : this.things;
    const whole = new Uint8Array(height * width);
    for (const { object, mask } of drawn) if (object) for (let i = 0; i < whole.length; i++) whole[i] |= mask[i];
    const target = new Target(whole, this.size, this.grid);
    this.target = target.isUsable ? target : null;
    this.outlines = drawn.map(({ name, object, mask }) => ({ name, object, ...outlineOf(mask, this.size) }));
  }

  drawnMask() {
    const [height, width] = this.size;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const [left, top, right, bottom] = this.window;
    context.scale(width / (right - left), height / (bottom - top)); // shares of the picture to the model's pixels
    context.translate(-left, -top);
    for (const { box, stroke, radius } of this.shapes) {
      if (box) {
        context.fillRect(Math.min(box[0], box[2]), Math.min(box[1], box[3]), Math.abs(box[2] - box[0]), Math.abs(box[3] - box[1]));
        continue;
      }
      for (let i = 0; i < stroke.length; i++) {
        const [x, y] = stroke[i];
        context.beginPath();
        context.ellipse(x, y, radius[0], radius[1], 0, 0, 2 * Math.PI);
        context.fill();
        if (i) this.fillBetween(context, stroke[i - 1], stroke[i], radius);
      }
    }
    const { data } = context.getImageData(0, 0, width, height);
    return Uint8Array.from({ length: height * width }, (_, i) => Number(data[4 * i + 3] > 127));
  }

  // A fast hand leaves gaps between the points of a stroke.
  fillBetween(context, [x0, y0], [x1, y1], radius) {
    const steps = Math.ceil(Math.hypot((x1 - x0) / radius[0], (y1 - y0) / radius[1]) * 3);
    for (let step = 1; step < steps; step++) {
      context.beginPath();
      context.ellipse(x0 + ((x1 - x0) * step) / steps, y0 + ((y1 - y0) * step) / steps, radius[0], radius[1], 0, 0, 2 * Math.PI);
      context.fill();
    }
  }

  // ---- drawing by hand; points are [x, y] in shares of the picture

  start(tool, point) {
    const [left, top, right, bottom] = this.window;
    const radius = [(right - left) / this.grid[1] / 2, (bottom - top) / this.grid[0] / 2]; // half a patch
    this.shapes.push(tool === "box" ? { box: [...point, ...point] } : { stroke: [point], radius });
    this.update();
  }

  move(point) {
    const shape = this.shapes.at(-1);
    if (shape.box) shape.box = [shape.box[0], shape.box[1], ...point];
    else shape.stroke.push(point);
    this.update();
  }

  // A box without any area is a click that was none.
  end() {
    const { box } = this.shapes.at(-1) ?? {};
    if (box && (box[0] === box[2] || box[1] === box[3])) this.undo();
  }

  undo() {
    this.shapes.pop();
    this.update();
  }

  clear() {
    this.shapes = [];
    this.update();
  }
}

function bits(packed, [height, width]) {
  return Uint8Array.from({ length: height * width }, (_, i) => (packed[i >> 3] >> (7 - (i & 7))) & 1);
}

// The outline of a mask, {path, top}: line pieces in the model's pixels, where the blurred mask crosses a half (marching
// squares); `top` is its highest point, where a name can stand; null for an empty mask.
function outlineOf(mask, [height, width]) {
  const path = new Path2D();
  let top = null;
  const at = blurred(mask, height, width);
  const cross = (a, b) => (0.5 - a) / (b - a);
  for (let y = -1; y < height; y++) {
    for (let x = -1; x < width; x++) {
      const [a, b, c, d] = [at(y, x), at(y, x + 1), at(y + 1, x + 1), at(y + 1, x)]; // clockwise from the upper left
      const ends = [];
      if (a > 0.5 !== b > 0.5) ends.push([x + cross(a, b), y]);
      if (b > 0.5 !== c > 0.5) ends.push([x + 1, y + cross(b, c)]);
      if (d > 0.5 !== c > 0.5) ends.push([x + cross(d, c), y + 1]);
      if (a > 0.5 !== d > 0.5) ends.push([x, y + cross(a, d)]);
      for (let i = 0; i + 1 < ends.length; i += 2) {
        path.moveTo(ends[i][0] + 0.5, ends[i][1] + 0.5); // values stand at the centres of pixels
        path.lineTo(ends[i + 1][0] + 0.5, ends[i + 1][1] + 0.5);
        top = top ?? [ends[i][0] + 0.5, ends[i][1] + 0.5];
      }
    }
  }
  return { path, top };
}

// The mean of the mask around a pixel; outside of the picture there is no object.
function blurred(mask, height, width) {
  const sums = new Float32Array(height * width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!mask[y * width + x]) continue;
      for (let v = Math.max(0, y - SMOOTH); v <= Math.min(height - 1, y + SMOOTH); v++) {
        for (let u = Math.max(0, x - SMOOTH); u <= Math.min(width - 1, x + SMOOTH); u++) sums[v * width + u] += 1;
      }
    }
  }
  const all = (2 * SMOOTH + 1) ** 2;
  return (y, x) => (y < 0 || x < 0 || y >= height || x >= width ? 0 : sums[y * width + x] / all + 1e-6);
}
