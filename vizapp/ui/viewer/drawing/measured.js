// What is read off the page, and stays until an element or the window has another size: whoever reads it while something waits to
// be laid out makes the browser lay out at once, and once more at the end of the frame.

/** @template Value */
export class Measured {
  /** @param {Element} element @param {() => Value} read */
  constructor(element, read) {
    this.read = read;
    /** @type {Value | null} */
    this.value = null;
    const forget = () => (this.value = null);
    new ResizeObserver(forget).observe(element);
    addEventListener("resize", forget);
  }

  /** @returns {Value} */
  get now() {
    return (this.value ??= this.read());
  }
}
