// The tab "Methods": shows the map of a chosen method on the picture, and its deletion and insertion curves.

import { csv, download } from "./csv.js";
import { curves } from "./curves.js";
import { list } from "./list.js";
import { Picture } from "./map.js";
import { alike, offer, target } from "./targets.js";

const SOON = 1500; // milliseconds after which the remaining time is estimated

/** @typedef {import("./targets.js").Target} Target */

export class Methods {
  /** @param {HTMLElement} root @param {import("../desk.js").Desk} desk */
  constructor(root, desk) {
    const { page, export: own, methods } = desk.words;
    this.root = root;
    this.desk = desk;
    this.words = desk.words;
    this.methods = methods.here;
    this.run = ""; // the name of the maps that the tab belongs to
    this.chosen = "attention";
    /** @type {Target[] | null} null until they are known */
    this.classes = null;
    /** @type {Target[]} */
    this.things = [];
    this.target = target(0, "", 0); // a placeholder until there is one
    /** @type {import("./targets.js").Lesson | null} what the network had been taught at the last check */
    this.lesson = null;
    /** @type {object | null} identifies the running work; another object means that it was replaced */
    this.job = null;
    root.innerHTML = `
      <p class="hello"></p>
      <div class="choice">
        <label class="field"><span class="label"></span><select></select></label>
        <p class="far" role="status"></p><button type="button" class="stop"></button>
      </div>
      <p class="taught"></p>
      <div class="board"><div class="table"><div class="list"></div><button type="button" class="save"></button></div><figure class="map"></figure><div class="curves"></div></div>
      <p class="elsewhere"></p>`;
    this.find(".hello").textContent = own.methodsHello;
    this.find(".field .label").textContent = page.target;
    this.find(".stop").textContent = page.stop;
    this.find(".save").textContent = page.save_csv;
    this.find(".elsewhere").textContent = methods.elsewhere;
    this.list = list(this.find(".list"), this.methods, desk.words, (name) => this.choose(name));
    this.picture = new Picture(this.find(".map"), desk.about);
    this.find(".stop").addEventListener("click", () => this.stop());
    this.find(".save").addEventListener("click", () => this.save());
    this.find("select").addEventListener("change", ({ target: { value } }) => {
      this.target = this.targets[Number(value)];
      this.again();
    });
    const { state } = desk.viewer;
    let taught = null;
    state.subscribe(() => {
      if (taught !== state.get("taught")) this.follow();
      taught = state.get("taught");
    });
  }

  get targets() {
    return [...this.things, ...(this.classes ?? [])];
  }

  /** @returns {any} */
  find(css) {
    return this.root.querySelector(css);
  }

  /** Follow the stage, whose picture or network may have changed. */
  async follow() {
    const { shown, wanted, viewer } = this.desk;
    const run = shown && !wanted && viewer?.payload ? viewer.payload.run : "";
    if (this.run !== run) {
      this.run = ""; // running work belongs to another picture
      this.job = null;
      this.classes = null;
      this.things = [];
      this.target = { ...this.target, found: new Map() };
      this.lesson = null;
      this.far("");
    }
    if (this.root.hidden || !run) return;
    const isLive = Boolean(this.desk.modelOf(shown.model).blob);
    if (this.run !== run) await this.begin(run, isLive);
    else if (this.classes && !alike(viewer.lesson, this.lesson)) await this.learn();
  }

  /** Start over with another picture or network. */
  async begin(run, isLive) {
    this.run = run;
    this.find(".choice").hidden = this.find(".table").hidden = this.find(".curves").hidden = !isLive;
    this.find(".sentence").hidden = this.find(".taught").hidden = !isLive;
    this.find(".hello").textContent = isLive
      ? this.words.export.methodsHello
      : this.words.export.methodsNotLive.replace("{model}", this.desk.shown.model);
    this.draw();
    if (!isLive) return;
    const classes = await this.desk.engine.atLength("classes", { run });
    if (this.run !== run || !classes) return;
    this.classes = classes.map(([index, label, share]) => target(index, label, share));
    await this.learn();
  }

  /** Follow the lesson, which may teach something else by now. */
  async learn() {
    const { run } = this;
    const lesson = (this.lesson = this.desk.viewer.lesson);
    const { shares = [] } = lesson ? await this.desk.engine.ask("shares", run, lesson, this.words.export) : {};
    if (this.run !== run || this.lesson !== lesson) return; // a later call continues
    this.things = Array.from(shares, (share, i) => target(i, lesson.names[i], share, lesson));
    // A chosen thing stays chosen in another picture. A class does not: the most probable one is chosen then.
    const before = this.target;
    const same = this.things.find(({ label }) => before.lesson && label === before.label);
    const kept = this.classes.includes(before) ? before : null;
    this.target = same ?? kept ?? this.classes[0] ?? this.things[0] ?? target(0, "", 0);
    offer(this.find("select"), this.things, this.classes, this.words.export);
    this.find("select").value = String(this.targets.indexOf(this.target));
    this.find(".field").hidden = !this.targets.length;
    if (this.target === before) this.draw();
    else this.again();
  }

