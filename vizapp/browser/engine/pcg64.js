// numpy's `default_rng`: PCG64 and the hash that spreads its seed. The same numbers for the same seed.
//
// O'Neill 2014, PCG: a family of simple fast space-efficient statistically good algorithms for random number generation.

const [POOL, SHIFT] = [4, 16];
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const [BITS64, BITS128] = [2n ** 64n - 1n, 2n ** 128n - 1n];

export class Pcg64 {
  /** @param {number} seed a whole number below 2^32 */
  constructor(seed) {
    const [a, b, c, d] = seeds(seed);
    this.step = ((((c << 64n) | d) << 1n) | 1n) & BITS128;
    this.state = 0n;
    this.turn();
    this.state = (this.state + ((a << 64n) | b)) & BITS128;
    this.turn();
  }

  turn() {
    this.state = (this.state * MULTIPLIER + this.step) & BITS128;
  }

  /** As `Generator.random()`: from 0 to below 1. */
  share() {
    this.turn();
    const mixed = (this.state >> 64n) ^ (this.state & BITS64);
    const by = this.state >> 122n;
    const turned = ((mixed >> by) | (mixed << ((64n - by) & 63n))) & BITS64;
    return Number(turned >> 11n) / 2 ** 53;
  }
}

// Four numbers of 64 bits from a seed: numpy's `SeedSequence(seed).generate_state(4, uint64)`.
function seeds(seed) {
  let constant = 0x43b0d7e5;
  const hashed = (value) => {
    value ^= constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return (value ^ (value >>> SHIFT)) >>> 0;
  };
  const mixed = (one, other) => {
    const value = Math.imul(one, 0xca01f9dd) - Math.imul(other, 0x4973f715);
    return (value ^ (value >>> SHIFT)) >>> 0;
  };
  const pool = Array.from({ length: POOL }, (_, i) => hashed(i ? 0 : seed));
  for (let from = 0; from < POOL; from++)
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from]));
  let other = 0x8b51f9dd;
  const words = Array.from({ length: 2 * POOL }, (_, i) => {
    let value = pool[i % POOL] ^ other;
    other = Math.imul(other, 0x58f38ded);
    value = Math.imul(value, other);
    return BigInt((value ^ (value >>> SHIFT)) >>> 0);
  });
  return [0, 2, 4, 6].map((i) => words[i] | (words[i + 1] << 32n));
}
