// Numbers as people read them.

// 0.0234 -> "2.3 %", 0.00041 -> "0.041 %"
export function percent(share) {
  const value = Math.abs(100 * share);
  const digits = value < 0.0005 || value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
  return `${share < 0 ? "\u2212" : ""}${value.toFixed(digits)}\u00a0%`;
}

// 3.27 -> "3.3", 12.4 -> "12"
export function times(value) {
  return value >= 9.95 ? value.toFixed(0) : value >= 0.095 ? value.toFixed(1) : value.toFixed(2);
}

const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

// 1.2e-7 -> "1 × 10⁻⁷"
export function tiny(value) {
  if (value === 0) return "0";
  const [digits, power] = value.toExponential(0).split("e");
  const raised = [...power.replace("+", "")].map((sign) => (sign === "-" ? "\u207b" : RAISED[Number(sign)]));
  return `${digits} \u00d7 10${raised.join("")}`;
}

// Three significant digits with a real minus sign: -0.01234 -> "−0.0123". A mask may add minus infinity: "−∞".
export function digits(value) {
  if (!Number.isFinite(value)) return value < 0 ? "\u2212\u221e" : String(value);
  const size = Math.abs(value);
  const said = size !== 0 && (size < 0.001 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  return said.replace("-", "\u2212");
}
