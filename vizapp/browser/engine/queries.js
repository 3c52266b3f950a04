// The queries whose rows are computed here: first the one that the classifier reads, then the mean of all patches.

/** @typedef {{prefix: string[], grid: number[]}} Tokens what each token stands for: named ones first, then the patches */

/** @param {Tokens} tokens @returns {number} */
export const countOf = ({ prefix, grid }) => prefix.length + grid[0] * grid[1];

// The viewer computes the row of a single token from the factors. For a weighted query it would need the rows of all tokens.
/** @param {string} readout "cls", "cls+dist", "mean" or "pool" @returns {string[]} */
export const namedQueries = (readout) => [...new Set([readout, "mean"])];

/** Weights on the tokens, with a sum of one. @param {string} name @param {Tokens} tokens
 * @param {Float32Array | null} [pool] what the heads of attention pooling look at, in this pass @returns {Float32Array} */
export function weightsOf(name, tokens, pool) {
  if (name === "pool" && pool) return meanOf(pool, countOf(tokens));
  const weights = new Float32Array(countOf(tokens));
  const first = tokens.prefix.length;
  if (name === "mean") return weights.fill(1 / (weights.length - first), first);
  const parts = name.split("+");
  for (const part of parts) {
    const token = tokens.prefix.indexOf(part);
    if (token < 0) throw new Error(`${name} is none of the tokens ${tokens.prefix.join(", ")}`);
    weights[token] = 1 / parts.length;
  }
  return weights;
}

/** The mean of heads, each of `count` values. @param {Float32Array} rows @param {number} count */
export function meanOf(rows, count) {
  const mean = new Float32Array(count);
  for (let i = 0; i < rows.length; i++) mean[i % count] += rows[i];
  return mean.map((sum) => sum / (rows.length / count));
}
