// The stage for moving pictures: a frame with its map, for one layer and head, with one colour scale for all frames. It takes the
// viewer's place while a camera runs or a film is open.

import { barOf } from "../../ui/viewer/drawing/bar.js";
import { OPACITY } from "../../vocabulary.js";
import { ColourMap } from "../../ui/viewer/drawing/colour.js";
import { framed } from "../../ui/incoming/frames.js";
import { Stage } from "../../ui/viewer/drawing/stage.js";
import { percent } from "../../ui/viewer/numbers/format.js";

const DARK = "rgba(2, 6, 23, 0.6)"; // over the part that the model does not see

// Turning that part grey, as the viewer's stage does, would take longer than the map.
class MovingStage extends Stage {
  drawGround() {
    const { x, y, w, h } = this.box;
    Object.assign(this.ground, { width: this.canvas.width, height: this.canvas.height });
    const context = this.ground.getContext("2d");
    context.drawImage(this.bitmap, x, y, w, h);
    const input = this.inputBox();
    const rest = new Path2D();
    rest.rect(x, y, w, h);
    rest.rect(input.x, input.y, input.w, input.h);
    context.save();
    context.beginPath();
    context.rect(x, y, w, h);
    context.clip();
    context.fillStyle = DARK;
    context.fill(rest, "evenodd");
    context.restore();
  }
}

/** @typedef {import("../engine/glance.js").Glance} Glance */

export class Moving {
  /** @param {HTMLElement} root which gets the stage as its first child @param {import("./desk.js").Desk} desk */
  constructor(root, desk) {
    const { words, about } = desk;
    this.desk = desk;
    this.words = words.export;
    this.root = root;
    this.box = document.createElement("section");
    this.box.id = "moving";
    this.box.hidden = true;
    this.box.innerHTML = `
      <div class="line"><h2></h2><span class="rate" role="status"></span><span class="own"></span><button type="button" class="freeze"></button><button type="button" class="end"></button></div>
      <canvas class="stage" role="img"></canvas>
      <div class="line times"></div>
      <div class="line">
        <label class="layer"><span></span> <input type="range" min="1" step="1"> <output></output></label>
        <label class="head"><span></span> <select></select></label>
      </div>
      <div class="line scale"><span>0</span><canvas width="256" height="1"></canvas><span class="high"></span><button type="button" class="anew"></button></div>
      <p class="kept"></p>`;
    /** @type {any} */ (this.box).moving = this; // for tests
    root.prepend(this.box);
    this.colour = new ColourMap(Object.values(about.colours)[0]);
    this.stage = new MovingStage(this.find(".stage"));
    barOf(this.colour, this.find(".scale canvas"));
    this.find(".layer span").textContent = words.viewer.layer;
    this.find(".head span").textContent = words.viewer.head;
    this.find(".freeze").textContent = this.words.freeze;
    this.find(".freeze").title = this.words.freezeHelp;
    this.find(".anew").textContent = this.words.scaleAnew;
    this.layer = -1;
    this.head = -1; // the mean of all
    /** @type {{picture: CanvasImageSource & {width: number, height: number}, found: Glance} | null} */
    this.now = null;
    /** @type {import("./desk.js").Choice | null} */
    this.over = null; // what the viewer shows meanwhile
    this.highest = "";
    this.holdsModel = false;
    this.highOf = (_layer, _head) => 0;
    this.ended = () => {};
    /** @type {{at: number, took: number}[]} when the last frames were shown, and how long the network took */
    this.shown = [];
    this.find(".layer input").addEventListener("input", ({ target }) => this.choose({ layer: Number(target.value) - 1 }));
    this.find(".head select").addEventListener("change", ({ target }) => this.choose({ head: Number(target.value) }));
    this.find(".end").addEventListener("click", () => this.close());
    new ResizeObserver(() => this.draw()).observe(this.find(".stage"));
  }

  /** @returns {any} */
  find(css) {
    return this.box.querySelector(css);
  }

  /**
   * @param {{title: string, end: string, kept: string, highest: string, holdsModel?: boolean, freeze: () => void, ended: () => void, anew?: () => void,
   *   highOf: (layer: number, head: number) => number}} how `highOf`: the value of the top colour, `highest` says it; `holdsModel`: another model ends it; `ended`: it was closed
   */
  open({ title, end, kept, highest, freeze, ended, anew, holdsModel = false, highOf }) {
    this.close();
    this.highest = highest;
    this.holdsModel = holdsModel;
    this.over = this.desk.wanted ?? this.desk.shown;
    this.highOf = highOf;
    this.ended = ended;
    this.now = null;
    this.shown = [];
    this.find("h2").textContent = title;
    this.find(".end").textContent = end;
    this.find(".kept").textContent = kept;
    this.find(".rate").textContent = this.words.starting;
    this.find(".freeze").onclick = freeze;
    this.find(".freeze").disabled = true;
    this.find(".anew").hidden = !anew;
    this.find(".anew").onclick = anew;
    this.find(".times").replaceChildren();
    this.find(".own").replaceChildren();
    this.box.hidden = false;
    this.root.classList.add("moving");
    this.box.scrollIntoView({ block: "nearest" }); // on a phone the button is below
  }

