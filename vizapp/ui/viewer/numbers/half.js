// IEEE half precision -> Float32Array (`floats`, or one of its own), by a table of all 65536 values, because some browsers have no Float16Array.

let halves = null;
export function halfToFloat(bits, floats = null) {
  if (!halves) {
    halves = new Float32Array(65536);
    for (let i = 0; i < 65536; i++) {
      const exponent = (i >> 10) & 31;
      const fraction = i & 1023;
      let value;
      if (exponent === 0) value = fraction * 2 ** -24;
      else if (exponent === 31) value = fraction ? NaN : Infinity;
      else value = (1 + fraction / 1024) * 2 ** (exponent - 15);
      halves[i] = i & 0x8000 ? -value : value;
    }
  }
  floats ??= new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) floats[i] = halves[bits[i]];
  return floats;
}
