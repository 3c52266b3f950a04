// Shows a frame that says what may be dropped, while something is dragged over the page. It receives no drag events itself.

const SILENCE = 1200; // milliseconds without a drag event, which browsers send at least three times a second

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
