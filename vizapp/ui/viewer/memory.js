// The reader's progress in the textbook, kept by the browser: the last chapter, the finished ones, the scores of guesses.

const KEY = "vizapp-book";

/** @typedef {{mine: number, centre: number, chance: number, chapter: number}} Guess scores from 0 to 1, see numbers/guess.js; `chapter` counts from 1 */

export class Memory {
  constructor() {
    /** @type {{chapter: string, guesses: Record<string, Guess>, done?: string[]}} */
    this.kept = { chapter: "", guesses: {} };
    try {
      const found = JSON.parse(localStorage.getItem(KEY) ?? "null");
      if (found && typeof found.chapter === "string" && isTable(found.guesses)) this.kept = found;
    } catch {
      // storage is blocked, or holds something that another page wrote
    }
  }

  /** The chapter that was open last; "" before the first. */
  get chapter() {
    return this.kept.chapter;
  }

  set chapter(name) {
    this.keep({ ...this.kept, chapter: name });
  }

  /** The names of chapters whose exercises are all done. @returns {string[]} */
  get done() {
    return Array.isArray(this.kept.done) ? this.kept.done : [];
  }

  /** @param {string} chapter */
  finished(chapter) {
    if (!this.done.includes(chapter)) this.keep({ ...this.kept, done: [...this.done, chapter] });
  }

  /** The guesses by the names of exercises, in the order of the first attempts. @returns {Record<string, Guess>} */
  get guesses() {
    return this.kept.guesses;
  }

  /** @param {string} name @param {Guess} guess */
  guessed(name, guess) {
    this.keep({ ...this.kept, guesses: { ...this.kept.guesses, [name]: guess } });
  }

  forget() {
    this.keep({ ...this.kept, guesses: {}, done: [] });
  }

  keep(kept) {
    this.kept = kept;
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // storage is blocked or full: the progress lasts until the page is closed
    }
  }
}

function isTable(found) {
  const isShare = (one) => typeof one === "number" && one >= 0 && one <= 1 + 1e-9;
  return (
    typeof found === "object" &&
    found !== null &&
    Object.values(found).every(
      (one) => ["mine", "centre", "chance"].every((key) => isShare(one?.[key])) && Number.isInteger(one.chapter),
    )
  );
}
