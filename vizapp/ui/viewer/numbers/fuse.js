// Head fusion, and the sum of a row of rollout's matrices.

// Take one more head into `out`.
export function combine(out, row, fusion, head, heads) {
  for (let j = 0; j < out.length; j++) {
    if (fusion === "mean") out[j] += row[j] / heads;
    else if (head === 0) out[j] = row[j];
    else if (fusion === "max") out[j] = Math.max(out[j], row[j]);
    else out[j] = Math.min(out[j], row[j]);
  }
}

// Head fusion of ready maps: the mean, the largest or the smallest value, token by token.
export function fuseHeads(maps, fusion) {
  const out = new Float32Array(maps[0].length);
  maps.forEach((map, head) => combine(out, map, fusion, head, maps.length));
  return out;
}

// What a row of skipWeight * I + (1 - skipWeight) * fused sums to.
export function rowTotal(sum, skipWeight) {
  return skipWeight + (1 - skipWeight) * sum || 1;
}
