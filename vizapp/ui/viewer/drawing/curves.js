// Two small curves over the steps of a training: how often the network is right, and how much CLS attends to the object. Below the
// first, a mark where classes were learnt; a press on a mark goes there.

import { percent } from "../numbers/format.js";
import { svg } from "./svg.js";

const HIGH = 46; // css pixels of one chart
/** @type {Record<"right" | "looks", import("../../../vocabulary.js").Curve[]>} */
const KINDS = { right: ["accuracy", "unmarked"], looks: ["object", "mark"] };

export class Curves {
  /** @param {HTMLElement} root @param {import("../words.js").Words} words @param {(at: number) => void} go to the number of a step */
  constructor(root, words, go) {
    this.root = root;
    this.words = words;
    this.go = go;
    this.drawn = "";
  }

  /** @param {import("../numbers/film.js").Film} film */
  begin(film) {
    this.film = film;
    this.drawn = "";
    this.root.replaceChildren();
    if (!film.curve("accuracy")) return;
    this.charts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, this.chart(kind)]));
    this.root.append(this.charts.right.box, this.marks(), this.charts.looks.box);
  }

  chart(kind) {
    const box = document.createElement("figure");
    box.className = `viz-curve viz-curve-${kind}`;
    const title = box.appendChild(document.createElement("figcaption"));
    // Hidden: the sentence below says the same.
    const drawing = svg("svg", { viewBox: `0 0 100 ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    box.append(drawing);
    drawing.addEventListener("pointerdown", (event) => {
      const { left, width } = drawing.getBoundingClientRect();
      this.go(Math.round(((event.clientX - left) / width) * (this.film.steps.length - 1)));
    });
    return { box, title, drawing };
  }

  // One button for each step at which classes were learnt.
  marks() {
    const row = document.createElement("div");
    row.className = "viz-curve-marks";
    row.append(Object.assign(document.createElement("span"), { textContent: this.words.say("time_marks") }));
    for (const [at, labels] of this.film.marks()) {
      const button = document.createElement("button");
      const said = this.words.say("time_learnt", { step: this.film.steps[at], list: this.words.list(labels) });
      button.style.left = `${(100 * at) / (this.film.steps.length - 1)}%`;
      button.textContent = String(labels.length);
      button.title = said;
      button.setAttribute("aria-label", said);
      button.dataset.at = String(at);
      button.addEventListener("click", () => this.go(at));
      row.append(button);
    }
    return row;
  }

  /** @param {number} at the number of the step that is shown @param {number} layer */
  show(at, layer) {
    if (!this.charts) return;
    const now = `${at} ${layer}`;
    if (now === this.drawn) return;
    this.drawn = now;
    for (const [kind, names] of Object.entries(KINDS)) {
      const { title, drawing } = this.charts[kind];
      const lines = names.map((name) => [name, this.film.curve(name, layer)]).filter(([, row]) => row);
      title.replaceChildren(
        ...lines.map(([name, row]) =>
          keyOf(name, this.words.say(`curve_${name}`, { layer: layer + 1, share: percent(row[at]) })),
        ),
      );
      const level = this.film.levels[names[0]];
      drawing.replaceChildren(
        ...(level === undefined ? [] : [lineOf("viz-curve-level", [level, level], 1)]),
        ...lines.map(([name, row]) => lineOf(`viz-curve-${name}`, row, row.length - 1)),
        lineAt(at / (this.film.steps.length - 1)),
      );
    }
    for (const button of this.root.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.at) <= at));
    }
  }
}

function keyOf(name, text) {
  const key = document.createElement("span");
  key.className = `viz-curve-key viz-curve-${name}`;
  key.textContent = text;
  return key;
}

// Shares from 0, at the bottom, to 1.
function lineOf(name, row, last) {
  const points = row.map((share, i) => `${(100 * i) / last},${((1 - share) * (HIGH - 2) + 1).toFixed(2)}`).join(" ");
  return svg("polyline", { class: name, points });
}

function lineAt(share) {
  return svg("line", { class: "viz-curve-now", x1: 100 * share, x2: 100 * share, y1: 0, y2: HIGH });
}
