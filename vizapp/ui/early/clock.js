// Gradio counts the seconds of each wait by asking for a frame in every frame. Where what waited is taken out of the page before
// it is told of the end, as the page's own start is, that clock runs for ever: sixty frames a second on a page that nobody
// touches cost a laptop its battery, and each hover a part of its time. See docs/lab-notes.md.

const LONG = 120; // frames in a row, each asked for in the one before
const SEEN = "[data-testid=status-tracker]:not(.hide)"; // a wait that is shown, with its seconds

// Ends clocks that count for nobody. Made before Gradio's scripts run, so that they ask for their frames here.
class Frames {
  constructor() {
    this.asked = window.requestAnimationFrame.bind(window);
    /** @type {{length: number, last: FrameRequestCallback | null} | null} */
    this.row = null; // the one whose turn it is
    window.requestAnimationFrame = (callback) => this.ask(callback);
  }

  ask(callback) {
    const row = this.row ?? { length: 0, last: null };
    // A clock makes a new function for each frame. Who comes with the same one each time, as Svelte's transitions do, counts on
    // being called.
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
