// The current choice: a picture, a network, and how the picture is fitted. Each choice puts maps of the source on the stage, and is
// written into the address, so that a link leads back to it.

import { parse, same, write } from "../../ui/link/address.js";
import { OF_PICTURE } from "../../ui/viewer/keys.js";
import { AS_TRAINED, FITS, STATE_VERSION } from "../../vocabulary.js";
import { MOST } from "./kept.js";
import { Refused } from "./sources/source.js";

const UPLOAD = "upload/"; // in front of a name that only this browser knows
const PAUSE = 350; // milliseconds between two writes of the address: Safari allows a hundred in half a minute
const PAGE = /^[1-9]\d{0,5}$/; // as the server's page takes it
const SLOW = 500; // milliseconds after which a network's progress is shown

/**
 * @typedef {{picture: string, page: string, model: string, fit: string}} Choice `page`: of the file, from "2"; "": the first
 * @typedef {import("./cargo.js").Picture & {blob?: Blob, title?: string}} Picture `blob`, its file, and `title`, that file's name, of one
 *   that the visitor brought
 */

export class Desk {
  /**
   * @param {import("./cargo.js").Cargo} cargo
   * @param {string} language
   * @param {import("./sources/source.js").Source} source
   */
  constructor(cargo, language, source) {
    const { about } = cargo;
    this.cargo = cargo;
    this.about = about;
    this.language = language;
    this.words = about.languages[language];
    this.source = source;
    /** @type {Map<string, Picture>} */
    this.pictures = new Map(about.pictures.map((one) => [one.name, one]));
    /** @type {string[]} the visitor's last pictures that were shown, the newest first: their names */
    this.brought = [];
    this.recalled = source.keeper.all().then((all) => {
      for (const { id, blob, name } of all) this.own(UPLOAD + id, blob, name);
      this.brought.push(...all.map(({ id }) => UPLOAD + id));
    });
    /** @type {Choice | null} */
    this.shown = null;
    /** @type {Choice | null} */
    this.wanted = null;
    this.viewer = null;
    this.timer = 0;
    this.said = (_said, _act = null) => {}; // set by the page: shows a sentence, with a button for `act`
    this.offered = (_offer) => {}; // set by the page: shows the offer of another network
    this.complete = (_name, _asks) => {}; // set by the page: asks for the rest of a network's name
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
  async begin() {
    const { start } = this.about;
    if (parse(location.hash)?.page.picture?.startsWith(UPLOAD)) await this.recalled;
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
    const isAsked = model && !has.model && this.source.networks; // it may mean a download, or a file of this computer
    const isPartly = isAnother || (model && !has.model && !isAsked);
    const strange = Object.entries({ v: v && !/^\d{1,8}$/.test(v), fit: !isFit, page: !isPage, edits, tab }).flatMap(
      ([key, is]) => (is ? [key] : []),
    );
    const says = [Number(v) > STATE_VERSION ? this.words.link.newer : "", isPartly ? this.words.export.notOnBoard : ""];
    const act = { said: this.words.link.yes, go: () => this.look({ model }, { state: found.state }) };
    if (isAsked) says.push(this.words.link.asks.replace("{name}", () => model));
    const how = { state: found.state, isAnother, says: this.viewer.words.told(says), strange };
    return this.look(choice, isAsked ? { ...how, act } : how);
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

  /** Whether pictures of the visitor can be looked at. */
  get isLive() {
    return this.about.models.some(({ name }) => this.source.runs(name));
  }

  modelOf(name) {
    return this.about.models.find((one) => one.name === name);
  }

  /** Take a picture that the visitor brought; the name by which it can be chosen. @param {Blob} blob @param {string} title the name of its file */
  bring(blob, title) {
    const name =
      UPLOAD + Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.own(name, blob, title);
    return name;
  }

  own(name, blob, title) {
    this.pictures.set(name, {
      name,
      type: blob.type,
      file: "",
      credit: "",
      asked: null,
      truth: [],
      drawn: false,
      notes: {},
      blob,
      title,
    });
  }

  /** Whether this is a picture that the visitor brought. @param {string} name */
  isOwn(name) {
    return Boolean(this.pictures.get(name)?.blob);
  }

  /** Forget what the visitor brought, here and in the browser; what is on the stage stays there. */
  async forget() {
    this.brought = [];
    await this.source.keeper.clear();
    this.changed(this.wanted ?? this.shown);
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
   * @param {{state?: string | null, isAnother?: boolean, says?: string, strange?: string[], act?: {said: string, go: () => void} | null}} [how] `state`: of the view, as a link has it; null: the view
   *   stays. `isAnother`: the link's picture is not here, so what was marked on it is left out. `strange`: keys of the link that
   *   are not understood. `act`: what a button behind `says` does
   * @returns {Promise<string | null>} why it cannot be shown; "" if it is on the stage; null if something else was chosen meanwhile
   */
  async look(part, { state = null, isAnother = false, says = "", strange = [], act = null } = {}) {
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
      this.settle(choice, said, act);
      return "";
    }
    this.wanted = choice;
    this.viewer.choose(JSON.stringify(choice));
    this.changed(choice);
    const isStale = () => this.wanted !== choice;
    const begun = performance.now();
    const stop = this.source.giveUp ? { said: this.words.page.stop, go: () => this.source.giveUp() } : null;
    const far = (share, said = this.words.export.looking.replace("{percent}", `${Math.round(100 * share)}`)) =>
      isStale() || performance.now() - begun < SLOW || this.said(said, stop);
    try {
      const found = await this.source.look(choice, this.pictures.get(choice.picture), far);
      if (isStale()) return null;
      if (state !== null) this.viewer.arrives = () => (restore(), true);
      await this.show(found);
      if (isStale()) return null;
      if (found.said) said = this.viewer.words.told([said, found.said]);
      const before = this.shown;
      this.wanted = null;
      this.shown = choice;
      const own = this.pictures.get(choice.picture);
      if (own?.blob && before?.picture !== own.name) this.keep(own);
      this.settle(choice, said, act);
      this.offered(found.offer ?? null);
      this.write(before && state === null ? "push" : "replace");
      return "";
    } catch (error) {
      if (isStale()) return null;
      this.wanted = null;
      const why = error instanceof Refused ? error.message : `${this.words.export.failed} ${error.message}`;
      this.settle(this.shown ?? choice, why);
      if (error.offer) this.offered(error.offer);
      return why;
    } finally {
      this.viewer.arrives = () => false;
    }
  }

  /** Bring the current choice to the stage anew: its maps did not come whole. */
  again() {
    const { shown, wanted } = this;
    this.shown = null;
    return this.look(wanted ?? shown).finally(() => (this.shown ??= shown));
  }

  // Resolves when the maps are on the stage, or are refused. The rest of a large payload follows.
  async show(found) {
    if (found.payload) return this.viewer.showHere(found.payload, found.run);
    const staged = new Promise((begun) => this.viewer.root.addEventListener("vizapp-maps", begun, { once: true }));
    return Promise.race([staged, this.viewer.show(found)]);
  }

  /** @param {Picture} own */
  keep({ name, blob, title }) {
    this.brought = [name, ...this.brought.filter((one) => one !== name)].slice(0, MOST);
    void this.source.keeper.keep({ id: name.slice(UPLOAD.length), name: title, blob });
  }

  settle(choice, says, act = null) {
    this.viewer.settle(JSON.stringify(choice));
    this.changed(choice);
    this.said(says, act);
  }

  /** Look through the network whose weights a file has; if the file does not tell which, the chip asks. @param {File} file */
  async weights(file) {
    this.said(this.words.page.loading.replace("{name}", () => file.name));
    try {
      const { name, asks } = await this.source.weights(file);
      this.said("");
      if (asks) this.complete(name, asks);
      else await this.look({ model: name });
    } catch (error) {
      this.said(error.message);
    }
  }

  /** What the classifier's query attends to in a frame. @param {string} model @param {HTMLCanvasElement} frame */
  glance(model, frame) {
    const { fit } = this.wanted ?? this.shown ?? { fit: AS_TRAINED };
    return this.source.glance({ model, fit }, frame);
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
