// The queries whose rows are sent ready: what the classifier reads, first, and the mean of all patches.

/** @typedef {{prefix: string[], grid: number[]}} Tokens what each token stands for: named ones first, then the patches */

/** @param {Tokens} tokens @returns {number} */
export const countOf = ({ prefix, grid }) => prefix.length + grid[0] * grid[1];

// All tokens are queries, too, but the viewer makes their rows from the factors; a weighted query would need all rows.
/** @param {string} readout "cls", "cls+dist" or "mean" @returns {string[]} */
export const namedQueries = (readout) => [...new Set([readout, "mean"])];

/** Weights on the tokens, with a sum of one. @param {string} name @param {Tokens} tokens @returns {Float32Array} */
export function weightsOf(name, tokens) {
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
