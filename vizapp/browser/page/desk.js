// The current choice: a picture, a network, and how the picture is fitted. Each choice puts maps on the stage, either ready ones
// from the page or new ones from the engine, and is written into the address, so that a link leads back to it.

import { parse, write, written } from "../../ui/link/address.js";
import { OF_PICTURE } from "../../ui/viewer/keys.js";
import { textOf } from "../../ui/viewer/numbers/base64.js";
import { AS_TRAINED, FITS, STATE_VERSION } from "../../vocabulary.js";
import { withHeader, withPicture } from "./header.js";
import { keep, kept } from "./kept.js";

const PAUSE = 350; // milliseconds between two writes of the address: Safari allows a hundred in half a minute
const PAGE = /^[1-9]\d{0,5}$/; // as the server's page takes it
const SLOW = 500; // milliseconds after which a network's progress is shown

/**
 * @typedef {{picture: string, page: string, model: string, fit: string}} Choice `page`: of the file, from "2"; "": the first
 * @typedef {import("./cargo.js").Picture & {bytes?: Uint8Array, title?: string}} Picture `bytes` and `title`, the name of its file, of one
 *   that the visitor brought
 */

/** An error whose message is a sentence for the visitor. */
export class Refused extends Error {}

export class Desk {
  /**
   * @param {import("./cargo.js").Cargo} cargo
   * @param {string} language
   * @param {import("./engine.js").Engine} engine
   */
  constructor(cargo, language, engine) {
    const { about } = cargo;
    this.cargo = cargo;
    this.about = about;
    this.language = language;
    this.words = about.languages[language];
    this.engine = engine;
    /** @type {Map<string, Picture>} */
    this.pictures = new Map(about.pictures.map((one) => [one.name, one]));
    const before = kept(); // of this tab, before it was loaded anew
    if (before) this.own(before.name, before.bytes, before.type, before.title);
    /** @type {Choice | null} */
    this.shown = null;
    /** @type {Choice | null} */
    this.wanted = null;
    this.viewer = null;
    this.timer = 0;
    this.said = (_said) => {}; // set by the page: shows a sentence
    this.changed = (_choice) => {}; // set by the page: follows the choice
    addEventListener("popstate", () => this.open(location.hash));
    addEventListener("pagehide", () => this.write());
  }

  /** Connect the viewer once it exists. */
  attend(viewer) {
    this.viewer = viewer;
    viewer.state.subscribe(() => this.later());
  }

  // ---- what is chosen

  /** Show what the address names, or the page's first picture. */
  begin() {
    const { start } = this.about;
    if (parse(location.hash)) return this.open(location.hash);
    return this.look({ ...start, page: "", fit: AS_TRAINED });
  }

  /** Show what a link names; parts that it leaves out are those of the start. @param {string} link */
  open(link) {
    const found = parse(link);
    if (!found) return null;
    const { v = "", model = "", page = "", fit = AS_TRAINED, edits, tab } = found.page;
    const picture = this.onBoard(found.page.picture ?? "");
    const { start } = this.about;
    const has = { picture: this.pictures.has(picture), model: this.about.models.some(({ name }) => name === model) };
    const isFit = [AS_TRAINED, ...FITS].includes(fit);
    const isPage = !page || PAGE.test(page);
    const choice = {
      picture: has.picture ? picture : start.picture,
      page: has.picture && isPage && page !== "1" ? page : "",
      model: has.model ? model : start.model,
      fit: isFit ? fit : AS_TRAINED,
    };
    const isAnother = Boolean(picture && !has.picture);
    const isPartly = isAnother || (model && !has.model);
    const strange = Object.entries({ v: v && !/^\d{1,8}$/.test(v), fit: !isFit, page: !isPage, edits, tab }).flatMap(
      ([key, is]) => (is ? [key] : []),
    );
    const says = [Number(v) > STATE_VERSION ? this.words.link.newer : "", isPartly ? this.words.export.notOnBoard : ""];
    return this.look(choice, { state: found.state, isAnother, says: this.viewer.words.told(says), strange });
  }

