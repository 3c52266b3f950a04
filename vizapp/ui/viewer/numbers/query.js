// Finds the token of each layer that a choice means, since layers may have tokens and grids of their own.

import { THROUGH_LAYERS } from "../../../vocabulary.js";

/**
 * A query, independent of the layer.
 * @typedef {object} Asked
 * @property {number[]} [spot] for a patch: the place of its centre, as fractions of the model's input
 * @property {string} [name] for a prefix token or a weighted query
 */

export class Queries {
  constructor(payload) {
    this.payload = payload;
    this.layers = payload.layers;
  }

  /** Convert fractions of the picture to fractions of the model's input, which may be less or more than the picture. @param {number[]} place @returns {[number, number]} */
  toInput([x, y]) {
    const [left, top, right, bottom] = this.payload.window;
    return [(x - left) / (right - left), (y - top) / (bottom - top)];
  }

  /** The inverse of `toInput`. @param {number[]} spot */
  toPicture([x, y]) {
    const [left, top, right, bottom] = this.payload.window;
    return [left + x * (right - left), top + y * (bottom - top)];
  }

  /** The query that a state has chosen. If this network lacks the token, the query that its classifier reads. @returns {Asked} */
  chosen({ place, token }) {
    if (place) return { spot: this.toInput(place) };
    return { name: token !== null && this.has(token) ? token : this.payload.readout };
  }

  has(name) {
    return this.payload.named.includes(name) || this.payload.layouts.some(({ prefix }) => prefix.includes(name));
  }

  // The patch of a layout at a place of the picture, [row, col]; null outside the model's input.
  cellAt(layout, place) {
    const spot = this.toInput(place);
    return spot.every((share) => share >= 0 && share < 1) ? layout.cellAt(spot) : null;
  }

  /** The centre of the patch that is nearest to a place. @param {import("./layout.js").Layout} layout @param {number[]} place */
  nearest(layout, place) {
    const [row, col] = layout.cellAt(this.toInput(place));
    return this.toPicture(layout.centreOf([row, col]));
  }

  /** The query in a layer: the index of a token, or the name of a weighted query. @param {number} layer @param {Asked} asked */
  in(layer, { spot, name }) {
    const { queries } = this.layers[layer];
    if (spot) return queries.tokenOf(queries.cellAt(spot));
    const at = queries.prefix.indexOf(name);
    return at >= 0 ? at : name;
  }

  /** The inverse of `in`: a layer's query, independent of the layer. @returns {Asked} */
  asked(layer, query) {
    const { queries } = this.layers[layer];
    const cell = queries.cellOf(query);
    if (cell) return { spot: queries.centreOf(cell) };
    return { name: typeof query === "string" ? query : queries.prefix[query] };
  }

  // Whether one can ask who looks at a token: only if a layer's keys are its queries, and through layers only in plain networks.
  hasColumns(layer, method) {
    const { queries, keys } = this.layers[layer];
    return THROUGH_LAYERS[method] ? this.payload.isPlain : queries === keys;
  }

  // A mean of tokens has no column.
  direction(query, { layer, method, direction }) {
    return typeof query === "string" || !this.hasColumns(layer, method) ? "from" : direction;
  }
}
