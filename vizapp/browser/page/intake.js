// Takes pictures, films and weights: chosen, dropped anywhere on the page, or pasted. One picture is opened; several, or those of a
// folder, make a film strip.

import { dropped, isOther, isPicture, isWeights, listed } from "../../ui/incoming/files.js";
import { mayMove } from "../../ui/incoming/frames.js";
import { Words } from "../../ui/viewer/words.js";
import { Hint } from "../../ui/incoming/hint.js";
import { MOST, MOST_BYTES, Strip } from "../../ui/incoming/strip.js";

const MB = 2 ** 20;

/** @typedef {import("../../ui/incoming/files.js").Found} Found */

/** Whether this is a text field, which handles pasting and dropping itself. @param {EventTarget | null} target */
function isWritten(target) {
  if (!(target instanceof HTMLElement)) return false;
  const isField = target instanceof HTMLInputElement && /^(text|search|url|email|password|number|tel)$/.test(target.type);
  return isField || target instanceof HTMLTextAreaElement || target.isContentEditable;
}

export class Intake {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {HTMLElement} choices which has the buttons
   * @param {HTMLElement} root which gets the strip
   * @param {(file: File) => Promise<boolean>} film shows one
   */
  constructor(desk, choices, root, film) {
    this.desk = desk;
    this.words = new Words(desk.words.incoming);
    this.film = film;
    root.innerHTML = `
      <div class="strip"><div class="strip-head"><span class="strip-count"></span><p class="strip-said" role="status"></p>
      <button type="button" class="strip-close">\u00d7</button></div>
      <div class="strip-row" role="listbox" aria-orientation="horizontal"></div></div>`;
    this.root = /** @type {HTMLElement} */ (root.firstElementChild);
    const [close, row] = [".strip-close", ".strip-row"].map((css) => /** @type {HTMLElement} */ (root.querySelector(css)));
    this.count = root.querySelector(".strip-count");
    this.said = root.querySelector(".strip-said");
    row.ariaLabel = this.say("strip");
    Object.assign(close, { title: this.say("close"), ariaLabel: this.say("close"), onclick: () => this.close() });
    /** @type {Map<import("../../ui/incoming/strip.js").Item, string>} the names of those that were looked at */
    this.names = new Map();
    const on = { look: (item) => this.look(item), tell: () => this.tell() };
    this.strip = new Strip(row, on, (key, values) => this.say(key, values));
    this.field = /** @type {HTMLInputElement} */ (choices.querySelector("input[type=file]"));
    this.field.addEventListener("change", () => {
      this.take(listed(this.field.files), this.field.webkitdirectory, "no_pictures");
      this.field.value = ""; // otherwise choosing the same file again would cause no event
    });
    choices.querySelector(".bring").addEventListener("click", () => this.pick(false));
    choices.querySelector(".folder").addEventListener("click", () => this.pick(true));
    this.listen();
  }

  /** @param {string} key @param {Record<string, any>} values */
  say(key, values = {}) {
    return this.words.say(key, values);
  }

