// Caches the size of an element until the element or the window is resized. Reading a size while a layout is pending makes the
// browser lay out at once, and again at the end of the frame.

export class Measured {
  /** @param {Element} element @param {() => number[]} read [width, ...]; without a width, as where it is hidden, nothing is kept */
  constructor(element, read) {
    this.read = read;
    /** @type {number[]} */
    this.value = [0];
    const forget = () => (this.value = [0]);
    new ResizeObserver(forget).observe(element);
    addEventListener("resize", forget);
  }

  get now() {
    if (!this.value[0]) this.value = this.read();
    return this.value;
  }
}
