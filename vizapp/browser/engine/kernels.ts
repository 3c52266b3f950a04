// The arithmetic of a Vision Transformer for the browser: AssemblyScript, compiled to WebAssembly with 128-bit SIMD.
//
//   npm run build:kernels      makes kernels.wasm, and kernels.relaxed.wasm from the same lines, where a * b + c is one
//                              instruction (`relaxed_madd`): faster where the browser has it, equal up to rounding
//
// Addresses are bytes, all other numbers count float32 values. Nothing is allocated here: network.js lays out the memory.
//
// Rows of tokens are padded to whole groups of eight channels, and padding holds zeros. Right-hand matrices lie in *panels*
// of eight columns, (columns / 8, K, 8): the inner loop then walks one straight line through memory, two vectors at a
// time, where a plain matrix would touch another cache line, and soon another page, for each k.

// How many rows of A are at work at once. A vector of B is loaded once for all of them, so more rows mean fewer loads for
// each product; each row needs two registers for its sums. There are 16, of which V8 keeps one: 5 rows take 10, B two, the
// spread value of A one, and without a fused instruction the product one more.
const ROWS: i32 = 5;

@inline function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(c, f32x4.mul(a, b));
}

// C (M, N) = A (M, K) B (K, N) + bias + residual. `bias` (N) and `residual` (like C) are 0 where there is none.
//
// Panels of B are the outer loop: each is read from memory once, stays in the first cache (K * 32 bytes), and meets all
// rows of A, which stay in the second. If M is no multiple of ROWS, the last rows are computed together with some that
// were done already, which is cheaper than a loop of its own for the rest. So C must not be `residual` itself.
export function multiply(
  a: usize, lda: i32, b: usize, bias: usize, residual: usize, c: usize, ldc: i32, M: i32, K: i32, N: i32,
): void {
  const step = <usize>lda << 2, line = <usize>ldc << 2;
  for (let n = 0; n < N; n += 8) {
    const panel = b + <usize>n * (<usize>K << 2);
    let bias0 = f32x4.splat(0), bias1 = bias0;
    if (bias) {
      bias0 = v128.load(bias + (<usize>n << 2));
      bias1 = v128.load(bias + (<usize>n << 2), 16);
    }
    if (M < ROWS) {
      for (let m = 0; m < M; m++) {
        one(a + <usize>m * step, panel, bias0, bias1, residual, c, <usize>m * line + (<usize>n << 2), K);
      }
      continue;
    }
    let m = 0;
    while (true) {
      five(a + <usize>m * step, step, panel, bias0, bias1, residual, c, <usize>m * line + (<usize>n << 2), line, K);
      if (m === M - ROWS) break;
      m = min(m + ROWS, M - ROWS);
    }
  }
}

// Eight columns of one row: for a classifier, which reads one token.
function one(p: usize, q: usize, c0: v128, c1: v128, residual: usize, c: usize, at: usize, K: i32): void {
  for (let k = 0; k < K; k++) {
    const s = v128.load32_splat(p);
    c0 = madd(s, v128.load(q), c0);
    c1 = madd(s, v128.load(q, 16), c1);
    p += 4;
    q += 32;
  }
  put(c + at, residual ? residual + at : 0, c0, c1);
}

