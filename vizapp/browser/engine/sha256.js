// SHA-256 (FIPS 180-4) of some bytes, as hexadecimal. `crypto.subtle` exists only in secure contexts, and a school may open the
// page from an http address in its local network.

const ROOTS = new Uint32Array(64); // the first 32 bits of the fractions of the cube roots of the first 64 primes
const START = new Uint32Array(8); // of the square roots of the first 8
for (let n = 2, found = 0; found < 64; n++) {
  if (!isPrime(n)) continue;
  ROOTS[found] = fraction(Math.cbrt(n));
  if (found < 8) START[found] = fraction(Math.sqrt(n));
  found++;
}

function isPrime(n) {
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
  return true;
}

function fraction(root) {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/** @param {Uint8Array} bytes @returns {string} */
export function sha256(bytes) {
  const state = START.slice();
  const words = new Uint32Array(64);
  const whole = bytes.length & ~63;
  digest(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), whole, state, words);
  const rest = new Uint8Array(bytes.length - whole < 56 ? 64 : 128);
  rest.set(bytes.subarray(whole));
  rest[bytes.length - whole] = 0x80;
  const view = new DataView(rest.buffer);
  view.setUint32(rest.length - 8, Math.floor(bytes.length / 2 ** 29)); // the length in bits, as 64 bits
  view.setUint32(rest.length - 4, bytes.length << 3);
  digest(view, rest.length, state, words);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function digest(view, length, state, words) {
  for (let start = 0; start < length; start += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [words[i - 15], words[i - 2]];
      const low = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
      const high = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
      words[i] = words[i - 16] + low + words[i - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROOTS[i] + words[i]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));
