// Work that takes too long for each move of the hand, and waits until it rests.

const SLOW = 8; // milliseconds: what takes longer waits
const REST = 150; // milliseconds without another call

export class Rest {
  // `again` is called when the hand has rested; what waits is then done.
  constructor(again) {
    this.again = again;
    this.cost = 0; // milliseconds that the work takes
    this.timer = 0;
    this.isResting = false;
  }

  stop() {
    clearTimeout(this.timer);
  }

  // Shall the work wait this time?
  waits() {
    this.stop();
    if (this.cost <= SLOW || this.isResting) return false;
    this.timer = setTimeout(() => {
      this.isResting = true;
      this.again();
      this.isResting = false;
    }, REST);
    return true;
  }

  // Do the work, and learn what it costs.
  time(work) {
    const started = performance.now();
    const result = work();
    this.cost += 0.3 * (performance.now() - started - this.cost);
    return result;
  }
}