  // The nearest picture of a lesson that the page has. It holds a few of the lesson's forty, and "next" leads from one to
  // another.
  onBoard(name) {
    const [, lesson, number] = /^(lesson\/[a-z]+\/)(\d+)$/.exec(name) ?? [];
    if (!lesson || this.pictures.has(name)) return name;
    const here = [...this.pictures.keys()].filter((one) => one.startsWith(lesson) && !one.endsWith("/bare"));
    const numbers = here.map((one) => Number(one.slice(lesson.length))).sort((a, b) => a - b);
    if (!numbers.length) return name;
    const now = this.shown?.picture.startsWith(lesson) ? Number.parseInt(this.shown.picture.slice(lesson.length)) : NaN;
    const { of } = this.pictures.get(here[0]).asked[this.language];
    const isBack = (now - Number(number) + of) % of === 1;
    const next = isBack ? numbers.findLast((one) => one <= Number(number)) : numbers.find((one) => one >= Number(number));
    return `${lesson}${next ?? numbers.at(isBack ? -1 : 0)}`;
  }

  /** The link of the current view; "" before the first map. */
  here() {
    if (!this.shown) return "";
    const { picture, page, model, fit } = this.shown;
    return write({ v: String(STATE_VERSION), picture, page, model, fit: fit === AS_TRAINED ? "" : fit }, this.viewer.toHash());
  }

  /** Whether the page can show this network's maps of this picture. @param {string} model @param {string} picture */
  can(model, picture) {
    return Boolean(this.modelOf(model)?.blob || this.about.maps[model]?.[picture]);
  }

  modelOf(name) {
    return this.about.models.find((one) => one.name === name);
  }

  /**
   * Take a picture that the visitor brought; the name by which it can be chosen.
   * @param {Uint8Array} bytes @param {string} type @param {string} title the name of its file
   */
  bring(bytes, type, title) {
    let number = this.pictures.size;
    while (this.pictures.has(`upload/${number}`)) number += 1;
    const name = `upload/${number}`;
    this.own(name, bytes, type, title);
    return name;
  }

  own(name, bytes, type, title = "") {
    this.pictures.set(name, { name, type, file: "", credit: "", asked: null, truth: [], drawn: false, notes: {}, bytes, title });
  }

  /** What the picture on the stage is called, for the names of files. */
  get title() {
    const name = this.shown?.picture ?? "";
    return this.pictures.get(name)?.title || name;
  }

  /** Show another page of the picture's file. @param {number} page */
  turn(page) {
    return this.look({ page: page > 1 ? String(page) : "" });
  }

  /**
   * Bring a choice to the stage; parts that it leaves out stay. If several follow quickly, only the last one is shown.
   * @param {Partial<Choice>} part
   * @param {{state?: string | null, isAnother?: boolean, says?: string, strange?: string[]}} [how] `state`: of the view, as a link has it; null: the view
   *   stays. `isAnother`: the link's picture is not here, so what was marked on it is left out. `strange`: keys of the link that
   *   are not understood
   */
  async look(part, { state = null, isAnother = false, says = "", strange = [] } = {}) {
    let said = says;
    const restore = () => {
      said = this.viewer.words.told([says, this.viewer.follow(state, strange)]);
      if (isAnother) this.viewer.state.set(OF_PICTURE);
    };
    const now = this.wanted ?? this.shown ?? { ...this.about.start, page: "", fit: AS_TRAINED };
    const choice = { ...now, ...("picture" in part ? { page: "" } : {}), ...part };
    if (this.shown && same(choice, this.shown)) {
      this.wanted = null;
      if (state !== null) restore();
      this.settle(choice, said);
      return;
    }
    this.wanted = choice;
    this.viewer.choose(JSON.stringify(choice));
    this.changed(choice);
    const isStale = () => this.wanted !== choice;
    try {
      const { payload, run } = await this.maps(choice, isStale);
      if (isStale()) return;
      if (state !== null) this.viewer.arrives = () => (restore(), true);
      await this.viewer.showHere(payload, run);
      if (isStale()) return;
      const before = this.shown;
      this.wanted = null;
      this.shown = choice;
      const own = this.pictures.get(choice.picture);
      if (own?.bytes && before?.picture !== own.name) keep(own.name, own.bytes, own.type, own.title);
      this.settle(choice, said);
      this.write(before && state === null ? "push" : "replace");
    } catch (error) {
      if (isStale()) return;
      this.wanted = null;
      this.settle(
        this.shown ?? choice,
        error instanceof Refused ? error.message : `${this.words.export.failed} ${error.message}`,
      );
    } finally {
      this.viewer.arrives = () => false;
    }
  }

  settle(choice, says) {
    this.viewer.settle(JSON.stringify(choice));
    this.changed(choice);
    this.said(says);
  }

  // ---- maps

