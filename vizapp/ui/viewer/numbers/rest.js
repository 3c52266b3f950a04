// Delays work that is too slow for each move of the mouse until the mouse rests.

import { callOff, later } from "./timers.js";

const SLOW = 8; // milliseconds: work that takes longer waits, since a frame has 16
const REST = 150; // milliseconds without another call

export class Rest {
  // `again` is called when the mouse has rested, to do the work that waits.
  constructor(again) {
    this.again = again;
    this.cost = 0; // milliseconds that the work takes
    this.timer = 0;
    this.isResting = false;
  }

  stop() {
    callOff(this.timer);
  }

  // Whether the work has to wait this time.
  waits() {
    this.stop();
    if (this.cost <= SLOW || this.isResting) return false;
    this.timer = later(() => {
      this.isResting = true;
      this.again();
      this.isResting = false;
    }, REST);
    return true;
  }

  // Do the work, and measure what it costs.
  time(work) {
    const started = performance.now();
    const result = work();
    this.cost += 0.3 * (performance.now() - started - this.cost);
    return result;
  }
}