  /** Close if something else was chosen. @param {import("./desk.js").Choice} choice */
  follow({ picture, model, fit }) {
    const { over } = this;
    if (picture !== over?.picture || (this.holdsModel && (model !== over.model || fit !== over.fit))) this.close();
  }

  get isOpen() {
    return !this.box.hidden;
  }

  /** Close, and bring the viewer back. */
  close() {
    if (!this.isOpen) return;
    const { ended } = this;
    this.ended = () => {};
    this.box.hidden = true;
    this.root.classList.remove("moving");
    ended();
  }

  /** Show a frame with its map. */
  show(picture, found) {
    const isFirst = !this.now || this.now.found.layers !== found.layers || this.now.found.heads !== found.heads;
    this.now = { picture, found };
    if (isFirst) this.offer(found);
    this.find(".freeze").disabled = false;
    this.draw();
  }

  // Offer the layers and heads of this network, beginning with the layer that the viewer shows.
  offer({ layers, heads }) {
    const view = this.desk.viewer.state;
    if (this.layer < 0) this.layer = view.get("layer") ?? layers - 1;
    this.layer = Math.min(this.layer, layers - 1);
    this.head = Math.min(this.head, heads - 1);
    Object.assign(this.find(".layer input"), { max: layers, value: this.layer + 1 });
    this.find(".layer output").textContent = `${this.layer + 1} / ${layers}`;
    const names = [[this.words.meanOfHeads, -1], ...Array.from({ length: heads }, (_, head) => [String(head + 1), head])];
    this.find(".head select").replaceChildren(...names.map(([name, head]) => new Option(String(name), String(head))));
    this.find(".head select").value = String(this.head);
  }

  choose(part) {
    Object.assign(this, part);
    if (this.now) this.find(".layer output").textContent = `${this.layer + 1} / ${this.now.found.layers}`;
    this.draw();
  }

  draw() {
    if (!this.now || !this.isOpen) return;
    const { picture, found } = this.now;
    const high = this.highOf(this.layer, this.head);
    this.stage.setPicture({ bitmap: picture, window: found.window });
    this.stage.draw({
      values: valuesOf(found, this.layer, this.head),
      layout: { grid: found.tokens.grid, first: found.tokens.prefix.length },
      queries: { grid: found.tokens.grid },
      high: high || 1,
      map: this.colour,
      opacity: OPACITY,
      byValue: true,
      smooth: false,
      showGrid: false,
      reach: null,
      marks: [],
      outlines: [],
      inputSize: [1, 1],
    });
    this.find(".high").textContent = this.highest.replace("{share}", percent(high));
  }

  say(text) {
    this.find(".rate").textContent = text;
  }
}

/** The values (token,) of one head; head -1 is the mean of all. @param {Glance} found */
export function valuesOf({ rows, heads, tokens: { prefix, grid } }, layer, head) {
  const n = prefix.length + grid[0] * grid[1];
  const of = (one) => rows.subarray((layer * heads + one) * n, (layer * heads + one + 1) * n);
  if (head >= 0) return of(head);
  const mean = new Float32Array(n);
  for (let one = 0; one < heads; one++) of(one).forEach((value, token) => (mean[token] += value / heads));
  return mean;
}

/** The largest value on a patch of each layer and head, the mean last: (layer, head + 1). @param {Glance} found */
export function largestOf(found) {
  const { layers, heads, tokens } = found;
  const made = new Float32Array(layers * (heads + 1));
  for (let layer = 0; layer < layers; layer++) {
    for (let head = -1; head < heads; head++) {
      const values = valuesOf(found, layer, head).subarray(tokens.prefix.length);
      made[placeOf(found, layer, head)] = values.reduce((most, value) => Math.max(most, value), 0);
    }
  }
  return made;
}

/** The index of a head in `largestOf`; -1 is the mean of all. */
export const placeOf = ({ heads }, layer, head) => layer * (heads + 1) + (head < 0 ? heads : head);

/** Encode a picture as a PNG file. @param {CanvasImageSource & {width: number, height: number}} picture @returns {Promise<Blob>} */
export const pngOf = (picture) => new Promise((done) => framed(picture, picture.width, picture.height).toBlob(done, "image/png"));
