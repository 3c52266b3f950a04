// The tab "Methods": runs methods on the picture of the stage, one after the other, and shows what there is as soon as it is there.

import { Screen } from "../../../ui/views/methods.js";
import { owed } from "./chance.js";
import { Painter } from "./painted.js";
import { save, table } from "./table.js";
import { alike, offer, target } from "./targets.js";
import { RANDOM, chanceOf, filled, told } from "./told.js";

const SOON = 1500; // milliseconds after which the remaining time is estimated

/** @typedef {import("./targets.js").Target} Target */

export class Methods {
  /** @param {HTMLElement} root @param {import("../desk.js").Desk} desk */
  constructor(root, desk) {
    const { page, methods } = desk.words;
    this.root = root;
    this.desk = desk;
    this.words = desk.words;
    this.all = methods.here;
    this.run = ""; // the name of the maps that the tab belongs to
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
      <div id="methods-heading"><h2></h2><div><p class="scale"></p><p class="taught"></p></div></div>
      <div id="methods-run">
        <label class="field"><span class="label"></span><select></select></label>
        <button type="button" id="methods-go"></button><button type="button" id="methods-stop"></button>
        <div id="methods-note"><p role="status"></p></div>
        <button type="button" id="methods-more" aria-controls="methods-numbers" aria-expanded="false"></button>
      </div>
      <div id="methods-numbers" class="drawer"><div id="methods-table"></div><button type="button" id="methods-csv"></button>
        <p class="areas"></p><p class="teach"></p><p class="elsewhere"></p><ul class="skipped"></ul></div>
      <div id="methods-maps"><div class="html-container"><div class="methods-screen"></div></div></div>`;
    const said = {
      ".label": page.target,
      "#methods-go": page.compare,
      "#methods-stop": page.stop,
      "#methods-more": page.numbers,
      "#methods-csv": page.save_csv,
      ".scale": page.scale_own,
      ".elsewhere": methods.elsewhere,
    };
    for (const [css, text] of Object.entries(said)) this.find(css).textContent = text;
    this.find(".areas").innerHTML = page.areas_help;
    this.painter = new Painter(desk.about);
    this.begin();
    this.listen();
  }

  listen() {
    const { state } = this.desk.viewer;
    this.find("#methods-go").addEventListener("click", () => this.work());
    this.find("#methods-stop").addEventListener("click", () => this.stop());
    this.find("#methods-csv").addEventListener("click", () => save(this.results, this.desk.shown.model, this.desk.title));
    this.find("select").addEventListener("change", ({ target: { value } }) => {
      this.target = this.targets[Number(value)];
      this.work();
    });
    const more = this.find("#methods-more");
    const open = (isOpen) => {
      more.setAttribute("aria-expanded", String(isOpen));
      this.find("#methods-numbers").classList.toggle("is-open", isOpen);
    };
    more.addEventListener("click", () => open(more.getAttribute("aria-expanded") !== "true"));
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Element && !target.closest("#methods-more, #methods-numbers")) open(false);
    });
    this.root.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || more.getAttribute("aria-expanded") !== "true") return;
      open(false);
      more.focus();
    });
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

  // An empty screen, for another picture.
  begin() {
    const empty = Object.assign(document.createElement("div"), { className: "methods-screen" });
    this.find(".methods-screen").replaceWith(empty);
    this.screen = new Screen(empty, (method) => {
      this.target.asked.add(method);
      this.work();
    });
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
      this.target = { ...target(0, "", 0), label: this.target.label, lesson: this.target.lesson };
      this.lesson = null;
      this.say("");
    }
    if (this.root.hidden || !run) return;
    const isLive = this.desk.source.runs(shown.model);
    if (this.run !== run) await this.open(run, isLive);
    else if (this.classes && !alike(viewer.lesson, this.lesson)) await this.learn();
  }

  /** Start over with another picture or network. */
  async open(run, isLive) {
    const { page, export: own } = this.words;
    this.run = run;
    for (const css of ["#methods-run", "#methods-maps", "#methods-heading > div"]) this.find(css).hidden = !isLive;
    const notLive = () => own.methodsNotLive.replace("{model}", this.desk.shown.model);
    this.find("h2").textContent = isLive ? page.methods_hello : notLive();
    this.begin();
    if (!isLive) return;
    this.painter.setPicture(this.desk.viewer.payload);
    const classes = await this.desk.source.atLength("classes", { run });
    if (this.run !== run || !classes) return;
    this.classes = classes.map(([index, label, share]) => target(index, label, share));
    await this.learn();
  }

  /** Follow the lesson, which may teach something else by now. */
  async learn() {
    const { run } = this;
    const lesson = (this.lesson = this.desk.viewer.lesson);
    const { shares = [] } = lesson ? await this.desk.source.ask(["shares", run, lesson]) : {};
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
    else await this.work();
  }

  /** What there is of the target. @returns {import("./told.js").Results} */
  get results() {
    const { found, asked, drawn, label, lesson } = this.target;
    const up = lesson ? this.words.export.methodsShare : this.words.page.curve_y;
    return {
      methods: this.methods,
      of: (name) => found.get(name),
      isAsked: (name) => asked.has(name),
      drawn,
      label,
      up: up.replace("{label}", () => label),
      payload: this.desk.viewer.payload,
      strips: this.painter.strips,
    };
  }

  // The methods that mean something here, as far as that is known.
  get methods() {
    return this.all.filter(({ name, ofClass }) => (!ofClass || this.targets.length) && !this.target.skipped.has(name));
  }

  /** What is to be done next: first the maps, then their tests, then those of chance. A slow method waits until it is asked for.
   * @returns {(() => Promise<boolean>) | null} which tells whether it is done, and still wanted */
  get next() {
    const { found, asked, drawn } = this.target;
    const wanted = this.methods.filter(({ name, isSlow }) => !isSlow || asked.has(name));
    const without = wanted.find(({ name }) => !found.has(name));
    if (without) return () => this.make(without);
    if (!this.targets.length) return null;
    const unjudged = wanted.find(({ name }) => name !== RANDOM && !found.get(name).curves);
    if (unjudged) return () => this.judge(unjudged);
    const informed = wanted.filter(({ isBaseline }) => !isBaseline).map(({ name }) => found.get(name).curves);
    const count = owed(informed, drawn);
    return count ? () => this.draws(count) : null;
  }

  /** Do what is to be done, one thing after the other, until it is stopped or replaced. */
  async work() {
    const job = (this.job = {});
    this.say("");
    this.draw();
    try {
      for (let { next } = this; next; { next } = this) {
        if (!(await next()) || this.job !== job) return;
        this.draw();
      }
      this.say("");
    } catch (error) {
      if (this.job === job) this.say(error.message);
    } finally {
      if (this.job === job) this.job = null;
      this.draw();
    }
  }

  async make(method) {
    const { index, lesson, found } = this.target;
    const what = { run: this.run, method: method.name, target: index, lesson };
    const values = await this.asking("explain", what, method.title);
    if (values?.why) this.target.skipped.set(method.name, values.why);
    else if (values) found.set(method.name, { values, ...this.painter.paint(method, values), curves: null });
    return Boolean(values);
  }

  async judge({ name, title }) {
    const { index, lesson, found } = this.target;
    const what = { run: this.run, scores: found.get(name).values, target: index, lesson };
    const curves = await this.asking("judge", what, this.words.export.methodsJudged.replace("{method}", title));
    if (curves) found.set(name, { ...found.get(name), curves });
    return Boolean(curves);
  }

  async draws(count) {
    const { index, lesson, found, drawn } = this.target;
    const { title } = this.all.find(({ name }) => name === RANDOM);
    const what = { run: this.run, from: drawn.length, count, target: index, lesson };
    const some = await this.asking("chance", what, this.words.export.methodsJudged.replace("{method}", title));
    if (!some) return false;
    drawn.push(...some);
    found.set(RANDOM, { ...found.get(RANDOM), curves: chanceOf(drawn) });
    return true;
  }

  /** Ask the engine for something that takes many passes, and show its progress. Null if it is not wanted any more.
   * @param {"explain" | "judge" | "chance"} call @param {any} what @param {string} name */
  async asking(call, what, name) {
    const { job } = this;
    const begun = performance.now();
    const answer = await this.desk.source.atLength(call, what, (share) => {
      if (this.job !== job) return;
      const spent = performance.now() - begun;
      const left = share > 0.02 && spent > SOON ? ((spent / share) * (1 - share)) / 1000 : 0;
      const said = this.words.export[left >= 1 ? "methodsLeft" : "methodsRuns"];
      this.say(filled(said, { what: name, percent: Math.round(100 * share), seconds: Math.ceil(left) }));
    });
    return this.job === job ? answer : null;
  }

  stop() {
    this.job = null;
    this.desk.source.stop();
    this.say(this.words.page.stopped);
    this.draw();
  }

  say(said) {
    this.find("#methods-note p").textContent = said;
  }

  draw() {
    const { run, results } = this;
    const isJudged = this.methods.some(({ name }) => results.of(name)?.curves);
    this.find("#methods-stop").disabled = !this.job;
    this.find("#methods-go").disabled = Boolean(this.job) || !this.classes || !this.next;
    this.find("#methods-more").disabled = this.find("#methods-csv").disabled = !isJudged;
    if (run && this.classes) this.screen.show(told(results, this.words));
    table(this.find("#methods-table"), results, this.words);
    this.saySkipped();
    this.sayTaught();
  }

  // Say which methods have no map here, and why.
  saySkipped() {
    const { named } = this.words.page;
    const said = this.all
      .filter(({ name }) => this.target.skipped.has(name))
      .map(({ name, title }) => filled(named, { name: title, said: this.target.skipped.get(name) }));
    this.find(".skipped").replaceChildren(
      ...said.map((textContent) => Object.assign(document.createElement("li"), { textContent })),
    );
  }

  // Say what a taught thing is here; or, among what is less important, that the visitor can teach some.
  sayTaught() {
    const { page, viewer, export: own } = this.words;
    const { label, lesson } = this.target;
    const canTeach = own.methodsTeach.replace("{teach}", viewer.teach).replace("{tab}", page.tab_attention);
    this.find(".taught").textContent = lesson ? own.methodsTaught.replace("{label}", () => label) : "";
    this.find(".teach").textContent = this.things.length ? "" : canTeach;
  }
}