// Eight columns of five rows. The residual is added last: as a start value, it would round every product to its own size.
@inline function five(
  p: usize, step: usize, panel: usize, b0: v128, b1: v128, residual: usize, c: usize, at: usize, line: usize, K: i32,
): void {
  let p0 = p, p1 = p + step, p2 = p1 + step, p3 = p2 + step, p4 = p3 + step, q = panel;
  let a0 = b0, a1 = b1, c0 = b0, c1 = b1, d0 = b0, d1 = b1, e0 = b0, e1 = b1, f0 = b0, f1 = b1;
  let w0: v128, w1: v128, s: v128;
  let k = K;
  // Four steps at a time, so that moving six pointers costs a quarter.
  for (; k >= 4; k -= 4) {
    w0 = v128.load(q); w1 = v128.load(q, 16);
    s = v128.load32_splat(p0); a0 = madd(s, w0, a0); a1 = madd(s, w1, a1);
    s = v128.load32_splat(p1); c0 = madd(s, w0, c0); c1 = madd(s, w1, c1);
    s = v128.load32_splat(p2); d0 = madd(s, w0, d0); d1 = madd(s, w1, d1);
    s = v128.load32_splat(p3); e0 = madd(s, w0, e0); e1 = madd(s, w1, e1);
    s = v128.load32_splat(p4); f0 = madd(s, w0, f0); f1 = madd(s, w1, f1);
    w0 = v128.load(q, 32); w1 = v128.load(q, 48);
    s = v128.load32_splat(p0, 4); a0 = madd(s, w0, a0); a1 = madd(s, w1, a1);
    s = v128.load32_splat(p1, 4); c0 = madd(s, w0, c0); c1 = madd(s, w1, c1);
    s = v128.load32_splat(p2, 4); d0 = madd(s, w0, d0); d1 = madd(s, w1, d1);
    s = v128.load32_splat(p3, 4); e0 = madd(s, w0, e0); e1 = madd(s, w1, e1);
    s = v128.load32_splat(p4, 4); f0 = madd(s, w0, f0); f1 = madd(s, w1, f1);
    w0 = v128.load(q, 64); w1 = v128.load(q, 80);
    s = v128.load32_splat(p0, 8); a0 = madd(s, w0, a0); a1 = madd(s, w1, a1);
    s = v128.load32_splat(p1, 8); c0 = madd(s, w0, c0); c1 = madd(s, w1, c1);
    s = v128.load32_splat(p2, 8); d0 = madd(s, w0, d0); d1 = madd(s, w1, d1);
    s = v128.load32_splat(p3, 8); e0 = madd(s, w0, e0); e1 = madd(s, w1, e1);
    s = v128.load32_splat(p4, 8); f0 = madd(s, w0, f0); f1 = madd(s, w1, f1);
    w0 = v128.load(q, 96); w1 = v128.load(q, 112);
    s = v128.load32_splat(p0, 12); a0 = madd(s, w0, a0); a1 = madd(s, w1, a1);
    s = v128.load32_splat(p1, 12); c0 = madd(s, w0, c0); c1 = madd(s, w1, c1);
    s = v128.load32_splat(p2, 12); d0 = madd(s, w0, d0); d1 = madd(s, w1, d1);
    s = v128.load32_splat(p3, 12); e0 = madd(s, w0, e0); e1 = madd(s, w1, e1);
    s = v128.load32_splat(p4, 12); f0 = madd(s, w0, f0); f1 = madd(s, w1, f1);
    p0 += 16; p1 += 16; p2 += 16; p3 += 16; p4 += 16; q += 128;
  }
  for (; k > 0; k--) {
    w0 = v128.load(q); w1 = v128.load(q, 16);
    s = v128.load32_splat(p0); a0 = madd(s, w0, a0); a1 = madd(s, w1, a1);
    s = v128.load32_splat(p1); c0 = madd(s, w0, c0); c1 = madd(s, w1, c1);
    s = v128.load32_splat(p2); d0 = madd(s, w0, d0); d1 = madd(s, w1, d1);
    s = v128.load32_splat(p3); e0 = madd(s, w0, e0); e1 = madd(s, w1, e1);
    s = v128.load32_splat(p4); f0 = madd(s, w0, f0); f1 = madd(s, w1, f1);
    p0 += 4; p1 += 4; p2 += 4; p3 += 4; p4 += 4; q += 32;
  }
  let o = c + at, r = residual ? residual + at : 0;
  const down = residual ? line : 0;
  put(o, r, a0, a1); o += line; r += down;
  put(o, r, c0, c1); o += line; r += down;
  put(o, r, d0, d1); o += line; r += down;
  put(o, r, e0, e1); o += line; r += down;
  put(o, r, f0, f1);
}

