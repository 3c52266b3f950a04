// A film strip of several pictures: small copies made by the browser. The one that is looked at is uploaded, the others are not.

import { paint } from "./thumbnail.js";

export const MOST = 100; // pictures
export const MOST_BYTES = 2 ** 30; // of them all; they lie on the visitor's disk
const PAUSE = 250; // milliseconds at one picture before it is asked for, while arrow keys go on

/**
 * @typedef {object} Item
 * @property {File} file
 * @property {string} path its folders and name
 * @property {string} on where the server has it, once it was looked at
 * @property {string} bad why it could not be shown, or ""
 * @property {HTMLButtonElement} button
 */

export class Strip {
  /**
   * @param {HTMLElement} row where they stand
   * @param {{look: (item: Item) => void, tell: () => void}} on look at one; something of what is said of them has changed
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

  /** Put pictures in, as far as there is room. @param {import("./files.js").Found[]} found @returns the first of them, and how many have none */
  add(found) {
    let [bytes, left] = [this.bytes, 0];
    let first = /** @type {Item | null} */ (null);
    for (const { file, path } of found) {
      const known = this.items.find((one) => one.path === path && one.file.size === file.size && one.file.lastModified === file.lastModified);
      if (!known && (this.items.length >= MOST || bytes + file.size > MOST_BYTES)) {
        left += 1;
        continue;
      }
      const item = known ?? this.made(file, path);
      if (!known) bytes += file.size;
      first ??= item;
    }
    this.number();
    return { first, left };
  }

  made(file, path) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "strip-one", tabIndex: -1, title: path });
    button.setAttribute("role", "option");
    button.append(document.createElement("canvas"));
    const item = { file, path, on: "", bad: "", button };
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

  /** Go to one. @param {Item} item @param {number} pause milliseconds until it is asked for */
  choose(item, pause) {
    this.mark(item, true);
    item.button.focus({ preventScroll: true });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.on.look(item), pause);
  }

  /** @param {Item | null} item what is on the stage, or on its way there */
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

  // Sideways only: `scrollIntoView` would move the page, too.
  bring(button) {
    const { left, right } = button.getBoundingClientRect();
    const row = this.row.getBoundingClientRect();
    const by = left < row.left ? left - row.left - 60 : right > row.right ? right - row.right + 60 : 0;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (by) this.row.scrollBy({ left: by, behavior: isCalm ? "instant" : "smooth" });
  }

  /** @param {Item} item @param {string} why "" if there is nothing to say against it any more */
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

  /** One after the other, those in view: a small picture of a large one costs as much as to open it. */
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
