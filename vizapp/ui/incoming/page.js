// Takes pictures that are dropped or pasted anywhere on the page: one is opened, several make a film strip. A camera sends its
// frames the same way.

import { dropped, isOther, isPicture, isWeights, listed } from "./files.js";
import { framesOf, jpegOf, mayMove } from "./frames.js";
import { Hint } from "./hint.js";
import { Live } from "./live.js";
import { readable } from "./readable.js";
import { hand, isFree } from "./road.js";
import { MOST, MOST_BYTES, Strip } from "./strip.js";

const PICTURE = "#picture";
const WEIGHTS = "#own-weights";
const PATIENCE = 4000; // milliseconds from the end of an upload to the request for its maps, or from a failure to the old choice
const STEP = 50; // milliseconds between two checks
const MB = 2 ** 20;

/** @typedef {import("./strip.js").Item} Item */
/** @typedef {import("./live.js").Frame} Frame */

/** Whether this is a text field, which handles pasting and dropping itself. @param {EventTarget | null} target */
function isWritten(target) {
  if (!(target instanceof HTMLElement)) return false;
  const isField = target instanceof HTMLInputElement && /^(text|search|url|email|password|number|tel)$/.test(target.type);
  return isField || target instanceof HTMLTextAreaElement || target.isContentEditable;
}

export class Incoming {
  constructor() {
    this.words = null;
    this.isPublic = false;
    this.isOurs = false; // something of this page is being dragged
    /** @type {Item | null} */
    this.wanted = null;
    /** @type {Item | Frame | null} */
    this.sent = null; // handed to Gradio's box; the page has not requested its maps yet
    /** @type {Item | Frame | null} */
    this.asked = null;
    this.shown = ""; // the path of the picture on the stage
    this.film = null; // the film or the camera that it is a frame of
    this.sending = Promise.resolve(); // until the last frame of the camera was sent: what is chosen then comes after it
    this.passing = new Set(); // the paths of the camera's frames
    this.answered = (_isThere) => {}; // what waits for the answer to a frame of the camera
    this.pending = 0; // requests for maps without an answer yet
    this.isBusy = false;
    this.failed = 0; // failed choices that the page has not taken back yet
    /** @type {File | null} */
    this.reading = null; // the film whose frames are being read
  }

  /**
   * Connect the page's part once it exists.
   * @param {HTMLElement} root
   * @param {Record<string, string>} words
   * @param {boolean} isPublic whether the server reads only some formats
   */
  mount(root, words, isPublic) {
    this.words = words;
    this.isPublic = isPublic;
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
    const live = {
      look: (frame) => this.watch(frame),
      keep: (frame) => this.keep(frame),
      tell: (text) => this.tell(text),
    };
    this.live = new Live(this.root.querySelector(".live"), live, (key, values) => this.say(key, values));
    if (document.documentElement.classList.contains("embed")) return; // an embedded page has no choice of pictures
    this.hint = new Hint(words.drop, words.drop_help);
    this.listen();
    document.addEventListener("click", ({ target }) => {
      const { id } = /** @type {HTMLElement} */ (target); // in a drawer, which Gradio may build later than this
      if (id === "webcam") this.live.start();
      if (id === "pick-pictures" || id === "pick-folder") this.pick(id === "pick-folder");
    });
  }

  /** @param {string} key @param {Record<string, any>} values */
  say(key, values = {}) {
    return this.words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }

  // ---- dropping and pasting