@inline function put(o: usize, r: usize, x: v128, y: v128): void {
  if (r) {
    x = f32x4.add(x, v128.load(r));
    y = f32x4.add(y, v128.load(r, 16));
  }
  v128.store(o, x);
  v128.store(o, y, 16);
}

// Rows of A, (N, K), as the panels of its transpose: (N / 8, K, 8). What is missing of the last panel is zero.
export function panelsOfRows(a: usize, lda: i32, o: usize, N: i32, K: i32): void {
  for (let n = 0; n < N; n += 8) {
    const rows = min(8, N - n);
    for (let r = 0; r < 8; r++) {
      let p = a + (<usize>((n + r) * lda) << 2), to = o + (<usize>(n * K + r) << 2);
      for (let k = 0; k < K; k++) {
        store<f32>(to, r < rows ? load<f32>(p) : <f32>0);
        p += 4;
        to += 32;
      }
    }
  }
}

// Columns of A, (K, N) with N a multiple of 8, as panels: (N / 8, K, 8).
export function panelsOfColumns(a: usize, lda: i32, o: usize, K: i32, N: i32): void {
  for (let n = 0; n < N; n += 8) {
    let p = a + (<usize>n << 2);
    for (let k = 0; k < K; k++) {
      v128.store(o, v128.load(p));
      v128.store(o, v128.load(p, 16), 16);
      o += 32;
      p += <usize>lda << 2;
    }
  }
}

// Squares of p x p pixels out of (channels, height, width), one a row: (patches, channels * p * p), as `Conv2d` orders them.
export function cut(pixels: usize, o: usize, channels: i32, height: i32, width: i32, p: i32): void {
  for (let y = 0; y < height; y += p)
    for (let x = 0; x < width; x += p)
      for (let c = 0; c < channels; c++)
        for (let i = 0; i < p; i++) {
          memory.copy(o, pixels + (<usize>((c * height + y + i) * width + x) << 2), <usize>p << 2);
          o += <usize>p << 2;
        }
}

