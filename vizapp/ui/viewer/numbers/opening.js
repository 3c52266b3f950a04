// On which layer a picture opens: the one where what the classifier reads looks least as all patches do.
//
// Measured as the Kullback-Leibler divergence, in nats, of its attention from that of the mean patch, both as the mean of the
// heads, over the patches that show some of the picture: sum p ln(p / q). What everybody looks at, as at sinks, is no part of
// it. Where the mean patch is what the classifier reads, q is an even spread. See docs/decisions/0027.

const LEAST = 1e-7; // of a share: half precision, in which rows travel, has nothing below

/**
 * @param {ArrayLike<number>} shares what each token gets
 * @param {ArrayLike<number> | null} others what it gets of those that are compared with; null: all the same
 * @param {ArrayLike<number>} counts 1 for tokens that count
 * @returns {number} nats; 0 where nothing falls on them
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
 * The layer with the largest number, the later of equals. Only layers with the patches of the last one are compared: fewer
 * patches have less to diverge by.
 * @param {(number | null)[]} found null for layers that have no such query
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