  // Listens in the capture phase, so that no box of the page takes some of the files.
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
    if (!isFolder) field.accept = "image/*,video/*";
    field.addEventListener("change", () => this.take(listed(field.files), isFolder, "no_pictures"));
    field.click();
  }

  /**
   * @param {import("./files.js").Found[]} found
   * @param {boolean} isFolder
   * @param {string} nothing the message if there is no file at all
   */
  async take(found, isFolder, nothing) {
    if (!found.length) return this.tell(this.say(isFolder ? "no_pictures" : nothing));
    if (found.length === 1 && mayMove(found[0].file) && (await this.spread(found[0].file))) return;
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

  /** Make a film a strip of its frames, each of which is a picture like any other. False: it does not move. @param {File} file */
  async spread(file) {
    this.reading = file;
    const frames = /** @type {import("./files.js").Found[]} */ ([]);
    const isWanted = () => this.reading === file;
    try {
      const source = await framesOf(file, MOST);
      if (!source) return false;
      const { count, rate, frame, close } = source;
      try {
        for (let number = 0; number < count && isWanted(); number++) {
          this.tell(this.say("film_reads", { name: file.name, at: number + 1, of: count }));
          const path = `${file.name.replace(/\.\w+$/, "")} ${((number + 0.5) / rate).toFixed(2)} s.jpg`;
          const told = { type: "image/jpeg", lastModified: file.lastModified };
          frames.push({ path, file: new File([await jpegOf(await frame(number))], path, told), film: file });
        }
      } finally {
        close();
      }
    } catch {
      if (isWanted()) this.tell(this.say("film_unread", { name: file.name }));
      return true;
    }
    if (!isWanted()) return true;
    this.reading = null;
    this.take(frames, true, "no_pictures");
    return true;
  }

  /** @param {{file: File}} one */
  async open({ file: given }) {
    this.live.stop();
    const file = isWeights(given) || isOther(given) ? given : await this.sendable(given);
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
    this.live.stop();
    this.wanted = item;
    if (this.isBusy) return; // its turn comes next
    this.isBusy = true;
    while (this.wanted) {
      const next = this.wanted;
      this.wanted = null;
      this.strip.blame(next, "");
      await this.send(next, () => !this.wanted).catch(() => this.fail(next, "not_sent"));
    }
    this.isBusy = false;
  }

  /** @param {Item | Frame} item @param {() => boolean} isWanted whether it still is */
  async send(item, isWanted) {
    const file = await this.sendable(item.file);
    if (file.size > limit()) return this.fail(item, "large_one");
    this.sent = item;
    await this.restoration();
    if (!(await hand(PICTURE, file, isWanted))) return;
    // The upload has arrived when the page requests its maps. If the box is free and no request follows, it was refused.
    for (let free = 0; this.sent === item && free < PATIENCE; free = isFree(PICTURE) ? free + 100 : 0) {
      await new Promise((done) => setTimeout(done, 100));
    }
    if (this.sent === item) this.fail(item, "not_sent");
  }

  /** @param {File} file @returns {Promise<File>} At home a picture is sent as it is: a TIFF of 16 bits, say. */
  sendable = async (file) => (this.isPublic ? readable(file, limit()) : file);

  // After a failed choice the server puts the old choice back into the boxes. Wait for that, or it would overwrite a new one.
  async restoration() {
    for (let waited = 0; this.failed && waited < PATIENCE; waited += STEP) await new Promise((done) => setTimeout(done, STEP));
    this.failed = 0;
  }

  /** @param {Item | Frame} item @param {string} why */
  fail(item, why) {
    if (this.sent === item) this.sent = null;
    if (!isOfStrip(item)) return this.answered(false);
    this.strip.blame(item, this.say(why, { most: Math.floor(limit() / MB) }));
    if (!this.wanted && this.strip.current === item) this.strip.mark(this.onStage());
  }

  /** Show a frame of the camera. @param {Frame} frame @returns {Promise<boolean>} whether its maps were painted */
  async watch(frame) {
    const { viewer } = /** @type {any} */ (document.querySelector(".viz"));
    const { shown } = this;
    const { payload } = viewer;
    const answer = new Promise((answered) => (this.answered = answered));
    const isWanted = () => this.live.frame === frame;
    await (this.sending = this.send(frame, isWanted).catch(() => this.fail(frame, "not_sent")));
    if (this.sent === frame) this.sent = null; // it is not wanted any more
    else if (!(await answer)) this.live.stop("cameraLost");
    // The same picture again is the same value, for which nothing is painted anew.
    const isPainted = () => frame.on === shown || (viewer.payload !== payload && viewer.view?.payload === viewer.payload && viewer.view.map.values);
    while (isWanted() && !isPainted()) await new Promise(requestAnimationFrame);
    return isWanted();
  }

  /** Make a frame of the camera a picture like any other. @param {Frame} frame */
  async keep(frame) {
    await this.sending;
    frame.isKept = true;
    await this.send(frame, () => !this.wanted && !this.live.isOn).catch(() => this.fail(frame, "not_sent"));
    if (this.sent === frame) this.sent = null; // it is not wanted any more
  }

  /** Another picture is being chosen: the camera ends, and what it sent last must not come after that picture. */
  async giveWay() {
    if (!this.live) return; // the page is not built yet
    this.live.stop();
    await this.sending;
    await this.live.keeping;
  }

  /** Whether this picture is a frame of the camera that nobody has frozen. It makes no entry of the history. @param {string} path */
  passes(path) {
    return this.passing.has(path);
  }

  onStage = () => this.strip.items.find(({ on }) => on && on === this.shown) ?? null;

  // ---- what the page tells of itself, as Tab.tell in views/__init__.py has it; `choice` is picture, model and fit as Gradio has
  // them

  choose(choice) {
    this.pending += 1;
    const path = pathOf(choice);
    // Another picture may be chosen while a frame of the camera is on its way.
    const sent = this.sent && (isOfStrip(this.sent) || path.endsWith(this.sent.file.name)) ? this.sent : null;
    if (sent) sent.on = path;
    if (sent && !isOfStrip(sent)) this.passing[sent.isKept ? "delete" : "add"](path);
    this.asked = sent ?? this.strip?.items.find(({ on }) => on && on === path) ?? null;
    this.sent = null;
    if (path !== this.live?.frame?.on) this.live?.stop(); // another picture was chosen
    // The viewer heeds this class: what was asked of a frame is asked of the next one, too.
    document.documentElement.classList.toggle("next-frame", Boolean(this.film && this.asked?.film === this.film));
  }

  // A request that a later one has replaced also ends without an error, so only the last one counts.
  settle(choice) {
    if (--this.pending > 0) return;
    this.pending = 0;
    this.shown = pathOf(choice);
    this.film = this.asked?.film ?? null;
    this.asked = null;
    this.answered(true);
    if (!this.strip?.items.length || this.wanted || this.sent) return;
    const item = this.onStage();
    if (item) this.strip.blame(item, "");
    this.strip.mark(item);
  }

  wait() {
    this.failed += 1;
    if (--this.pending > 0) return;
    this.pending = 0;
    if (this.asked && (this.asked.on !== this.shown || !isOfStrip(this.asked))) this.fail(this.asked, "not_shown");
    this.asked = null;
  }

  restored() {
    this.failed = Math.max(0, this.failed - 1);
  }

  // ---- what is said

  /** @param {string} [text] the message, "" for none; without it the last one stays */
  tell(text) {
    if (text !== undefined) this.said.textContent = text;
    const { items, current } = this.strip;
    const at = items.indexOf(current);
    this.count.textContent = at >= 0 ? this.say("at", { at: at + 1, of: items.length, name: current.path }) : items.length ? this.say("of", { of: items.length }) : "";
    if (at >= 0 && current.bad) this.count.textContent += ` ${current.bad}`;
    const isOpen = Boolean(items.length || this.said.textContent || this.live.isOn);
    this.root.classList.toggle("is-open", isOpen);
    document.documentElement.classList.toggle("has-strip", isOpen);
    this.root.classList.toggle("has-pictures", items.length > 0);
  }

  close() {
    this.live.stop();
    this.strip.clear();
    this.reading = null;
    this.wanted = null;
    this.tell("");
  }
}

/** @param {Item | Frame} item @returns {item is Item} */
const isOfStrip = (item) => "button" in item;

const pathOf = (choice) => (choice ? (JSON.parse(choice)[0]?.path ?? "") : "");

// The most bytes of one file that the server accepts.
const limit = () => /** @type {any} */ (window).gradio_config?.max_file_size ?? Infinity;