@inline function total(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

// Layer norm of each row. Twice through a row that lies in the first cache: the mean first, then what differs from it, since
// the difference of two large numbers (mean of squares less square of the mean) would lose what residual streams hold.
// `o` may be `x`.
export function layerNorm(x: usize, ld: i32, weight: usize, bias: usize, o: usize, M: i32, D: i32, eps: f32): void {
  const whole = D & ~3;
  for (let m = 0; m < M; m++) {
    const p = x + (<usize>(m * ld) << 2), to = o + (<usize>(m * ld) << 2);
    let sums = f32x4.splat(0);
    for (let i = 0; i < whole; i += 4) sums = f32x4.add(sums, v128.load(p + (<usize>i << 2)));
    let sum = total(sums);
    for (let i = whole; i < D; i++) sum += load<f32>(p + (<usize>i << 2));
    const mean = sum / <f32>D, means = f32x4.splat(mean);
    sums = f32x4.splat(0);
    for (let i = 0; i < whole; i += 4) {
      const d = f32x4.sub(v128.load(p + (<usize>i << 2)), means);
      sums = madd(d, d, sums);
    }
    sum = total(sums);
    for (let i = whole; i < D; i++) {
      const d = load<f32>(p + (<usize>i << 2)) - mean;
      sum += d * d;
    }
    const scale = <f32>1 / sqrt<f32>(sum / <f32>D + eps), scales = f32x4.splat(scale);
    for (let i = 0; i < whole; i += 4) {
      const at = <usize>i << 2, d = f32x4.mul(f32x4.sub(v128.load(p + at), means), scales);
      v128.store(to + at, madd(d, v128.load(weight + at), v128.load(bias + at)));
    }
    for (let i = whole; i < D; i++) {
      const at = <usize>i << 2;
      store<f32>(to + at, (load<f32>(p + at) - mean) * scale * load<f32>(weight + at) + load<f32>(bias + at));
    }
  }
}

// 2^x for x from -126 to 127: the nearest whole number goes into the exponent, the rest (-1/2 to 1/2) into a polynomial of
// degree 6, fitted so that its largest relative error is least (2e-9, far below the 6e-8 of rounding). Base 2, not e: the
// rest is then exact, where r = x - n ln 2 would need ln 2 in two pieces.
@inline function exp2(x: v128): v128 {
  const n = f32x4.nearest(x), r = f32x4.sub(x, n);
  let y = madd(f32x4.splat(1.53353620e-4), r, f32x4.splat(1.33988739e-3));
  y = madd(y, r, f32x4.splat(9.61843692e-3));
  y = madd(y, r, f32x4.splat(5.55033237e-2));
  y = madd(y, r, f32x4.splat(2.40226477e-1));
  y = madd(y, r, f32x4.splat(6.93147182e-1));
  y = madd(y, r, f32x4.splat(1));
  // Adding n to the exponent of y, which lies between 0.7 and 1.4, multiplies it by 2^n.
  return i32x4.add(y, i32x4.shl(i32x4.trunc_sat_f32x4_s(n), 23));
}

// Softmax of each row of M scores over N keys, in place, and what makes the scores again from it: the largest of each row
// and the sum of exp(score - largest). Columns N to ld are padding, may be overwritten, and are never read by others.
export function softmax(s: usize, ld: i32, M: i32, N: i32, largest: usize, sums: usize): void {
  const log2e = f32x4.splat(1.4426950408889634), least = f32x4.splat(-100);
  for (let m = 0; m < M; m++) {
    const p = s + (<usize>(m * ld) << 2);
    for (let i = N; i < ld; i++) store<f32>(p + (<usize>i << 2), -1e30);
    let tops = f32x4.splat(-1e30);
    for (let i = 0; i < ld; i += 4) tops = f32x4.max(tops, v128.load(p + (<usize>i << 2)));
    const top = max(
      max(f32x4.extract_lane(tops, 0), f32x4.extract_lane(tops, 1)),
      max(f32x4.extract_lane(tops, 2), f32x4.extract_lane(tops, 3)),
    );
    tops = f32x4.splat(top);
    let sum = f32x4.splat(0);
    for (let i = 0; i < ld; i += 4) {
      const at = p + (<usize>i << 2);
      // A key that is farther off gets 1e-30 instead of nothing: numbers below 1e-38 are slow to multiply.
      const e = exp2(f32x4.max(f32x4.mul(f32x4.sub(v128.load(at), tops), log2e), least));
      v128.store(at, e);
      sum = f32x4.add(sum, e);
    }
    const all = total(sum), share = f32x4.splat(<f32>1 / all);
    for (let i = 0; i < ld; i += 4) {
      const at = p + (<usize>i << 2);
      v128.store(at, f32x4.mul(v128.load(at), share));
    }
    store<f32>(largest + (<usize>m << 2), top);
    store<f32>(sums + (<usize>m << 2), all);
  }
}

// GELU in place: x Phi(x), Phi the normal distribution (by erf, as torch does unless told "tanh"). n is a multiple of 4.
//
// With t = Phi(-|x|), the small one of the two tails, gelu(x) = max(x, 0) - |x| t for either sign: nothing cancels, where
// (1 + erf) / 2 loses all digits of a tail. log2 of the tail is nearly a parabola, so a polynomial of degree 8 in |x| (fitted
// on 0 to 6, so that the largest error of |x| t is least) and exp2 give it to 9e-8: GELU is within 2.5e-7 of the truth
// everywhere, half a unit in the last place of its largest values there; torch's own float32 is within 1.1e-6.
export function gelu(x: usize, n: i32): void {
  const zero = f32x4.splat(0), far = f32x4.splat(6);
  for (const end = x + (<usize>n << 2); x < end; x += 16) {
    const v = v128.load(x), a = f32x4.abs(v), u = f32x4.min(a, far); // beyond 6, |x| t is below 6e-9
    let y = madd(f32x4.splat(-1.99190004e-6), u, f32x4.splat(2.92720233e-5));
    y = madd(y, u, f32x4.splat(-1.38088348e-4));
    y = madd(y, u, f32x4.splat(-2.53436243e-4));
    y = madd(y, u, f32x4.splat(7.21638929e-3));
    y = madd(y, u, f32x4.splat(-5.26030511e-2));
    y = madd(y, u, f32x4.splat(-4.59172219e-1));
    y = madd(y, u, f32x4.splat(-1.1511097));
    y = madd(y, u, f32x4.splat(-0.999999881));
    v128.store(x, f32x4.sub(f32x4.max(v, zero), f32x4.mul(a, exp2(y))));
  }
}

// x sigmoid(a x + b x^3) in place: SiLU (a = 1, b = 0), CLIP's quick GELU (1.702, 0), and GELU by tanh. n is a multiple of 4.
export function swish(x: usize, n: i32, a: f32, b: f32): void {
  const one = f32x4.splat(1), far = f32x4.splat(126), log2e = f32x4.splat(-1.4426950408889634);
  const first = f32x4.splat(a), third = f32x4.splat(b);
  for (const end = x + (<usize>n << 2); x < end; x += 16) {
    const v = v128.load(x), u = f32x4.mul(v, madd(f32x4.mul(v, v), third, first));
    const power = f32x4.max(f32x4.min(f32x4.mul(u, log2e), far), f32x4.neg(far));
    v128.store(x, f32x4.div(v, f32x4.add(one, exp2(power))));
  }
}

// x y, in place of x; n is a multiple of 4.
export function times(x: usize, y: usize, n: i32): void {
  for (const end = x + (<usize>n << 2); x < end; x += 16, y += 16) v128.store(x, f32x4.mul(v128.load(x), v128.load(y)));
}

// Rotary positions, in place: each row's channels a and b become a cos - b sin and b cos + a sin, by the row's own angles.
// They are the neighbours 2i and 2i + 1 where `apart` is 0, or i and i + apart.
export function rotate(x: usize, ld: i32, cos: usize, sin: usize, M: i32, D: i32, apart: i32): void {
  const line = <usize>(ld - D) << 2, step = <usize>(apart ? 4 : 8), other = <usize>(apart ? apart << 2 : 4);
  for (let m = 0; m < M; m++) {
    for (let i = 0; i < D; i += 2, x += step, cos += step, sin += step) {
      const a = load<f32>(x), b = load<f32>(x + other);
      store<f32>(x, a * load<f32>(cos) - b * load<f32>(sin));
      store<f32>(x + other, b * load<f32>(cos + other) + a * load<f32>(sin + other));
    }
    if (apart) {
      x += <usize>apart << 2;
      cos += <usize>apart << 2;
      sin += <usize>apart << 2;
    }
    x += line;
  }
}

// What is below zero becomes zero; n is a multiple of 4.
export function relu(x: usize, n: i32): void {
  const zero = f32x4.splat(0);
  for (const end = x + (<usize>n << 2); x < end; x += 16) v128.store(x, f32x4.max(v128.load(x), zero));
}

// The length (L2 norm) of each row, D values of it.
export function lengths(x: usize, ld: i32, o: usize, M: i32, D: i32): void {
  const whole = D & ~3;
  for (let m = 0; m < M; m++) {
    const p = x + (<usize>(m * ld) << 2);
    let sums = f32x4.splat(0);
    for (let i = 0; i < whole; i += 4) {
      const v = v128.load(p + (<usize>i << 2));
      sums = madd(v, v, sums);
    }
    let sum = total(sums);
    for (let i = whole; i < D; i++) sum += load<f32>(p + (<usize>i << 2)) * load<f32>(p + (<usize>i << 2));
    store<f32>(o + (<usize>m << 2), sqrt<f32>(sum));
  }
}
