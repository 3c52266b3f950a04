// A network at several steps of its training: which there are, what was measured at each, and which maps are fetched next.

/**
 * @typedef {object} Said as the server says it (vizapp/model/film.py)
 * @property {number[]} steps rising
 * @property {number} at the step whose maps a payload has
 * @property {number} pictures that were measured on; 0: nothing was
 * @property {Record<string, number[][]>} curves "accuracy", "unmarked": one row; "object", "mark": a row per layer
 * @property {Record<string, number>} levels what chance gives
 * @property {Record<string, number>} learned class -> the step from which on it is known
 * @property {number} classes
 */

export class Film {
  /** @param {Said} said */
  constructor({ steps, curves, levels, learned, classes, pictures }) {
    this.steps = steps;
    this.curves = curves;
    this.levels = levels;
    this.learned = learned;
    this.classes = classes;
    this.pictures = pictures;
  }

  get last() {
    return this.steps[this.steps.length - 1];
  }

  /** The number of the step of the film that is next to a step of the training: a link may name any. @param {number} step */
  nearest(step) {
    const far = this.steps.map((one) => Math.abs(one - step));
    return far.indexOf(Math.min(...far));
  }

  /** A row of a curve, or null: of a layer, where it has one for each. @param {string} name @param {number} layer */
  curve(name, layer = 0) {
    const rows = this.curves[name];
    return rows ? (rows[rows.length > 1 ? layer : 0] ?? null) : null;
  }

  /** The classes that are known at a step. @param {number} step @returns {string[]} in the order in which they were learnt */
  known(step) {
    return Object.entries(this.learned)
      .filter(([, since]) => since <= step)
      .sort(([, one], [, other]) => one - other)
      .map(([label]) => label);
  }

  /** Where classes were learnt. @returns {[number, string[]][]} the number of a step, and the classes that are known from there */
  marks() {
    const found = new Map();
    for (const [label, step] of Object.entries(this.learned)) {
      const at = this.steps.indexOf(step);
      if (at >= 0) found.set(at, [...(found.get(at) ?? []), label]);
    }
    return [...found].sort(([one], [other]) => one - other);
  }

  /**
   * The step whose maps are to be fetched next: the one that is looked at, then its neighbours; undefined: all are here.
   * @param {number} at the number of the step that is looked at @param {(step: number) => boolean} has
   */
  next(at, has) {
    const order = [...this.steps.keys()].sort((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one);
    return order.map((one) => this.steps[one]).find((step) => !has(step));
  }
}
