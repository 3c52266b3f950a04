// The Mersenne twister as torch's generator on the CPU uses it: the same numbers for the same seed.
//
// Matsumoto & Nishimura 1998, Mersenne twister: a 623-dimensionally equidistributed uniform pseudo-random number generator.

const [LENGTH, APART] = [624, 397];

export class Twister {
  /** @param {number} seed a whole number; its lowest 32 bits count */
  constructor(seed) {
    this.state = new Uint32Array(LENGTH);
    this.state[0] = seed % 2 ** 32;
    for (let i = 1; i < LENGTH; i++) {
      const before = this.state[i - 1];
      this.state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
    this.used = LENGTH;
  }

  /** 32 bits. */
  next() {
    if (this.used === LENGTH) this.turn();
    let bits = this.state[this.used++];
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c5680;
    bits ^= (bits << 15) & 0xefc60000;
    return (bits ^ (bits >>> 18)) >>> 0;
  }

  turn() {
    const { state } = this;
    for (let i = 0; i < LENGTH; i++) {
      const bits = (state[i] & 0x80000000) | (state[(i + 1) % LENGTH] & 0x7fffffff);
      state[i] = state[(i + APART) % LENGTH] ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
    }
    this.used = 0;
  }

  /** As `torch.rand` in float32: from 0 to below 1. */
  share() {
    return (this.next() & 0xffffff) / 2 ** 24;
  }

  /** As `torch.randint(0, high)`. @param {number} high */
  below(high) {
    return this.next() % high;
  }
}
