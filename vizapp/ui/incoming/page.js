// Pictures that come from outside, wherever on the page they are dropped or pasted: one is opened, several make a film strip.

import { dropped, isOther, isPicture, isWeights, listed } from "./files.js";
import { Hint } from "./hint.js";
import { hand, isFree } from "./road.js";
import { MOST, MOST_BYTES, Strip } from "./strip.js";

const PICTURE = "#picture";
const WEIGHTS = "#own-weights";
const PATIENCE = 4000; // milliseconds from an upload that has ended to the question for its maps, from a failure to what is shown instead
const STEP = 50; // milliseconds between two looks
const MB = 2 ** 20;

/** @typedef {import("./strip.js").Item} Item */

/** Is this a place where text is written, which may be pasted and dropped there? @param {EventTarget | null} target */
function isWritten(target) {
  if (!(target instanceof HTMLElement)) return false;
  const isField = target instanceof HTMLInputElement && /^(text|search|url|email|password|number|tel)$/.test(target.type);
  return isField || target instanceof HTMLTextAreaElement || target.isContentEditable;
}

export class Incoming {
  constructor() {
    this.words = null;
    this.isOurs = false; // is it something of this page that is dragged?
    /** @type {Item | null} */
    this.wanted = null;
    /** @type {Item | null} */
    this.sent = null; // handed over, and not yet asked for by the page
    /** @type {Item | null} */
    this.asked = null;
    this.shown = ""; // the path of the picture on the stage
    this.pending = 0; // questions for maps that have no answer yet
    this.isBusy = false;
    this.failed = 0; // choices that the page has not taken back yet
  }

  /**
   * The page's part of it is there.
   * @param {HTMLElement} root
   * @param {Record<string, string>} words
   */
  mount(root, words) {
    this.words = words;
    this.root = root.querySelector(".strip");
    this.said = this.root.querySelector(".strip-said");
    this.count = this.root.querySelector(".strip-count");
    const row = /** @type {HTMLElement} */ (this.root.querySelector(".strip-row"));
    row.setAttribute("aria-label", words.strip);
    const close = this.root.querySelector(".strip-close");
    Object.assign(close, { title: words.close });
    close.setAttribute("aria-label", words.close);
    close.addEventListener("click", () => this.close());
    this.strip = new Strip(row, { look: (item) => this.look(item), tell: () => this.tell() }, (key, values) => this.say(key, values));
    if (document.documentElement.classList.contains("embed")) return; // there is no picture to choose, and none is taken
    this.hint = new Hint(words.drop, words.drop_help);
    this.listen();
    for (const [id, isFolder] of /** @type {[string, boolean][]} */ ([["more-pictures", false], ["picture-folder", true]])) {
      const button = document.getElementById(id);
      button?.addEventListener("click", () => this.pick(isFolder));
    }
  }

  /** @param {string} key @param {Record<string, any>} values */
  say(key, values = {}) {
    return this.words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }

  // ---- what comes