  async maps(choice, isStale) {
    const { picture, page, model, fit } = choice;
    const run = JSON.stringify(choice);
    const ready = fit === AS_TRAINED && !page ? this.about.maps[model]?.[picture] : null;
    if (ready) return { payload: withHeader(await this.cargo.get(ready.payload), ready.headers[this.language] ?? {}), run };
    const network = this.modelOf(model);
    const begun = performance.now();
    if (!network?.blob) throw new Refused(this.words.export.mapsOnly);
    const shown = this.pictures.get(picture);
    const caution = network.subject === "scenes" && !shown.drawn ? this.words.page.caution_scenes : "";
    const said = {
      words: this.words.export,
      // The caution says the same as the network's own, and at the labels.
      notes: [...(caution ? [] : (network.notes[this.language] ?? [])), ...(shown.notes[this.language] ?? [])],
      lesson: shown.asked?.[this.language] ?? null,
      caution,
      truth: shown.truth.map(({ names, object }) => ({ name: names[this.language], object })),
    };
    const masks = await Promise.all(shown.truth.map(({ mask }) => this.cargo.get(mask)));
    const payload = await this.engine.look({
      run,
      model,
      network: () => this.given(model),
      file: shown.bytes ?? (await this.cargo.get(shown.file)),
      type: shown.type,
      page: Number(page || 1),
      fit: fit === AS_TRAINED ? null : fit,
      said,
      masks,
      far: (share) =>
        isStale() ||
        performance.now() - begun < SLOW ||
        this.said(this.words.export.looking.replace("{percent}", `${Math.round(100 * share)}`)),
    });
    return { payload, run };
  }

  // A network's file, and its labels in the visitor's language if that has its own.
  async given(model) {
    const { blob, labels } = this.modelOf(model);
    return { bytes: await this.cargo.get(blob), labels: labels[this.language] ?? null };
  }

  /** What the classifier's query attends to in a frame. @param {string} model @param {ImageData} frame its pixels go away */
  glance(model, frame) {
    const { fit } = this.wanted ?? this.shown ?? { fit: AS_TRAINED };
    return this.engine.glance({ model, network: () => this.given(model), frame, fit: fit === AS_TRAINED ? null : fit });
  }

  /** Answer the viewer's questions: from the answers stored in the page, or by the engine. @param {any[]} asked */
  async ask([kind, run, what]) {
    const { picture, model } = JSON.parse(run);
    if (kind === "saving") return this.origin(run, picture, model);
    const answer = this.about.answers[model]?.[picture]?.[this.language]?.[`${kind} ${JSON.stringify(what)}`];
    if (answer) return answer;
    const moment = kind === "moments" && this.about.moments[model]?.[picture]?.[what];
    if (moment) return this.moment(moment, this.about.maps[model][picture]);
    if (this.modelOf(model)?.blob) return this.engine.ask(kind, run, what, this.words.export);
    return kind === "maps" ? {} : { why: this.words.export.needsServer };
  }

  // The provenance for a saved file: the stored one for maps that were made beforehand, or what the page knows.
  async origin(run, picture, model) {
    const known = this.about.maps[model]?.[picture];
    if (known && !this.modelOf(model)?.blob) return { about: known.about };
    const made = { ...this.modelOf(model).about, program: "vizapp, in the browser", date: new Date().toISOString() };
    const { about } = await this.engine.ask("saving", run, null, this.words.export);
    return { about: { ...made, ...about } };
  }

  // Maps of the same picture at another step of a film, as the server sends them.
  async moment({ payload, headers, sinks }, start) {
    const whole = withPicture(await this.cargo.get(payload), await this.cargo.get(start.payload));
    const said = withHeader(whole, headers[this.language] ?? {});
    return { maps: textOf(said), run: "", sinks };
  }

  // ---- the address

  /** Resolves when the address names what is shown: nothing is being opened, and nothing is to be written. */
  async idle() {
    while (this.wanted || this.timer) await new Promise(requestAnimationFrame);
  }

  later() {
    this.timer ||= window.setTimeout(() => this.write(), PAUSE);
  }

  /** @param {"replace" | "push"} how */
  write(how = "replace") {
    clearTimeout(this.timer);
    this.timer = 0;
    const hash = this.here();
    if (!hash || this.wanted || hash === location.hash) return;
    try {
      history[`${how}State`](null, "", location.pathname + location.search + hash);
    } catch {
      if (how === "replace") this.timer = window.setTimeout(() => this.write(), 30_000);
    }
  }
}

const same = (one, other) => written(one) === written(other);
