// What the browser keeps of the textbook: where its reader is, which chapters are done, and how good the guesses were.

const KEY = "vizapp-book";

/** @typedef {{mine: number, centre: number, chance: number, chapter: number}} Guess from 0 to 1, see numbers/guess.js; its chapter, from 1 */

export class Memory {
  constructor() {
    /** @type {{chapter: string, guesses: Record<string, Guess>, done?: string[]}} */
    this.kept = { chapter: "", guesses: {} };
    try {
      const found = JSON.parse(localStorage.getItem(KEY) ?? "null");
      if (found && typeof found.chapter === "string" && isTable(found.guesses)) this.kept = found;
    } catch {
      // nothing is kept, or what is kept is not ours
    }
  }

  /** The chapter that was open last; "" before the first. */
  get chapter() {
    return this.kept.chapter;
  }

  set chapter(name) {
    this.keep({ ...this.kept, chapter: name });
  }

  /** The chapters of which every exercise was done, by name. @returns {string[]} */
  get done() {
    return Array.isArray(this.kept.done) ? this.kept.done : [];
  }

  /** @param {string} chapter */
  finished(chapter) {
    if (!this.done.includes(chapter)) this.keep({ ...this.kept, done: [...this.done, chapter] });
  }

  /** By the names of exercises, in the order in which they were made first. @returns {Record<string, Guess>} */
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
      // a browser may keep nothing: it is known until the page is closed
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
