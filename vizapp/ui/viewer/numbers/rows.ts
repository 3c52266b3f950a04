// Scores of one query against many keys, four values at a time: AssemblyScript, compiled to WebAssembly with 128-bit SIMD.
//
//   npm run build:kernels      makes rows.wasm
//
// out[j] = the product of the vector at `one` with row j of those at `rows`. Addresses are bytes; `width`, the length of all of
// them, is a multiple of four, and `count` is any number of rows. Four rows are at work at once: the vector is loaded once for
// them, and their sums do not wait for each other.
export function dots(one: usize, rows: usize, width: i32, out: usize, count: i32): void {
  const step = <usize>width << 2, end = one + step;
  let row = rows, j = 0;
  for (; j + 3 < count; j += 4) {
    let a = f32x4.splat(0), b = a, c = a, d = a;
    const p0 = row - one, p1 = p0 + step, p2 = p1 + step, p3 = p2 + step; // from the vector to each row
    for (let at = one; at < end; at += 16) {
      const v = v128.load(at);
      a = f32x4.add(a, f32x4.mul(v, v128.load(p0 + at)));
      b = f32x4.add(b, f32x4.mul(v, v128.load(p1 + at)));
      c = f32x4.add(c, f32x4.mul(v, v128.load(p2 + at)));
      d = f32x4.add(d, f32x4.mul(v, v128.load(p3 + at)));
    }
    v128.store(out, f32x4.add(halves(a, b, c, d, true), halves(a, b, c, d, false)));
    row += step << 2;
    out += 16;
  }
  for (; j < count; j++) {
    let a = f32x4.splat(0);
    for (let i: usize = 0; i < step; i += 16) a = f32x4.add(a, f32x4.mul(v128.load(one + i), v128.load(row + i)));
    f32.store(out, f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3)));
    row += step;
    out += 4;
  }
}

// One half of the sum over each vector's lanes: of the first two lanes, or of the last two.
@inline function halves(a: v128, b: v128, c: v128, d: v128, isFirst: bool): v128 {
  const ab = isFirst ? v128.shuffle<i32>(a, b, 0, 1, 4, 5) : v128.shuffle<i32>(a, b, 2, 3, 6, 7);
  const cd = isFirst ? v128.shuffle<i32>(c, d, 0, 1, 4, 5) : v128.shuffle<i32>(c, d, 2, 3, 6, 7);
  return f32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}