  listen() {
    const hint = new Hint(this.say("drop"), this.say("drop_help"));
    let isOurs = false; // something of this page is being dragged
    addEventListener("dragstart", () => (isOurs = true));
    addEventListener("dragend", () => (isOurs = false));
    const isMine = ({ target, dataTransfer }) =>
      !isOurs && dataTransfer && (dataTransfer.types.includes("Files") || !isWritten(target));
    addEventListener("dragover", (event) => {
      if (!isMine(event)) return;
      event.preventDefault();
      if (event.dataTransfer.types.includes("Files")) hint.show();
    });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || hint.hide());
    addEventListener("drop", async (event) => {
      hint.hide();
      if (!isMine(event)) return void (isOurs = false);
      event.preventDefault();
      const isAddress = event.dataTransfer.types.includes("text/uri-list");
      const { found, isFolder } = await dropped(event.dataTransfer);
      this.take(found, isFolder, isAddress ? "dropped_address" : "dropped_text");
    });
    addEventListener("paste", ({ target, clipboardData }) => {
      if (isWritten(target) || !clipboardData?.types.length) return;
      this.take(listed(clipboardData.files), false, "pasted_text");
    });
  }

  pick(isFolder) {
    this.field.webkitdirectory = isFolder;
    this.field.click();
  }

  /** @param {Found[]} found @param {boolean} isFolder @param {string} nothing the message if there is no file at all */
  async take(found, isFolder, nothing) {
    const { desk } = this;
    if (!found.length) return this.tell(this.say(isFolder ? "no_pictures" : nothing));
    if (!desk.isLive) return this.tell(desk.words.export.mapsOnly);
    const [{ file }] = found;
    if (found.length === 1 && mayMove(file) && (await this.film(file))) return undefined;
    const pictures = found.filter((one) => isPicture(one.file));
    if (found.length === 1 && !isFolder && !(pictures.length && this.strip.items.length)) return this.open(file);
    if (!pictures.length) return this.tell(this.say("no_pictures"));
    const others = found.length - pictures.length;
    const { first, left } = this.strip.add(pictures);
    const full = left ? this.say("too_many", { n: left, most: MOST, bytes: MOST_BYTES / MB }) : "";
    this.tell(desk.viewer.words.told([full, others ? this.say("others", { n: others }) : ""]));
    if (first) this.strip.choose(first, 0);
    return undefined;
  }

  /** @param {File} file */
  async open(file) {
    const { desk } = this;
    this.tell("");
    if (isWeights(file)) return desk.source.weights ? desk.weights(file) : this.tell(this.say("no_weights", { name: file.name }));
    if (isOther(file)) return this.tell(this.say("no_picture", { name: file.name }));
    return this.bring(file, file.name);
  }

  /** Look at a file, and resolve as `desk.look` does. @param {Blob} blob @param {string} title */
  bring(blob, title) {
    return this.show(this.desk.bring(blob, title));
  }

  show(picture) {
    const { desk } = this;
    const now = desk.wanted ?? desk.shown;
    const isAble = now && desk.source.can(now.model, picture);
    const model = isAble ? now.model : desk.about.models.find(({ name }) => desk.source.runs(name)).name;
    const { looksInstead } = desk.words.export;
    const says = now && !isAble ? looksInstead.replace("{model}", now.model).replace("{other}", model) : "";
    return desk.look({ picture, model }, { says });
  }

  // ---- the strip

  /** @param {import("../../ui/incoming/strip.js").Item} item */
  async look(item) {
    this.strip.blame(item, "");
    if (!this.names.has(item)) this.names.set(item, this.desk.bring(item.file, item.path));
    const why = await this.show(this.names.get(item));
    if (why) this.strip.blame(item, this.say("not_shown"));
  }

  /** Mark the picture on the stage, or the one that is coming. @param {import("./desk.js").Choice} choice */
  follow({ picture }) {
    if (!this.strip.items.length) return;
    const item = this.strip.items.find((one) => this.names.get(one) === picture) ?? null;
    this.strip.mark(item, Boolean(this.desk.wanted));
  }

  /** @param {string} [text] the message, "" for none; without it the last one stays */
  tell(text) {
    if (text !== undefined) this.said.textContent = text;
    const { items, current } = this.strip;
    const at = items.indexOf(current);
    const count = items.length ? this.say("of", { of: items.length }) : "";
    const one = at < 0 ? "" : this.say("at", { at: at + 1, of: items.length, name: current.path });
    this.count.textContent = one ? `${one} ${current.bad}`.trim() : count;
    const isOpen = Boolean(items.length || this.said.textContent);
    this.root.classList.toggle("is-open", isOpen);
    this.root.classList.toggle("has-pictures", items.length > 0);
  }

  close() {
    this.strip.clear();
    this.names.clear();
    this.tell("");
  }
}