  /** Compute the chosen map again if that is quick. A slow method waits until the visitor starts it. */
  again() {
    const method = this.methods.find(({ name }) => name === this.chosen);
    if (method.isSlow && !this.of(this.chosen)) {
      this.job = null;
      this.far(this.words.export.methodsAsk.replace("{method}", method.title));
      this.desk.engine.stop();
      return this.draw();
    }
    return this.choose(this.chosen);
  }

  // What was found for a method. A map that does not depend on the class is shared by all targets; its curves are not.
  of(name) {
    return this.target.found.get(name);
  }

  // The methods that have curves for this class.
  get judged() {
    return this.methods.filter(({ name }) => this.of(name)?.curves);
  }

  save() {
    const { model } = this.desk.shown;
    const { label } = this.target;
    const rows = this.judged.map(({ name, ofClass }) => {
      const [deletion, insertion] = this.of(name).curves.areas;
      return { model, class: label, method: name, class_specific: ofClass, deletion, insertion };
    });
    download(csv(rows), `${model.replace(/[^\w.-]+/g, "-")}-methods.csv`);
  }

  stop() {
    this.job = null;
    this.desk.engine.stop();
    this.far(this.words.page.stopped);
    this.draw();
  }

  /** Compute a method's map, its curves, and the curves of the baselines. @param {string} name */
  async choose(name) {
    const job = (this.job = {});
    this.chosen = name;
    this.draw();
    this.far("");
    try {
      if (!(await this.make(name, job))) return;
      const baselines = this.methods.filter(({ isBaseline }) => isBaseline).map((one) => one.name);
      for (const one of this.targets.length ? [name, ...baselines] : []) {
        if (!(await this.make(one, job)) || !(await this.judge(one, job))) return;
      }
      this.far("");
    } catch (error) {
      if (this.job === job) this.far(error.message);
    } finally {
      if (this.job === job) this.job = null;
      this.draw();
    }
  }

  /** @returns {Promise<boolean>} whether the map is here and still wanted */
  async make(name, job) {
    if (this.of(name)) return true;
    const { title } = this.methods.find((one) => one.name === name);
    const { index, lesson, found } = this.target;
    const what = { run: this.run, method: name, target: index, lesson };
    const values = await this.desk.engine.atLength("explain", what, this.told(job, title));
    if (!values || this.job !== job) return false;
    found.set(name, { values, curves: null });
    this.draw();
    return true;
  }

  async judge(name, job) {
    const found = this.of(name);
    if (found.curves) return true;
    const { title } = this.methods.find((one) => one.name === name);
    const { index, lesson } = this.target;
    const what = { run: this.run, scores: found.values, target: index, lesson };
    const made = await this.desk.engine.atLength(
      "judge",
      what,
      this.told(job, this.words.export.methodsJudged.replace("{method}", title)),
    );
    if (!made || this.job !== job) return false;
    found.curves = made;
    this.draw();
    return true;
  }

  // A function that shows the progress of a job.
  told(job, what) {
    const begun = performance.now();
    return (share) => {
      if (this.job !== job) return;
      const spent = performance.now() - begun;
      const left = share > 0.02 && spent > SOON ? ((spent / share) * (1 - share)) / 1000 : 0;
      const said = this.words.export[left >= 1 ? "methodsLeft" : "methodsRuns"];
      const values = { what, percent: Math.round(100 * share), seconds: Math.ceil(left) };
      this.far(said.replace(/\{(\w+)\}/g, (_, key) => String(values[key])));
    };
  }

  far(said) {
    this.find(".far").textContent = said;
    this.find(".stop").disabled = !this.job;
  }

  draw() {
    const { payload } = this.desk.viewer ?? {};
    const method = this.methods.find(({ name }) => name === this.chosen);
    const found = this.of(this.chosen);
    this.find(".stop").disabled = !this.job;
    this.list(this.chosen, (name) => this.of(name)?.curves?.areas ?? null, this.targets.length > 0);
    if (payload && this.run) this.picture.show(payload, method, found?.values ?? null);
    this.find(".save").disabled = !this.judged.length;
    const lines = this.judged
      .filter((one) => one.isBaseline || one === method)
      .sort((a, b) => Number(a === method) - Number(b === method))
      .map(({ name, title, isBaseline }) => ({
        name,
        title,
        isChosen: name === this.chosen,
        isBaseline,
        ...this.of(name).curves,
      }));
    const { label, lesson } = this.target;
    const up = lesson ? this.words.export.methodsShare : this.words.page.curve_y;
    curves(
      this.find(".curves"),
      lines,
      this.words.page,
      up.replace("{label}", () => label),
    );
    this.find(".taught").textContent = this.ofTeaching();
  }

  // The sentence about taught things: what they are here, or that the visitor can teach some.
  ofTeaching() {
    const { page, viewer, export: own } = this.words;
    const { label, lesson } = this.target;
    if (lesson) return own.methodsTaught.replace("{label}", () => label);
    return this.things.length ? "" : own.methodsTeach.replace("{teach}", viewer.teach).replace("{tab}", page.tab_attention);
  }
}
