// A film strip of several pictures, with thumbnails made by the browser. Only the chosen picture is uploaded.

import { paint } from "./thumbnail.js";

export const MOST = 100; // pictures
export const MOST_BYTES = 2 ** 30; // of them all; they lie on the visitor's disk
const PAUSE = 250; // milliseconds at one picture before it is requested, so that arrow keys can pass it

/**
 * @typedef {object} Item
 * @property {File} file
 * @property {string} path its folders and name
 * @property {File} [film] which it is a frame of
 * @property {string} on its path on the server, once it was uploaded
 * @property {string} bad why it could not be shown, or ""
 * @property {HTMLButtonElement} button
 */

export class Strip {
  /**
   * @param {HTMLElement} row where they stand
   * @param {{look: (item: Item) => void, tell: () => void}} on `look` opens a picture; `tell` updates the message about them
   * @param {(key: string, values?: Record<string, any>) => string} say
   */
  constructor(row, on, say) {
    /** @type {Item[]} */
    this.items = [];
    /** @type {Item | null} */
    this.current = null;
    this.row = row;
    this.on = on;
    this.say = say;
    this.timer = 0;
    this.seen = new IntersectionObserver((all) => this.arrive(all), { root: row, rootMargin: "200px" });
    this.queue = Promise.resolve();
    row.addEventListener("click", ({ target }) => {
      const item = this.items.find(({ button }) => button.contains(/** @type {Node} */ (target)));
      if (item) this.choose(item, 0);
    });
    row.addEventListener("keydown", (event) => {
      if (this.key(event.key)) event.preventDefault();
    });
  }

  get bytes() {
    return this.items.reduce((sum, { file }) => sum + file.size, 0);
  }

  /** Add pictures while there is room. @param {import("./files.js").Found[]} found @returns the first, and how many had no room */
  add(found) {
    let [bytes, left] = [this.bytes, 0];
    let first = /** @type {Item | null} */ (null);
    for (const { file, path, film } of found) {
      const known = this.items.find((one) => one.path === path && one.file.size === file.size && one.file.lastModified === file.lastModified);
      if (!known && (this.items.length >= MOST || bytes + file.size > MOST_BYTES)) {
        left += 1;
        continue;
      }
      const item = known ?? this.made(file, path, film);
      if (!known) bytes += file.size;
      first ??= item;
    }
    this.number();
    return { first, left };
  }

  made(file, path, film) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "strip-one", tabIndex: -1, title: path });
    button.setAttribute("role", "option");
    button.append(document.createElement("canvas"));
    const item = { file, path, film, on: "", bad: "", button };
    this.items.push(item);
    this.row.append(button);
    this.seen.observe(button);
    return item;
  }

  number() {
    const of = this.items.length;
    this.items.forEach(({ button, path, bad }, at) => {
      const said = this.say("one", { name: path, at: at + 1, of });
      button.setAttribute("aria-label", bad ? `${said}: ${bad}` : said);
    });
  }

  /** Go to a picture. @param {Item} item @param {number} pause milliseconds until it is requested */
  choose(item, pause) {
    this.mark(item, true);
    item.button.focus({ preventScroll: true });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.on.look(item), pause);
  }

  /** @param {Item | null} item the picture on the stage, or the one that is being loaded */
  mark(item, isWaiting = false) {
    this.current = item;
    for (const { button } of this.items) {
      const isIt = button === item?.button;
      button.setAttribute("aria-selected", String(isIt));
      button.classList.toggle("is-waiting", isIt && isWaiting);
      button.tabIndex = isIt ? 0 : -1;
    }
    if (!item && this.items.length) this.items[0].button.tabIndex = 0;
    if (item) this.bring(item.button);
    this.on.tell();
  }

  // Scroll sideways only; `scrollIntoView` would move the page, too.
  bring(button) {
    const { left, right } = button.getBoundingClientRect();
    const row = this.row.getBoundingClientRect();
    const by = left < row.left ? left - row.left - 60 : right > row.right ? right - row.right + 60 : 0;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (by) this.row.scrollBy({ left: by, behavior: isCalm ? "instant" : "smooth" });
  }

  /** @param {Item} item @param {string} why "" removes the mark */
  blame(item, why) {
    item.bad = why;
    item.button.classList.toggle("is-bad", Boolean(why));
    item.button.title = why ? `${item.path}: ${why}` : item.path;
    this.number();
    this.on.tell();
  }

  key(key) {
    const last = this.items.length - 1;
    const at = this.items.indexOf(this.current);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[key];
    if (to === undefined || last < 0) return false;
    const item = this.items[Math.min(last, Math.max(0, to))];
    if (item !== this.current) this.choose(item, PAUSE);
    return true;
  }

  /** Make the thumbnails that are in view, one after the other: each costs as much as opening the picture. */
  arrive(all) {
    for (const { target, isIntersecting } of all) {
      if (!isIntersecting) continue;
      this.seen.unobserve(target);
      const item = this.items.find(({ button }) => button === target);
      if (item) this.queue = this.queue.then(() => this.items.includes(item) && paint(item.button.querySelector("canvas"), item.file));
    }
  }

  clear() {
    clearTimeout(this.timer);
    this.seen.disconnect();
    this.items = [];
    this.current = null;
    this.row.replaceChildren();
  }
}
