// The textbook: opens a chapter by its link, and restores the earlier view when the book is closed.

import { Memory } from "./memory.js";

/**
 * @typedef {object} Chapter as ui/textbook says it
 * @property {string} name
 * @property {string} title HTML
 * @property {string} opens a link without "#"
 * @property {import("../../vocabulary.js").Part} part of a network, of which it speaks
 * @property {string[]} text HTML, with {readings}
 * @property {string[]} lights panels that it is about, by name
 * @property {string[]} shows other panels that it needs
 * @property {any[]} exercises
 *
 * @typedef {object} Road how to reach pictures and networks, which only the page can
 * @property {(link: string) => void} open
 * @property {() => string} here the link of the current view; "" if there is none
 */

export class Book {
  /** @param {Chapter[]} chapters @param {Road} road @param {import("./state.js").State} state */
  constructor(chapters, road, state) {
    this.chapters = chapters;
    this.road = road;
    this.state = state;
    this.memory = new Memory();
    this.before = ""; // the link of the view before the book was opened
  }

  /** The number of a chapter, from 0, by its name; -1 if there is none. @param {string | null} name */
  at(name) {
    return this.chapters.findIndex((one) => one.name === name);
  }

  /** The chapter with the drawing of the whole network, where all others are found; undefined in a book without one. */
  get whole() {
    return this.chapters.find(({ exercises }) => exercises.some(({ kind }) => kind === "network"));
  }

  /** The complete link of a chapter. @param {Chapter} chapter */
  linkOf({ opens, name }) {
    return `v=1&${opens}&chapter=${name}`;
  }

  /** Open a chapter: without a name the last one read, or the first. @param {string} [name] */
  open(name = this.memory.chapter) {
    const chapter = this.chapters[Math.max(0, this.at(name))];
    if (!chapter) return;
    if (this.at(this.state.get("chapter")) < 0) this.before = this.road.here();
    this.memory.chapter = chapter.name;
    this.road.open(this.linkOf(chapter));
  }

  /** Close the book and restore the view before it. If a link opened the book, the chapter's picture and network stay. */
  close() {
    const { before } = this;
    const [page] = this.road.here().match(/^[^]*?(?=&(?!v=|picture=|model=|fit=)|$)/) ?? [""];
    this.before = "";
    // A picture that the reader has uploaded meanwhile stays.
    if (before && !/picture=(upload|photo)/.test(page)) this.road.open(before);
    else this.road.open(page || "#v=1");
  }
}
