// While something is dragged over the page: a calm frame that says what may be dropped. It takes no part in the dragging.

const SILENCE = 1200; // milliseconds without a word from the browser, which speaks three times a second at least

export class Hint {
  /** @param {string} title @param {string} about */
  constructor(title, about) {
    this.root = document.createElement("div");
    this.root.className = "drop-hint";
    const box = this.root.appendChild(document.createElement("p"));
    box.append(Object.assign(document.createElement("b"), { textContent: title }), about);
    this.timer = 0;
  }

  show() {
    if (!this.root.isConnected) document.body.append(this.root);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), SILENCE);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.remove();
  }
}
