// What is chosen: observable, serialisable, and nothing else. The same state is what a link, a saved view or a second
// viewer beside this one knows. Who may be set, to what, and how it is written, each key says in its declaration.

/**
 * @template Value
 * @typedef {object} Key
 * @property {Value} initial
 * @property {(value: unknown) => boolean} fits is this a value of the key?
 * @property {(value: Value) => string} write as it stands in a link
 * @property {(text: string) => unknown} read the inverse; what does not fit is left out
 * @property {boolean} [passes] it is of this moment, and stands neither in links nor in what is saved
 * @property {boolean} [moves] it changes with each move of the hand: painted once per frame
 */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isIn = (low, high) => (value) => typeof value === "number" && value >= low && value <= high;

/** One of a few names. @param {string | null} initial @param {(string | null)[]} names @returns {Key<string | null>} */
export const oneOf = (initial, names) => ({
  initial,
  fits: (value) => names.includes(/** @type {string | null} */ (value)),
  write: (value) => value ?? "",
  read: (text) => text || null,
});

/** A name of whatever is there: a colour map, a metric, a token. @param {string | null} initial @returns {Key<string | null>} */
export const name = (initial) => ({
  initial,
  fits: (value) => (value === null ? initial === null : typeof value === "string" && /^[\w+.-]{1,64}$/.test(value)),
  write: (value) => value ?? "",
  read: (text) => text || null,
});

/** A number. @param {number} initial @param {number} low @param {number} high @returns {Key<number>} */
export const number = (initial, low, high) => ({
  initial,
  fits: isIn(low, high),
  write: String,
  read: (text) => (text.trim() ? Number(text) : null),
});

/** A whole number from 0, or null for the last there is. @param {number | null} initial @returns {Key<number | null>} */
export const index = (initial) => ({
  initial,
  fits: (value) => (value === null ? initial === null : Number.isInteger(value) && isIn(0, 1e6)(value)),
  write: (value) => (value === null ? "" : String(value)),
  read: (text) => (text.trim() ? Number(text) : null),
});

/** Yes or no. @param {boolean} initial @returns {Key<boolean>} */
export const flag = (initial) => ({
  initial,
  fits: (value) => typeof value === "boolean",
  write: (value) => (value ? "1" : "0"),
  read: (text) => ({ 1: true, 0: false })[text],
});

/** [x, y] in shares of the picture, or null; outside of 0 to 1 lies what a model was given around it. @returns {Key<number[] | null>} */
export const place = () => ({
  initial: null,
  fits: (value) => value === null || (Array.isArray(value) && value.length === 2 && value.every(isIn(-9, 9))),
  write: (value) => (value ? value.join(",") : ""),
  read: (text) => (text ? text.split(",").map((share) => (share.trim() ? Number(share) : NaN)) : null),
});

/** Anything that JSON can hold. @template Value @param {Value} initial @param {(value: any) => boolean} fits @returns {Key<Value>} */
export const json = (initial, fits) => ({ initial, fits, write: JSON.stringify, read: JSON.parse });

/** @template Value @param {Key<Value>} key @returns {Key<Value>} the same key, of this moment only */
export const passing = (key) => ({ ...key, passes: true });

/** @template Value @param {Key<Value>} key @returns {Key<Value>} the same key, which changes with each move of the hand */
export const moving = (key) => ({ ...key, moves: true });

export class State {
  /** @param {Record<string, Key<any>>} declared */
  constructor(declared) {
    this.declared = { ...declared };
    this.values = Object.fromEntries(Object.entries(declared).map(([key, { initial }]) => [key, initial]));
    /** @type {Set<(changed: string[]) => void>} */
    this.listeners = new Set();
  }

  /** @param {string} key */
  key(key) {
    if (!Object.hasOwn(this.declared, key)) throw new TypeError(`The state has no '${key}': a panel must declare it.`);
    return this.declared[key];
  }

  /** @param {string} key @returns {any} */
  get(key) {
    this.key(key);
    return this.values[key];
  }

  /** All values, as they are now. @returns {Record<string, any>} */
  all() {
    return { ...this.values };
  }

  /** Change some values at once; listeners hear which of them are other than before. @param {Record<string, any>} changes */
  set(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (!this.key(key).fits(value)) throw new TypeError(`The state's '${key}' cannot be ${JSON.stringify(value)}.`);
    }
    const changed = Object.keys(changes).filter((key) => !isSame(changes[key], this.values[key]));
    if (!changed.length) return;
    this.values = { ...this.values, ...changes };
    for (const listener of [...this.listeners]) listener(changed);
  }

  /** @param {(changed: string[]) => void} listener @returns {() => void} what ends it */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What differs from the defaults, as a plain object that JSON can hold. @returns {Record<string, any>} */
  save() {
    return Object.fromEntries(this.kept().map((key) => [key, structuredClone(this.values[key])]));
  }

  /** Take over what was saved: keys that are not in it get their defaults, what does not fit is left out. @param {unknown} saved */
  load(saved) {
    const found = isObject(saved) ? /** @type {Record<string, any>} */ (saved) : {};
    const changes = {};
    for (const [key, { initial, fits, passes }] of Object.entries(this.declared)) {
      if (!passes) changes[key] = Object.hasOwn(found, key) && fits(found[key]) ? structuredClone(found[key]) : initial;
    }
    this.set(changes);
  }

  /** The same as text for a link, "layer=2&method=rollout". */
  toHash() {
    return this.kept()
      .map((key) => `${key}=${encodeURIComponent(this.declared[key].write(this.values[key]))}`)
      .join("&");
  }

  /**
   * Take over what a link says.
   * @param {string} text with or without its "#"; it may come from anybody
   * @returns {string[]} keys that there are not, or whose values do not fit: they are left out
   */
  fromHash(text) {
    const found = {};
    const strange = [];
    for (const [key, written] of new URLSearchParams(text.replace(/^#/, "").replaceAll("+", "%2B"))) {
      const value = this.read(key, written);
      if (value === undefined) strange.push(key);
      else found[key] = value;
    }
    this.load(found);
    return strange;
  }

  /** What a part of a link says, "method=rollout&head=2", as changes to be set. @param {string} text */
  said(text) {
    const found = [...new URLSearchParams(text)].map(([key, written]) => [key, this.read(key, written)]);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined));
  }

  // The value of a key as it stands in a link; undefined for what no link can say.
  read(key, written) {
    const declared = Object.hasOwn(this.declared, key) && this.declared[key];
    if (!declared || declared.passes) return undefined;
    try {
      const value = declared.read(written);
      return declared.fits(value) ? value : undefined;
    } catch {
      return undefined; // no JSON
    }
  }

  /** Let a key have no other values than these and its default: what this page offers. @param {string} key @param {string[]} names */
  offer(key, names) {
    const { initial } = this.key(key);
    this.declared[key] = {
      ...this.declared[key],
      fits: (value) => value === initial || names.includes(/** @type {string} */ (value)),
    };
  }

  kept() {
    const isKept = (key) => !this.declared[key].passes && !isSame(this.values[key], this.declared[key].initial);
    return Object.keys(this.declared).filter(isKept);
  }
}

function isSame(a, b) {
  if (Object.is(a, b)) return true;
  return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
}
