// The state: everything that a visitor has chosen, observable and serialisable. Links, saved views and a second viewer beside
// this one all use it. Each key declares its values and how they are written.

/**
 * @template Value
 * @typedef {object} Key
 * @property {Value} initial
 * @property {(value: unknown) => boolean} fits is this a value of the key?
 * @property {readonly Value[]} [values] all there are, of a key with a few
 * @property {(value: Value) => string} write as it stands in a link
 * @property {(text: string) => unknown} read the inverse; what does not fit is left out
 * @property {boolean} [passes] it is of this moment, and stands neither in links nor in what is saved
 * @property {boolean} [moves] it changes with each move of the hand: painted once per frame
 */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isIn = (low, high) => (value) => typeof value === "number" && value >= low && value <= high;

/** One of a few names. @param {string | null} initial @param {readonly (string | null)[]} names @returns {Key<string | null>} */
export const oneOf = (initial, names) => ({
  initial,
  values: names,
  fits: (value) => names.includes(/** @type {string | null} */ (value)),
  write: (value) => value ?? "",
  read: (text) => text || null,
});

/** Any name: of a colour map, a metric, a token. @param {string | null} initial @returns {Key<string | null>} */
export const name = (initial) => ({
  initial,
  fits: (value) => (value === null ? initial === null : typeof value === "string" && /^[^\p{C}<>&]{1,64}$/u.test(value)),
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

/** A whole number from 0, or null, which means what the key's comment says. @param {number | null} initial @returns {Key<number | null>} */
export const index = (initial, most = 1e6) => ({
  initial,
  fits: (value) => (value === null ? initial === null : Number.isInteger(value) && isIn(0, most)(value)),
  write: (value) => (value === null ? "" : String(value)),
  read: (text) => (text.trim() ? Number(text) : null),
});

/** Yes or no. @param {boolean} initial @returns {Key<boolean>} */
export const flag = (initial) => ({
  initial,
  values: [false, true],
  fits: (value) => typeof value === "boolean",
  write: (value) => (value ? "1" : "0"),
  read: (text) => ({ 1: true, 0: false })[text],
});

/** [x, y] as fractions of the picture, or null. Places outside 0 to 1 lie in the padding of a model's input. @returns {Key<number[] | null>} */
export const place = () => ({
  initial: null,
  fits: (value) => value === null || (Array.isArray(value) && value.length === 2 && value.every(isIn(-9, 9))),
  write: (value) => (value ? value.join(",") : ""),
  read: (text) => (text ? text.split(",").map((share) => (share.trim() ? Number(share) : NaN)) : null),
});

/** Anything that JSON can hold. @template Value @param {Value} initial @param {(value: any) => boolean} fits @returns {Key<Value>} */
export const json = (initial, fits) => ({ initial, fits, write: JSON.stringify, read: JSON.parse });

/** @template Value @param {Key<Value>} key @returns {Key<Value>} the same key, but temporary */
export const passing = (key) => ({ ...key, passes: true });

/** @template Value @param {Key<Value>} key @returns {Key<Value>} the same key, changing with each move of the mouse */
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

  /** The current values of all keys. @returns {Record<string, any>} */
  all() {
    return { ...this.values };
  }

  /** Change some values together. Listeners are called once, with the keys whose values differ. @param {Record<string, any>} changes */
  set(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (!this.key(key).fits(value)) throw new TypeError(`The state's '${key}' cannot be ${JSON.stringify(value)}.`);
    }
    const changed = Object.keys(changes).filter((key) => !isSame(changes[key], this.values[key]));
    if (!changed.length) return;
    this.values = { ...this.values, ...changes };
    for (const listener of [...this.listeners]) listener(changed);
  }

  /** @param {(changed: string[]) => void} listener @returns {() => void} a function that ends the subscription */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The values that differ from the defaults, as a plain object for JSON. @returns {Record<string, any>} */
  save() {
    return Object.fromEntries(this.kept().map((key) => [key, structuredClone(this.values[key])]));
  }

  /** Restore what was saved. Missing keys get their defaults, values that do not fit are ignored. @param {unknown} saved */
  load(saved) {
    const found = isObject(saved) ? /** @type {Record<string, any>} */ (saved) : {};
    const changes = {};
    for (const [key, { initial, fits, passes }] of Object.entries(this.declared)) {
      if (!passes) changes[key] = Object.hasOwn(found, key) && fits(found[key]) ? structuredClone(found[key]) : initial;
    }
    this.set(changes);
  }

  /** The values that differ from the defaults, as text for a link: "layer=2&method=rollout". @param {object} [instead] other values of some keys */
  toHash(instead = {}) {
    const values = { ...this.values, ...instead };
    return this.kept(values)
      .map((key) => `${key}=${encodeURIComponent(this.declared[key].write(values[key]))}`)
      .join("&");
  }

  /**
   * Restore the state from a link.
   * @param {string} text with or without its "#"; it may come from anybody
   * @returns {string[]} the keys that were ignored, because they are unknown or their values do not fit
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

  /** Parse a part of a link, "method=rollout&head=2", into changes for `set`. @param {string} text */
  said(text) {
    const found = [...new URLSearchParams(text)].map(([key, written]) => [key, this.read(key, written)]);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined));
  }

  // Parse a key's value from a link; undefined if the text is not valid.
  read(key, written) {
    const declared = Object.hasOwn(this.declared, key) && this.declared[key];
    if (!declared || declared.passes) return undefined;
    try {
      const value = declared.read(written);
      return declared.fits(value) ? value : undefined;
    } catch {
      return undefined; // the text is not JSON
    }
  }

  /** Limit a key to its default and the values that this page offers. @param {string} key @param {readonly string[]} names */
  offer(key, names) {
    const { initial } = this.key(key);
    this.declared[key] = {
      ...this.declared[key],
      values: names,
      fits: (value) => value === initial || names.includes(/** @type {string} */ (value)),
    };
  }

  kept(values = this.values) {
    const isKept = (key) => !this.declared[key].passes && !isSame(values[key], this.declared[key].initial);
    return Object.keys(this.declared).filter(isKept);
  }
}

function isSame(a, b) {
  if (Object.is(a, b)) return true;
  return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
}
