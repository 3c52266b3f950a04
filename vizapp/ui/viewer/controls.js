// Sliders, buttons and lists under the atlas: what they change, and how they show what is chosen.

import { percent } from "./colour.js";
import { write } from "./captions.js";

export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    this.playing = null; // the timer that goes through the layers
    this.listen();
  }

  show() {
    const { viewer } = this;
    const { choice, payload, attention } = viewer;
    const rollout = choice.method === "rollout";
    const heads = attention.heads(choice.layer);
    viewer.find("layer").max = payload.layers.length;
    viewer.find("layer").value = choice.layer + 1;
    write(viewer.find("layer-value"), viewer.say("of", { n: choice.layer + 1, all: payload.layers.length }));
    viewer.find("head").max = heads;
    viewer.find("head").value = choice.head + 1;
    viewer.find("head").disabled = rollout;
    write(viewer.find("head-value"), choice.heads === "one" && !rollout ? viewer.say("of", { n: choice.head + 1, all: heads }) : viewer.say("all"));
    viewer.find("residual-box").hidden = !rollout;
    write(viewer.find("residual-value"), percent(choice.residual));
    viewer.find("fixed-box").hidden = choice.scale !== "fixed";
    const shown = { ...choice, direction: viewer.direction(viewer.shown.query) };
    if (rollout && choice.heads === "one") shown.heads = "mean";
    for (const button of viewer.root.querySelectorAll("button[data-set]")) {
      const { set, value } = button.dataset;
      button.setAttribute("aria-pressed", String(shown[set] === value));
      button.disabled = this.isOff(set, value);
    }
    viewer.find("play").setAttribute("aria-pressed", String(Boolean(this.playing)));
    write(viewer.find("play"), this.playing ? "\u2016" : "\u25B6");
  }

  // What the present map has no use for, or this network has not got.
  isOff(set, value) {
    const { choice, payload, shown } = this.viewer;
    if (value === "rollout") return !payload.canRoll;
    if (value === "to") return typeof shown.query === "string" || !this.viewer.hasColumns();
    return set === "heads" && value === "one" && choice.method === "rollout";
  }

  play() {
    const { viewer } = this;
    if (this.playing) {
      this.stop();
    } else {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.playing = setInterval(() => viewer.set({ layer: (viewer.choice.layer + 1) % viewer.payload.layers.length }), calm ? 1500 : 600);
      viewer.set({ layer: 0 });
    }
    this.show();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
  }

  listen() {
    const { viewer } = this;
    const on = (name, type, change) => viewer.find(name).addEventListener(type, ({ target }) => viewer.payload && viewer.set(change(target)));
    on("layer", "input", ({ value }) => ({ layer: value - 1 }));
    on("head", "input", ({ value }) => ({ head: value - 1, heads: "one" }));
    on("residual", "input", ({ value }) => ({ residual: Number(value) }));
    on("scale", "change", ({ value }) => ({ scale: value }));
    on("fixed", "input", ({ value }) => ({ fixed: Math.max(0.001, value / 100) }));
    on("colours", "change", ({ value }) => ({ colours: value }));
    on("opacity", "input", ({ value }) => ({ opacity: Number(value) }));
    on("by-value", "change", ({ checked }) => ({ byValue: checked }));
    on("smooth", "change", ({ checked }) => ({ smooth: checked }));
    on("grid", "change", ({ checked }) => ({ grid: checked }));
    for (const button of viewer.root.querySelectorAll("button[data-set]")) {
      button.addEventListener("click", () => viewer.payload && viewer.set({ [button.dataset.set]: button.dataset.value }));
    }
    viewer.find("play").addEventListener("click", () => viewer.payload && this.play());
  }
}
