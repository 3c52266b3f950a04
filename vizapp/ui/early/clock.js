// Gradio counts the seconds of each wait with a clock that requests an animation frame in every frame. If the waiting component
// is removed before it learns that the wait is over, as happens when the page starts, the clock runs for ever. Sixty frames a
// second on an idle page drain a laptop's battery, and slow down every hover. See docs/lab-notes.md.

const LONG = 120; // frames in a row, each requested in the one before
const SEEN = "[data-testid=status-tracker]:not(.hide)"; // a visible wait, with its seconds

// Stops Gradio's clocks that no visible wait needs. It is installed before Gradio's scripts run, so that they use its
// requestAnimationFrame.
class Frames {
  constructor() {
    this.asked = window.requestAnimationFrame.bind(window);
    /** @type {{length: number, last: FrameRequestCallback | null} | null} */
    this.row = null; // the chain of frames that is running now
    window.requestAnimationFrame = (callback) => this.ask(callback);
  }

  ask(callback) {
    const row = this.row ?? { length: 0, last: null };
    // A clock makes a new function for each frame. A caller that passes the same function each time, such as Svelte's
    // transitions, must keep being called.
    row.length = callback === row.last ? 0 : row.length + 1;
    row.last = callback;
    if (row.length > LONG && !document.querySelector(SEEN)) return 0;
    return this.asked((time) => {
      const before = this.row;
      this.row = row;
      try {
        callback(time);
      } finally {
        this.row = before;
      }
    });
  }
}

new Frames();
