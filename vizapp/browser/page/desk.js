// What lies on the desk: a picture, the network that looks at it, and how it is fitted. Each choice goes to the stage, as maps that
// are on board or that the engine makes now, and into the address; a link leads back to it.

import { parse, write, written } from "../../ui/link/address.js";
import { OF_PICTURE } from "../../ui/viewer/keys.js";
import { VERSION } from "../../ui/viewer/version.js";
import { withHeader, withPicture } from "./header.js";

const PAUSE = 350; // milliseconds between two writes of the address: Safari allows a hundred in half a minute
const AS_TRAINED = "as_trained";
const SLOW = 500; // milliseconds after which it is said how far a network is

/**
 * @typedef {{picture: string, model: string, fit: string}} Choice
 * @typedef {import("./cargo.js").Picture & {bytes?: Uint8Array}} Picture `bytes`: of one that the visitor brought
 */

/** What is wrong, in words. */
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
    /** @type {Choice | null} */
    this.shown = null;
    /** @type {Choice | null} */
    this.wanted = null;
    this.viewer = null;
    this.timer = 0;
    this.said = (_said) => {}; // the page's: where a sentence stands
    this.changed = (_choice) => {}; // and what follows the choice
    addEventListener("popstate", () => this.open(location.hash));
    addEventListener("pagehide", () => this.write());
  }

  /** The viewer is there. */
  attend(viewer) {
    this.viewer = viewer;
    viewer.state.subscribe(() => this.later());
  }

  // ---- what is chosen

  /** Show what the address says, or what the page begins with. */
  begin() {
    const { start } = this.about;
    if (parse(location.hash)) return this.open(location.hash);
    return this.look({ ...start, fit: AS_TRAINED });
  }

  /** Show what a link says; of what it does not say, the start. @param {string} link */
  open(link) {
    const found = parse(link);
    if (!found) return null;
    const { model = "", fit = AS_TRAINED } = found.page;
    const picture = this.onBoard(found.page.picture ?? "");
    const { start } = this.about;
    const has = { picture: this.pictures.has(picture), model: this.about.models.some(({ name }) => name === model) };
    const choice = { picture: has.picture ? picture : start.picture, model: has.model ? model : start.model, fit };
    const isAnother = Boolean(picture && !has.picture);
    const isPartly = isAnother || (model && !has.model);
    return this.look(choice, { state: found.state, isAnother, says: isPartly ? this.words.export.notOnBoard : "" });
  }

  // The picture of a lesson that is meant: of its forty some are on board, and the way on and back leads to the next of them.
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

  /** The link of what is shown; "" before the first map. */
  here() {
    if (!this.shown) return "";
    const { picture, model, fit } = this.shown;
    return write({ v: String(VERSION), picture, model, fit: fit === AS_TRAINED ? "" : fit }, this.viewer.state.toHash());
  }

  /** Can this network look at this picture here? @param {string} model @param {string} picture */
  can(model, picture) {
    return Boolean(this.modelOf(model)?.blob || this.about.maps[model]?.[picture]);
  }

  modelOf(name) {
    return this.about.models.find((one) => one.name === name);
  }

  /** Keep a picture that the visitor brought, under the name by which it can be chosen. @param {Uint8Array} bytes @param {string} type */
  bring(bytes, type) {
    const name = `upload/${this.pictures.size}`;
    this.pictures.set(name, { name, type, file: "", asked: null, truth: [], bytes });
    return name;
  }

  /**
   * Bring a choice to the stage; what it does not name stays. Of several only the last one comes.
   * @param {Partial<Choice>} part
   * @param {{state?: string | null, isAnother?: boolean, says?: string}} [how] `state`: of the view, as a link has it; null: the view
   *   stays. `isAnother`: the link's picture is not here, so what was marked on it is left out
   */
  async look(part, { state = null, isAnother = false, says = "" } = {}) {
    const restore = () => {
      this.viewer.state.fromHash(state);
      if (isAnother) this.viewer.state.set(OF_PICTURE);
    };
    const choice = { ...(this.wanted ?? this.shown ?? { ...this.about.start, fit: AS_TRAINED }), ...part };
    if (this.shown && same(choice, this.shown)) {
      this.wanted = null;
      this.settle(choice, says);
      if (state !== null) restore();
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
      this.settle(choice, says);
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
    const { picture, model, fit } = choice;
    const run = JSON.stringify(choice);
    const ready = fit === AS_TRAINED ? this.about.maps[model]?.[picture] : null;
    if (ready) return { payload: withHeader(await this.cargo.get(ready.payload), ready.headers[this.language] ?? {}), run };
    const network = this.modelOf(model);
    const begun = performance.now();
    if (!network?.blob) throw new Refused(this.words.export.mapsOnly);
    const shown = this.pictures.get(picture);
    const said = {
      words: this.words.export,
      notes: network.notes[this.language] ?? [],
      lesson: shown.asked?.[this.language] ?? null,
      caution: network.subject === "scenes" && !shown.asked ? this.words.page.caution_scenes : "",
      truth: shown.truth.map(({ names, object }) => ({ name: names[this.language], object })),
    };
    const masks = await Promise.all(shown.truth.map(({ mask }) => this.cargo.get(mask)));
    const payload = await this.engine.look({
      run,
      model,
      network: () => this.given(model),
      file: shown.bytes ?? (await this.cargo.get(shown.file)),
      type: shown.type,
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

  // A network's file, and its labels in the visitor's language if they are other ones.
  async given(model) {
    const { blob, labels } = this.modelOf(model);
    return { bytes: await this.cargo.get(blob), labels: labels[this.language] ?? null };
  }

  /** What the classifier's query attends to in a frame of what moves. @param {string} model @param {ImageData} frame whose pixels are given away */
  glance(model, frame) {
    const { fit } = this.wanted ?? this.shown ?? { fit: AS_TRAINED };
    return this.engine.glance({ model, network: () => this.given(model), frame, fit: fit === AS_TRAINED ? null : fit });
  }

  /** The viewer's one door: what was answered when the page was made, else what the engine answers. @param {any[]} asked */
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

  // Where a file that is saved comes from: of maps that were made beforehand what was known then, else what is known here.
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
    return { maps: btoa(Array.from(said, (byte) => String.fromCharCode(byte)).join("")), run: "", sinks };
  }

  // ---- the address

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
