// The visitor's own pictures in the tray: those that this browser keeps. A press shows one again, as its link would.

import { paint } from "../incoming/thumbnail.js";

/** @typedef {import("../../browser/page/kept.js").Own} Upload */

export class Shelf {
  /** @param {(id: string) => void} look called with the picture that was pressed */
  constructor(look) {
    this.look = look;
    /** @type {HTMLElement | null} */
    this.root = null;
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map(); // a picture keeps its place, whichever was looked at last
    this.current = "";
  }

  /** Connect the place in the tray once it exists. @param {HTMLElement} root */
  mount(root) {
    this.root = root;
    root.append(...this.buttons.values());
  }

  /** @param {Upload[]} kept the newest first */
  show(kept) {
    const ids = kept.map(({ id }) => id);
    for (const [id, button] of this.buttons) {
      if (ids.includes(id)) continue;
      button.remove();
      this.buttons.delete(id);
    }
    for (const one of kept.toReversed()) {
      if (this.buttons.has(one.id)) continue;
      const button = this.made(one);
      this.buttons.set(one.id, button);
      this.root?.append(button);
    }
    this.mark(this.current);
  }

  /** @param {Upload} upload */
  made({ id, name, blob }) {
    const button = document.createElement("button");
    const canvas = document.createElement("canvas");
    Object.assign(button, { type: "button", title: name, ariaLabel: name });
    button.append(canvas);
    button.addEventListener("click", () => this.look(id));
    paint(canvas, new File([blob], name, { type: blob.type }));
    return button;
  }

  /** Mark the picture on the stage. @param {string} id "" for none of these */
  mark(id) {
    this.current = id;
    for (const [one, button] of this.buttons) button.setAttribute("aria-pressed", String(one === id));
  }
}
