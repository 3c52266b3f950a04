// The tab "Methods": runs methods on the picture of the stage, one after the other, and shows what there is as soon as it is there.

import { Screen, sortable } from "../../../ui/views/methods.js";
import { agreement } from "./agreement.js";
import { Choice } from "./choice.js";
import { apart } from "./difference.js";
import { drawer } from "./drawer.js";
import { files } from "./files.js";
import { forgetting } from "./forget.js";
import { escaped, filled, made } from "./made.js";
import { Painter } from "./painted.js";
import { judged, resultsOf } from "./results.js";
import { table } from "./table.js";
import { alike, asked, offer, target } from "./targets.js";
import { told } from "./told.js";
import { verdict } from "./verdict.js";
import { Work } from "./work.js";

/** @typedef {import("./targets.js").Target} Target */

const NOTHING_KNOWN = { reads: false, scores: false, notHere: [] };
const MOST_LETTERS = 200; // of a sentence

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
    this.target = target(null, "", 0); // a placeholder until there is one
    /** @type {import("./targets.js").Lesson | null} what the network had been taught at the last check */
    this.lesson = null;
    this.here = NOTHING_KNOWN; // what the source says of the network
    root.innerHTML = `
      <div id="methods-heading"><h2></h2><div><details class="left" hidden><summary></summary><ul></ul></details><p class="scale"></p>
        <p class="taught"></p></div></div>
      <div id="methods-run">
        <label class="field"><span class="label"></span><select id="methods-target"></select></label>
        <label class="field" id="methods-sentence" hidden><span class="label"></span><input maxlength="${MOST_LETTERS}"></label>
        <button type="button" id="methods-chip"></button>
        <button type="button" id="methods-go"></button><button type="button" id="methods-stop"></button>
        <div id="methods-note"><p role="status"></p></div>
        <button type="button" id="methods-more"></button>
      </div>
      <div id="methods-pick" class="drawer"></div>
      <div id="methods-numbers" class="drawer"><div id="methods-files"></div><div id="methods-scores"></div>
        <div id="methods-table" tabindex="0" role="region"></div><p class="areas"></p><p class="truth"></p>
        <details id="methods-agreement"><summary></summary><p></p><div class="methods-matrix"></div></details>
        <details id="methods-forget"><summary></summary><p></p><button type="button" id="methods-forget-go"></button>
          <div id="methods-forgotten"></div></details>
        <p class="teach"></p><p class="elsewhere"></p></div>
      <div id="methods-maps"><div class="html-container"><div class="methods-screen"></div></div></div>`;
    const said = {
      "#methods-run > .field .label": page.target,
      "#methods-sentence .label": page.sentence,
      "#methods-go": page.compare,
      "#methods-stop": page.stop,
      "#methods-more": page.numbers,
      ".scale": page.scale_own,
      ".elsewhere": methods.elsewhere,
      "#methods-agreement summary": page.agreement,
      "#methods-agreement p": page.agreement_help,
      "#methods-forget summary": page.forget,
      "#methods-forget p": page.forget_help,
      "#methods-forget-go": page.forget_go,
    };
    for (const [css, text] of Object.entries(said)) this.find(css).textContent = text;
    this.find(".areas").innerHTML = page.areas_help;
    this.find("#methods-sentence").title = page.sentence_help;
    this.find("#methods-table").ariaLabel = page.table;
    this.find("#methods-forget").hidden = !desk.source.compares.includes("forget");
    this.painter = new Painter(desk.about);
    this.work = new Work(desk, this.painter, {
      parts: () => this.parts,
      asks: (of, names) => this.asks(of, names),
      draw: () => this.draw(),
      say: (text) => this.say(text),
    });
    this.choice = new Choice(this.find("#methods-pick"), this.find("#methods-chip"), desk, {
      ticked: (name) => this.ticked(name),
      set: (name) => this.forgetMaps(name),
      filled: () => this.forgetCurves(),
      compared: () => this.work.again(),
      refused: (text) => this.say(text),
    });
    this.saves = files(this.find("#methods-files"), desk, {
      results: () => this.results,
      asked: () => this.asksOfAll(),
      make: (what, name) => this.work.alone("files", what, name),
    });
    this.begin();
    this.listen();
  }

  listen() {
    const { state } = this.desk.viewer;
    this.find("#methods-go").addEventListener("click", () => this.work.again());
    this.find("#methods-stop").addEventListener("click", () => this.work.stop());
    this.find("#methods-forget-go").addEventListener("click", () => this.forget());
    this.find("#methods-target").addEventListener("change", () => this.aim());
    this.find("#methods-sentence input").addEventListener("change", () => this.aim());
    drawer(this.root, this.find("#methods-more"), this.find("#methods-numbers"));
    sortable(this.find("#methods-table"));
    let taught = null;
    state.subscribe(() => {
      if (taught !== state.get("taught")) this.follow();
      taught = state.get("taught");
    });
  }

  get targets() {
    return [...this.things, ...(this.classes ?? [])];
  }

  get hasTarget() {
    return this.target.index !== null || Boolean(this.target.sentence);
  }

  /** @returns {any} */
  find(css) {
    return this.root.querySelector(css);
  }

  // An empty screen, for another picture.
  begin() {
    const empty = Object.assign(document.createElement("div"), { className: "methods-screen" });
    this.find(".methods-screen").replaceWith(empty);
    this.find("#methods-forgotten").replaceChildren();
    this.screen = new Screen(empty, (name) => this.ticked(name));
  }

  /** Follow the stage, whose picture or network may have changed. */
  async follow() {
    const { shown, wanted, viewer } = this.desk;
    const run = shown && !wanted && viewer?.payload ? viewer.payload.run : "";
    if (this.run !== run) {
      this.run = ""; // running work belongs to another picture
      this.work.end();
      this.classes = null;
      this.things = [];
      this.target = { ...target(null, "", 0), label: this.target.label, lesson: this.target.lesson };
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
    const { source } = this.desk;
    this.run = run;
    for (const css of ["#methods-run", "#methods-maps", "#methods-heading > div"]) this.find(css).hidden = !isLive;
    const notLive = () => own.methodsNotLive.replace("{model}", this.desk.shown.model);
    this.find("h2").textContent = isLive ? page.methods_hello : notLive();
    this.begin();
    if (!isLive) return;
    this.painter.setPicture(this.desk.viewer.payload);
    try {
      const here = source.compares.includes("here") ? await source.atLength("here", { run }) : NOTHING_KNOWN;
      const classes = here && (await source.atLength("classes", { run }));
      if (this.run !== run || !classes) return;
      this.here = here;
      this.classes = classes.map(([index, label, share]) => target(index, label, share));
    } catch (error) {
      if (this.run === run) this.say(error.message);
      return;
    }
    this.find("#methods-sentence").hidden = !this.here.reads;
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
    const chosen = same ?? kept ?? this.classes[0] ?? this.things[0] ?? target(null, "", 0);
    offer(this.find("#methods-target"), this.things, this.classes, this.words);
    this.find("#methods-target").value = String(this.targets.indexOf(chosen));
    this.find("#methods-run > .field").hidden = !this.targets.length;
    this.choice.compare(this.targets);
    this.choice.follow({ notHere: this.here.notHere, hasTarget: Boolean(this.targets.length) || this.here.reads });
    if (!this.aim(chosen)) this.work.go();
  }

  /** Explain what is written or chosen. Returns whether that is something else than before. @param {Target} [chosen] */
  aim(chosen = this.targets[Number(this.find("#methods-target").value)] ?? target(null, "", 0)) {
    const sentence = this.here.reads ? this.find("#methods-sentence input").value.trim() : "";
    const before = this.target;
    if (!sentence) this.target = chosen;
    else if (before.sentence !== sentence) this.target = target(null, sentence, null, null, sentence);
    if (this.target === before) return false;
    this.find("#methods-forgotten").replaceChildren();
    this.work.again();
    return true;
  }

  // ---- what runs

  // The methods that mean something here, as far as that is known.
  get methods() {
    const isChosen = ({ name, isBaseline }) => isBaseline || this.choice.ticked.has(name);
    const isHere = ({ name, ofClass }) => (!ofClass || this.hasTarget) && !this.target.skipped.has(name);
    return this.all.filter((one) => isChosen(one) && isHere(one));
  }

  /** The target to compare with, if it is another one. @returns {Target | null} */
  get second() {
    const { compared } = this.choice;
    return this.hasTarget && compared !== this.target ? compared : null;
  }

  /** @returns {import("./work.js").Part[]} */
  get parts() {
    // A slow method waits until it is asked for.
    const wanted = this.methods.filter(({ name, isSlow }) => !isSlow || this.target.asked.has(name));
    const { hasTarget, second } = this;
    const ofBoth = wanted.filter(({ name, ofClass, isBaseline }) => (ofClass || isBaseline) && !second?.skipped.has(name));
    return [{ target: this.target, wanted, hasTarget }, ...(second ? [{ target: second, wanted: ofBoth, hasTarget }] : [])];
  }

  // What each question holds.
  asks(of, names) {
    return { run: this.run, ...asked(of), settings: this.choice.settings(names), empty: this.choice.fill };
  }

  // What the source needs to know of all that is shown.
  asksOfAll() {
    const names = this.methods
      .filter(({ name, isBaseline }) => !isBaseline && this.target.found.has(name))
      .map(({ name }) => name);
    return { ...this.asks(this.target, names), methods: names, ...(this.second ? { other: asked(this.second) } : {}) };
  }

  // Run a method, or leave it out: its box has changed, or its map that waits was pressed.
  ticked(name) {
    if (this.choice.ticked.has(name)) this.target.asked.add(name);
    this.work.go();
  }

  // Maps are made anew whose settings have changed.
  forgetMaps(name) {
    for (const { found, skipped } of [...this.targets, this.target]) {
      found.delete(name);
      skipped.delete(name);
    }
    this.work.again();
  }

  // Maps are measured anew.
  forgetCurves() {
    for (const { found, drawn } of [...this.targets, this.target]) {
      for (const [name, one] of found) found.set(name, { ...one, curves: null });
      drawn.length = 0;
    }
    this.work.again();
  }

  async forget() {
    const { target } = this;
    const { page } = this.words;
    const found = await this.work.alone("forget", this.asksOfAll(), page.forget_go);
    if (found && this.target === target) forgetting(this.find("#methods-forgotten"), found, this.all, page);
  }

  // ---- what is shown

  /** What there is of the target, and of the second one. @returns {import("./told.js").Results[]} */
  get results() {
    const { payload } = this.desk.viewer;
    return this.parts.map(({ target: of, wanted }, at) => {
      const isScore = of.sentence || this.here.scores;
      const up = of.lesson ? this.words.export.methodsShare : this.words.page[isScore ? "curve_y_score" : "curve_y"];
      return resultsOf(of, at ? wanted : this.methods, {
        isAsked: (name) => this.target.asked.has(name),
        up: up.replace("{label}", () => of.label),
        payload,
        strips: this.painter.strips,
        apart: (one, other) => apart(this.painter, one, other),
      });
    });
  }

  say(text) {
    this.find("#methods-note p").textContent = text;
  }

  draw() {
    const { run, work, words } = this;
    const { page } = words;
    const { results } = this;
    const [first, second = null] = results;
    const isJudged = judged(first).length > 0;
    this.find("#methods-stop").disabled = !work.job;
    this.find("#methods-go").disabled = Boolean(work.job) || !this.classes || !work.next;
    this.find("#methods-more").disabled = !isJudged;
    this.find("#methods-forget-go").disabled = Boolean(work.job);
    this.saves(isJudged && !work.job);
    if (run && this.classes) this.screen.show(told(first, words, second));
    table(this.find("#methods-table"), results, words);
    const ahead = results.flatMap((one) => [
      ...(second ? [`<h3>\u201c${escaped(one.label)}\u201d</h3>`] : []),
      ...verdict(one, words).map((html) => `<p class="methods-verdict">${html}</p>`),
    ]);
    this.find("#methods-scores").innerHTML = ahead.join("");
    if (this.classes) agreement(this.find(".methods-matrix"), first, page, this.painter.signed);
    this.sayTitle(first, second);
    this.sayTruth(first);
    this.saySkipped();
    this.sayTaught();
  }

  // Name the subject of the comparison.
  sayTitle({ label, methods, of }, second) {
    const { page } = this.words;
    if (!this.run || !methods.some(({ name }) => of(name))) return;
    const key = !label ? "title_no_class" : second ? "title_classes" : "title_class";
    const values = { model: this.desk.viewer.payload.model, label, other: second?.label };
    this.find("h2").textContent = filled(page[key], values);
  }

  // Say which object is known here, and how it is looked for.
  sayTruth({ methods, of }) {
    const objects = methods.map(({ name }) => of(name)?.objects).find(Boolean);
    this.find(".truth").innerHTML = objects ? filled(this.words.methods.truth, { objects: escaped(objects) }) : "";
  }

  // Say which methods have no map here, and why.
  saySkipped() {
    const { page, viewer } = this.words;
    const skipped = this.all.filter(({ name }) => this.target.skipped.has(name) && this.choice.ticked.has(name));
    const said = skipped.map(({ name, title }) =>
      made("li", { innerHTML: filled(page.named, { name: escaped(title), said: escaped(this.target.skipped.get(name)) }) }),
    );
    const names = skipped.map(({ title }) => title).join(viewer.list_comma);
    this.find(".left").hidden = !skipped.length;
    this.find(".left summary").textContent = filled(page.left_out, { names });
    this.find(".left ul").replaceChildren(...said);
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
