// Logits -> probabilities, by what the network says of its outputs: the twin of `probabilities` in core/network.py.

/** @param {ArrayLike<number>} logits @param {string} [activation] "" is softmax of several, and of one the sigmoid */
export function probabilities(logits, activation = "") {
  const values = Float64Array.from(logits);
  if (activation === "none") return values; // outputs that are not probabilities stay as they are
  if (activation !== "softmax" && (activation || values.length === 1)) return values.map((logit) => 1 / (1 + Math.exp(-logit)));
  const top = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const exps = values.map((logit) => Math.exp(logit - top));
  const whole = exps.reduce((a, b) => a + b, 0);
  return exps.map((one) => one / whole);
}
