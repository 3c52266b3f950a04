// The way through the textbook: a chapter is opened by its link, and what was there before comes back when the book is closed.

import { Memory } from "./memory.js";

/**
 * @typedef {object} Chapter as ui/textbook says it
 * @property {string} name
 * @property {string} title HTML
 * @property {string} opens a link without "#"
 * @property {string[]} text HTML, with {readings}
 * @property {string[]} lights panels, by name
 * @property {any[]} exercises
 *
 * @typedef {object} Road the way to pictures and networks, which the page knows
 * @property {(link: string) => void} open
 * @property {() => string} here the link of what is shown; "" if there is none
 */

export class Book {
  /** @param {Chapter[]} chapters @param {Road} road @param {import("./state.js").State} state */
  constructor(chapters, road, state) {
    this.chapters = chapters;
    this.road = road;
    this.state = state;
    this.memory = new Memory();
    this.before = ""; // the link of what was shown when it was opened
  }

  /** The number of a chapter, from 0; -1 if there is none of that name. @param {string | null} name */
  at(name) {
    return this.chapters.findIndex((one) => one.name === name);
  }

  /** The whole link of a chapter. @param {Chapter} chapter */
  linkOf({ opens, name }) {
    return `v=1&${opens}&chapter=${name}`;
  }

  /** Open a chapter; without a name the one that was open last, or the first. @param {string} [name] */
  open(name = this.memory.chapter) {
    const chapter = this.chapters[Math.max(0, this.at(name))];
    if (!chapter) return;
    if (this.at(this.state.get("chapter")) < 0) this.before = this.road.here();
    this.memory.chapter = chapter.name;
    this.road.open(this.linkOf(chapter));
  }

  /** Close the book: everything is as it was before it was opened. If a link opened it, its picture and network stay. */
  close() {
    const { before } = this;
    const [page] = this.road.here().match(/^[^]*?(?=&(?!v=|picture=|model=|fit=)|$)/) ?? [""];
    this.before = "";
    // A picture that the reader brought along stays.
    if (before && !/picture=(upload|photo)/.test(page)) this.road.open(before);
    else this.road.open(page || "#v=1");
  }
}
