// Why something cannot be done, for whoever says it in the reader's language: a key of the word tables and its values.

export class Refused extends Error {
  /** @param {string} key @param {Record<string, string | number>} [values] */
  constructor(key, values = {}) {
    super(`${key} ${JSON.stringify(values)}`);
    this.key = key;
    this.values = values;
  }
}
