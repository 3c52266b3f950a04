// Chooses the layer on which a picture opens: the one where the classifier's query looks least like the average patch.
//
// The measure is the Kullback-Leibler divergence, in nats, of that query's attention p from the mean patch's q: sum p ln(p / q).
// Both are means of the heads, over the patches that show some of the picture. What all patches look at, such as sinks, adds
// nothing. If the classifier reads the mean patch itself, q is uniform. See docs/decisions/0027.

const LEAST = 1e-7; // of a share: half precision, in which rows are sent, holds nothing smaller

/**
 * @param {ArrayLike<number>} shares p of each token
 * @param {ArrayLike<number> | null} others q of each token; null for the uniform one
 * @param {ArrayLike<number>} counts 1 for tokens that count
 * @returns {number} nats; 0 if p is zero on all of them
 */
export function divergence(shares, others, counts) {
  const p = sharesOf(shares, counts);
  const q = sharesOf(others ?? counts, counts);
  if (!p.whole || !q.whole) return 0;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const own = p.of(i);
    if (own > 0) sum += own * Math.log(own / Math.max(LEAST, q.of(i)));
  }
  return sum;
}

function sharesOf(values, counts) {
  const of = (i) => (counts[i] ? Math.max(0, values[i]) : 0);
  let whole = 0;
  for (let i = 0; i < counts.length; i++) whole += of(i);
  return { whole, of: (i) => of(i) / whole };
}

/**
 * The layer with the largest divergence, the later one of equals. Only layers with the same patches as the last are compared:
 * with fewer patches the divergence cannot grow as large.
 * @param {(number | null)[]} found null for layers without the query
 * @param {{like: string}[]} layers
 */
export function mostTelling(found, layers) {
  const last = layers.length - 1;
  let best = last;
  for (let layer = last; layer >= 0; layer--) {
    if (found[layer] === null || layers[layer].like !== layers[last].like) continue;
    if (found[best] === null || found[layer] > found[best]) best = layer;
  }
  return best;
}
