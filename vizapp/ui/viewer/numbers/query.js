// Which token of each layer a choice means: layers may have tokens and grids of their own.

/**
 * What is asked, in any layer.
 * @typedef {object} Asked
 * @property {number[]} [spot] of a patch: the place of its centre in shares of what the model saw
 * @property {string} [name] of a prefix token or a weighted query
 */

export class Queries {
  constructor(payload) {
    this.payload = payload;
    this.layers = payload.layers;
  }

  /** A place in shares of the picture, in shares of what the model saw, which may be less or more than the picture. @param {number[]} place */
  toInput([x, y]) {
    const [left, top, right, bottom] = this.payload.window;
    return [(x - left) / (right - left), (y - top) / (bottom - top)];
  }

  /** The inverse. @param {number[]} spot */
  toPicture([x, y]) {
    const [left, top, right, bottom] = this.payload.window;
    return [left + x * (right - left), top + y * (bottom - top)];
  }

  /** What a state has chosen. A token that this network has not got is what its classifier reads. @returns {Asked} */
  chosen({ place, token }) {
    if (place) return { spot: this.toInput(place) };
    return { name: token !== null && this.has(token) ? token : this.payload.readout };
  }

  has(name) {
    return this.payload.named.includes(name) || this.payload.layouts.some(({ prefix }) => prefix.includes(name));
  }

  // The patch of a layout at a place of the picture, [row, col]; null where the model saw nothing.
  cellAt(layout, place) {
    const spot = this.toInput(place);
    return spot.every((share) => share >= 0 && share < 1) ? layout.cellAt(spot) : null;
  }

  /** The query in a layer: the index of a token, or the name of a weighted query. @param {number} layer @param {Asked} asked */
  in(layer, { spot, name }) {
    const { queries } = this.layers[layer];
    if (spot) return queries.tokenOf(queries.cellAt(spot));
    const at = queries.prefix.indexOf(name);
    return at >= 0 ? at : name;
  }

  /** The inverse: what a query of a layer is in others. @returns {Asked} */
  asked(layer, query) {
    const { queries } = this.layers[layer];
    const cell = queries.cellOf(query);
    if (cell) return { spot: queries.centreOf(cell) };
    return { name: typeof query === "string" ? query : queries.prefix[query] };
  }

  // Can one ask who looks at a token? Only where keys are what queries are, and of rollout only in plain networks.
  hasColumns(layer, method) {
    const { queries, keys } = this.layers[layer];
    return method === "rollout" ? this.payload.isPlain : queries === keys;
  }

  // A mean of tokens has no column.
  direction(query, { layer, method, direction }) {
    return typeof query === "string" || !this.hasColumns(layer, method) ? "from" : direction;
  }
}