  // In the first phase, so that no box of the page takes a part of it.
  listen() {
    addEventListener("dragstart", () => (this.isOurs = true), true);
    addEventListener("dragend", () => (this.isOurs = false), true);
    const isMine = ({ target, dataTransfer }) => {
      if (this.isOurs || !dataTransfer) return false;
      return dataTransfer.types.includes("Files") || !isWritten(target);
    };
    for (const kind of ["dragenter", "dragover"]) {
      addEventListener(
        kind,
        (/** @type {any} */ event) => {
          if (!isMine(event)) return;
          event.preventDefault();
          event.stopPropagation();
          event.dataTransfer.dropEffect = "copy";
          if (event.dataTransfer.types.includes("Files")) this.hint.show();
        },
        true,
      );
    }
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || this.hint.hide(), true);
    addEventListener(
      "drop",
      (event) => {
        this.hint.hide();
        if (!isMine(event)) return void (this.isOurs = false);
        event.preventDefault();
        event.stopPropagation();
        this.drop(event.dataTransfer);
      },
      true,
    );
    addEventListener("paste", (event) => {
      if (isWritten(event.target) || event.defaultPrevented || !event.clipboardData) return;
      const files = listed(event.clipboardData.files);
      if (files.length) event.preventDefault();
      if (files.length || event.clipboardData.types.length) this.take(files, false, "pasted_text");
    });
  }

  async drop(transfer) {
    const isAddress = transfer.types.includes("text/uri-list");
    const { found, isFolder } = await dropped(transfer);
    this.take(found, isFolder, isAddress ? "dropped_address" : "dropped_text");
  }

  pick(isFolder) {
    const field = Object.assign(document.createElement("input"), { type: "file", multiple: true, webkitdirectory: isFolder });
    if (!isFolder) field.accept = "image/*";
    field.addEventListener("change", () => this.take(listed(field.files), isFolder, "no_pictures"));
    field.click();
  }

  /**
   * @param {import("./files.js").Found[]} found
   * @param {boolean} isFolder
   * @param {string} nothing what is said if there is no file at all
   */
  take(found, isFolder, nothing) {
    if (!found.length) return this.tell(this.say(isFolder ? "no_pictures" : nothing));
    if (found.length === 1 && !isFolder && !this.strip.items.length) return this.open(found[0]);
    const pictures = found.filter(({ file }) => isPicture(file));
    if (!pictures.length) return found.length === 1 ? this.open(found[0]) : this.tell(this.say("no_pictures"));
    const others = found.length - pictures.length;
    const { first, left } = this.strip.add(pictures);
    const said = [];
    if (left) said.push(this.say("too_many", { n: left, most: MOST, bytes: MOST_BYTES / MB }));
    if (others) said.push(this.say("others", { n: others }));
    this.tell(said.join(" "));
    if (first) this.strip.choose(first, 0);
  }

  /** @param {import("./files.js").Found} one */
  async open({ file }) {
    const what = isWeights(file) ? WEIGHTS : PICTURE;
    this.tell("");
    if (what === WEIGHTS && !document.querySelector(WEIGHTS)) return this.tell(this.say("no_weights", { name: file.name }));
    if (what === PICTURE && isOther(file)) return this.tell(this.say("no_picture", { name: file.name }));
    if (file.size > limit()) {
      const key = what === WEIGHTS ? "large_weights" : "large";
      return this.tell(this.say(key, { name: file.name, size: Math.ceil(file.size / MB), most: Math.floor(limit() / MB) }));
    }
    this.wanted = null;
    await this.restoration();
    await hand(what, file);
  }

  // ---- the strip

  /** @param {Item} item */
  async look(item) {
    this.wanted = item;
    if (this.isBusy) return; // it is next
    this.isBusy = true;
    while (this.wanted) {
      const next = this.wanted;
      this.wanted = null;
      await this.send(next).catch(() => this.fail(next, "not_sent"));
    }
    this.isBusy = false;
  }

  /** @param {Item} item */
  async send(item) {
    if (item.file.size > limit()) return this.fail(item, "large_one");
    this.strip.blame(item, "");
    this.sent = item;
    const isWanted = () => !this.wanted;
    await this.restoration();
    if (!(await hand(PICTURE, item.file, isWanted))) return;
    // It has arrived when the page asks for its maps. If the box is free and nothing is asked, the upload was refused.
    for (let free = 0; this.sent === item && free < PATIENCE; free = isFree(PICTURE) ? free + 100 : 0) {
      await new Promise((done) => setTimeout(done, 100));
    }
    if (this.sent === item) this.fail(item, "not_sent");
  }

  // When a choice has failed, the server says what the boxes show instead; its answer would wipe away what is in them by then.
  async restoration() {
    for (let waited = 0; this.failed && waited < PATIENCE; waited += STEP) await new Promise((done) => setTimeout(done, STEP));
    this.failed = 0;
  }

  /** @param {Item} item @param {string} why */
  fail(item, why) {
    if (this.sent === item) this.sent = null;
    this.strip.blame(item, this.say(why, { most: Math.floor(limit() / MB) }));
    if (!this.wanted && this.strip.current === item) this.strip.mark(this.onStage());
  }

  onStage = () => this.strip.items.find(({ on }) => on && on === this.shown) ?? null;

  // ---- what the page tells of itself, as Tab.tell in views/__init__.py has it; `choice` is picture, model and fit as Gradio has them

  choose(choice) {
    this.pending += 1;
    const path = pathOf(choice);
    if (this.sent) this.sent.on = path;
    this.asked = this.sent ?? this.strip?.items.find(({ on }) => on && on === path) ?? null;
    this.sent = null;
  }

  // One that was given up for a later one ends well, too: the last one counts.
  settle(choice) {
    if (--this.pending > 0) return;
    this.pending = 0;
    this.shown = pathOf(choice);
    this.asked = null;
    if (!this.strip?.items.length || this.wanted || this.sent) return;
    const item = this.onStage();
    if (item) this.strip.blame(item, "");
    this.strip.mark(item);
  }

  wait() {
    this.failed += 1;
    if (--this.pending > 0) return;
    this.pending = 0;
    if (this.asked && this.asked.on !== this.shown) this.fail(this.asked, "not_shown");
    this.asked = null;
  }

  restored() {
    this.failed = Math.max(0, this.failed - 1);
  }

  // ---- what is said

  /** @param {string} [text] "" for nothing; without it, what was said stays */
  tell(text) {
    if (text !== undefined) this.said.textContent = text;
    const { items, current } = this.strip;
    const at = items.indexOf(current);
    this.count.textContent = at >= 0 ? this.say("at", { at: at + 1, of: items.length, name: current.path }) : items.length ? this.say("of", { of: items.length }) : "";
    if (at >= 0 && current.bad) this.count.textContent += ` ${current.bad}`;
    this.root.classList.toggle("is-open", Boolean(items.length || this.said.textContent));
    this.root.classList.toggle("has-pictures", items.length > 0);
  }

  close() {
    this.strip.clear();
    this.wanted = null;
    this.tell("");
  }
}

const pathOf = (choice) => (choice ? (JSON.parse(choice)[0]?.path ?? "") : "");

// Bytes that the server takes of one file.
const limit = () => /** @type {any} */ (window).gradio_config?.max_file_size ?? Infinity;
