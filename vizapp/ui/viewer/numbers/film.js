// A network at several steps of its training: the steps, what was measured at each, and which maps to fetch next.

/**
 * @typedef {object} Said as the server says it (vizapp/model/film.py)
 * @property {number[]} steps rising
 * @property {number} at the step whose maps a payload has
 * @property {number} pictures that it was measured on; 0 if nothing was measured
 * @property {Record<string, number[][]>} curves "accuracy", "unmarked": one row; "object", "mark": a row per layer
 * @property {Record<string, number>} levels the value of each curve at chance
 * @property {Record<string, number>} learned class -> the step from which on the network knows it
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

  /** The index of the film's step nearest to a step of the training, since a link may name any. @param {number} step */
  nearest(step) {
    const far = this.steps.map((one) => Math.abs(one - step));
    return far.indexOf(Math.min(...far));
  }

  /** A row of a curve, or null: of a layer, where it has one for each. @param {import("../../../vocabulary.js").Curve} name @param {number} layer */
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

  /** The steps at which classes were learnt. @returns {[number, string[]][]} a step's index, and the classes known from then on */
  marks() {
    const found = new Map();
    for (const [label, step] of Object.entries(this.learned)) {
      const at = this.steps.indexOf(step);
      if (at >= 0) found.set(at, [...(found.get(at) ?? []), label]);
    }
    return [...found].sort(([one], [other]) => one - other);
  }

  /**
   * The step whose maps to fetch next: the one on the stage, then its neighbours; undefined if all are here.
   * @param {number} at the index of the step on the stage @param {(step: number) => boolean} has
   */
  next(at, has) {
    const order = [...this.steps.keys()].sort((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one);
    return order.map((one) => this.steps[one]).find((step) => !has(step));
  }
}
