// Draws what is looked at second, a little at a time, so that neither the stage nor the next move of the hand is late for it.
//
// What was begun for an earlier paint is finished before the newest one's turn: begun anew with each move, it would never come
// while the hand moves.

const SLICE = 4; // milliseconds of a task, unless a single step takes longer

export class Slices {
  /** @param {(view: any) => Iterator<void>} steps draws for a view; it yields where it may be continued in another task */
  constructor(steps) {
    this.steps = steps;
    this.timer = 0;
    this.next = null; // the view of the newest paint, until its turn
    this.begun = null; // steps that are not finished
  }

  /** Call it after each paint. @param {any} view */
  draw(view) {
    this.next = view;
    this.timer ||= Number(setTimeout(() => this.go()));
  }

  /** The maps are gone. */
  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.next = this.begun = null;
  }

  get isWaiting() {
    return this.timer > 0;
  }

  go() {
    this.timer = 0;
    const until = performance.now() + SLICE;
    do {
      if (!this.begun) {
        if (!this.next) return;
        this.begun = this.steps(this.next);
        this.next = null;
      }
      if (this.begun.next().done) this.begun = null;
    } while (performance.now() < until);
    this.timer = Number(setTimeout(() => this.go()));
  }
}
