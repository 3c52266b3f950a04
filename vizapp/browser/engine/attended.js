// Walks once over all maps of a pass, last layer first. Computes what the named queries attend to, their rollout through each
// layer (as `rollout_through_each_layer` in core/methods/rollout.py), and the attention that each token receives.

/**
 * @typedef {object} Attended of a layer
 * @property {Float32Array[]} rows of each named query (head, token)
 * @property {Float32Array} received (token,): the share of all attention of the layer that each token gets
 *
 * @typedef {import("./compact.js").Layer} Layer
 * @typedef {import("./compact.js").Shape} Shape
 */

/**
 * @param {Layer[]} layers
 * @param {Shape} shape
 * @param {Float32Array[]} queries weights on the tokens, each with a sum of one
 * @param {import("./maps.js").HeadMap} headMap
 * @param {(layer: number, map: Float32Array) => void} [onMap] called with each (head, token, token); only one exists at a time
 * @returns {{layers: Attended[], rollouts: Float32Array[]}} rollouts of each query (layer, token)
 */
export function attended(layers, shape, queries, headMap, onMap) {
  const { heads, tokens, width } = shape;
  const map = new Float32Array((onMap ? heads : 1) * tokens * tokens);
  const [fused, lse] = [new Float32Array(tokens * tokens), new Float32Array(tokens)];
  let flows = []; // (query, token) of each layer that was walked over, the lowest first
  const found = [];
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    fused.fill(0);
    const rows = queries.map(() => new Float32Array(heads * tokens));
    for (let head = 0; head < heads; head++) {
      const own = onMap ? map.subarray(head * tokens * tokens, (head + 1) * tokens * tokens) : map;
      const part = [head * tokens * width, (head + 1) * tokens * width];
      headMap(
        layers[layer].q.subarray(...part),
        layers[layer].k.subarray(...part),
        tokens,
        width,
        own,
        lse,
        layers[layer].bias?.(head),
      );
      for (let i = 0; i < fused.length; i++) fused[i] += own[i];
      queries.forEach((query, i) => gather(query, own, tokens, rows[i].subarray(head * tokens, (head + 1) * tokens)));
    }
    for (let i = 0; i < fused.length; i++) fused[i] /= heads;
    onMap?.(layer, map);
    const received = new Float32Array(tokens);
    gather(new Float32Array(tokens).fill(1 / tokens), fused, tokens, received);
    found.unshift({ rows, received });
    const whole = sums(fused, tokens);
    flows = [queries, ...flows].map((flow) => flow.map((one) => through(one, fused, whole)));
  }
  const rollouts = queries.map((_, i) => {
    const every = new Float32Array(layers.length * tokens);
    flows.forEach((flow, layer) => every.set(flow[i], layer * tokens));
    return every;
  });
  return { layers: found, rollouts };
}

// into = weights (token,) @ map (token, token)
function gather(weights, map, tokens, into) {
  const made = new Float64Array(tokens);
  for (let i = 0; i < tokens; i++) {
    const weight = weights[i];
    if (weight === 0) continue;
    for (let j = 0, at = i * tokens; j < tokens; j++, at++) made[j] += weight * map[at];
  }
  into.set(made);
}

// r @ A, A half attention and half the skip connection, each row divided by its sum.
function through(r, fused, whole) {
  const weights = r.map((value, i) => value / whole[i]);
  const result = new Float32Array(r.length);
  gather(weights, fused, r.length, result);
  return result.map((value, j) => value + weights[j]);
}

// Of each row of the map, with the skip connection beside it.
function sums(map, tokens) {
  const whole = new Float64Array(tokens).fill(1);
  for (let i = 0; i < tokens; i++) for (let j = 0; j < tokens; j++) whole[i] += map[i * tokens + j];
  return whole;
}
