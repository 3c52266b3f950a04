// Attention from its factors, in the browser: the same numbers as vizapp.core, made for one query at a time.
//
// A query is the index of a token, or the name of a weighted query ("mean", "pool") whose rows the server sent ready.
// All results are Float32Array over tokens: prefix tokens first, then the patches row by row.

const KEPT = 8e6; // values: up to 32 MB of whole maps are kept once they were made (197 tokens, 12 layers of 12 heads: 22 MB)

export class Attention {
  constructor(payload) {
    this.payload = payload;
    this.tokens = payload.tokens;
    this.kept = []; // per layer: the whole maps, (head, token, token), once `fuseAll` has made them
    this.scores = new Float64Array(this.tokens); // of one row or column, before exp
    this.fused = {}; // fusion -> one (token x token) matrix per layer, for rollout
    this.joint = null; // {fusion, residual, layers}: the rollout of every token through each layer, as far as it is made
  }

  heads(layer) {
    return this.payload.layers[layer].heads;
  }

  // Can this query be answered in this layer with what has arrived?
  ready(layer, query) {
    return this.isNamed(query) || this.payload.hasLayer(layer);
  }

  isNamed(query) {
    return this.payload.named.includes(this.nameOf(query));
  }

  nameOf(query) {
    return typeof query === "string" ? query : this.payload.prefix[query];
  }

  // How `query` spreads its attention in one head: softmax(q_query . k). Sums to one.
  row(layer, head, query) {
    const n = this.tokens;
    if (this.isNamed(query)) {
      const before = this.payload.layers.slice(0, layer).reduce((sum, one) => sum + one.heads, 0);
      return this.payload.get(`rows.${this.nameOf(query)}`).subarray((before + head) * n, (before + head + 1) * n);
    }
    return this.rowOfToken(layer, head, query, null);
  }

  // A row of the whole maps where they are there, else made in `out`.
  rowOfToken(layer, head, token, out) {
    const n = this.tokens;
    const dense = this.dense(layer);
    if (dense) return dense.subarray((head * n + token) * n, (head * n + token + 1) * n);
    out = out ?? new Float32Array(n);
    const { q, k, lse, width } = this.factors(layer);
    const shift = lse[head * n + token];
    dots(q, (head * n + token) * width, k, head * n * width, width, this.scores);
    for (let j = 0; j < n; j++) out[j] = Math.exp(this.scores[j] - shift);
    return out;
  }

  // How much of its attention each token gives to `token`, in one head: a column.
  column(layer, head, token) {
    const n = this.tokens;
    const out = new Float32Array(n);
    const dense = this.dense(layer);
    if (dense) {
      for (let i = 0; i < n; i++) out[i] = dense[(head * n + i) * n + token];
      return out;
    }
    const { q, k, lse, width } = this.factors(layer);
    dots(k, (head * n + token) * width, q, head * n * width, width, this.scores);
    for (let i = 0; i < n; i++) out[i] = Math.exp(this.scores[i] - lse[head * n + i]);
    return out;
  }

  // The maps of a layer, (head, token, token), if they were sent whole or are kept; else null.
  dense(layer) {
    return this.kept[layer] ?? (this.payload.has(`dense.${layer}`) ? this.payload.get(`dense.${layer}`) : null);
  }

  factors(layer) {
    const width = this.payload.layers[layer].width;
    return { q: this.payload.get(`q.${layer}`), k: this.payload.get(`k.${layer}`), lse: this.payload.get(`lse.${layer}`), width };
  }

  // One map per head of a layer, in the direction "from" the query or "to" it.
  maps(layer, query, direction) {
    const maps = [];
    for (let head = 0; head < this.heads(layer); head++) {
      maps.push(direction === "to" ? this.column(layer, head, query) : this.row(layer, head, query));
    }
    return maps;
  }

  // ---- rollout (Abnar & Zuidema 2020): r <- r ((1 - residual) fuse(A) + residual I), each row divided by its sum

  hasFused(fusion) {
    return this.fused[fusion]?.ready === true;
  }

  // Fuse the heads of all layers into one matrix each: the costly part, in slices so that the page stays alive.
  async fuseAll(fusion, onProgress, isStale) {
    if (this.fused[fusion]) return;
    const n = this.tokens;
    const layers = this.payload.layers.map(() => new Float32Array(n * n));
    this.fused[fusion] = layers;
    const keeps = this.payload.layers.reduce((sum, one) => sum + one.heads, 0) * n * n <= KEPT;
    const scratch = new Float32Array(n);
    let sliceStart = performance.now();
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      const heads = this.heads(layer);
      const made = keeps && !this.dense(layer) ? new Float32Array(heads * n * n) : null;
      for (let token = 0; token < n; token++) {
        const out = layers[layer].subarray(token * n, (token + 1) * n);
        for (let head = 0; head < heads; head++) {
          const place = made ? made.subarray((head * n + token) * n, (head * n + token + 1) * n) : scratch;
          combine(out, this.rowOfToken(layer, head, token, place), fusion, head, heads);
        }
        if (performance.now() - sliceStart > 12) {
          onProgress((layers.length - 1 - layer + token / n) / layers.length);
          await new Promise((resume) => setTimeout(resume));
          if (isStale()) {
            delete this.fused[fusion];
            return;
          }
          sliceStart = performance.now();
        }
      }
      if (made) this.keep(layer, made);
    }
    layers.sums = layers.map((fused) => rowSums(fused, n));
    layers.ready = true;
    onProgress(1);
  }

  keep(layer, maps) {
    this.kept[layer] = maps;
    for (const factor of ["q", "k"]) this.payload.decoded.delete(`${factor}.${layer}`); // twice the memory for nothing
  }

  // Multiply the matrices of the layers, so that any rollout is a row or a column that is there: 66 products of a vector
  // and a matrix less for each move of the hand. Until then, and for another residual, `rollout` does without.
  async joinAll(fusion, residual, isStale) {
    if (!this.hasFused(fusion) || this.isJoint(fusion, residual)) return;
    const joint = (this.joint = { fusion, residual, layers: [] });
    const n = this.tokens;
    const fused = this.fused[fusion];
    const one = new Float32Array(n);
    let sliceStart = performance.now();
    for (let layer = 0; layer < fused.length; layer++) {
      const matrix = new Float32Array(n * n);
      for (let token = 0; token < n; token++) {
        one.fill(0)[token] = 1;
        const row = this.pushBack(one, fused[layer], fused.sums[layer], residual);
        matrix.set(layer ? product(row, joint.layers[layer - 1]) : row, token * n);
        if (performance.now() - sliceStart > 12) {
          await new Promise((resume) => setTimeout(resume));
          if (isStale() || this.joint !== joint) return;
          sliceStart = performance.now();
        }
      }
      joint.layers.push(matrix);
    }
  }

  isJoint(fusion, residual) {
    return this.joint?.fusion === fusion && this.joint.residual === residual;
  }

  // Rollout through `layer` for a query: its row ("from") or the column of one token ("to").
  rollout(layer, query, direction, fusion, residual) {
    const name = this.nameOf(query);
    if (!this.hasFused(fusion)) {
      if (direction !== "from" || fusion !== "mean" || residual !== 0.5 || !this.isNamed(query)) return null;
      return this.payload.get(`rollout.${name}`).subarray(layer * this.tokens, (layer + 1) * this.tokens);
    }
    const n = this.tokens;
    const joint = this.isJoint(fusion, residual) && this.joint.layers[layer];
    if (joint && direction === "to") return Float32Array.from({ length: n }, (_, i) => joint[i * n + query]);
    if (joint) return typeof query === "string" ? product(this.weights(query), joint) : joint.subarray(query * n, (query + 1) * n);
    const fused = this.fused[fusion];
    let r = this.weights(query);
    if (direction === "from") for (let l = layer; l >= 0; l--) r = this.pushBack(r, fused[l], fused.sums[l], residual);
    else for (let l = 0; l <= layer; l++) r = this.pushForward(r, fused[l], fused.sums[l], residual);
    return r;
  }

  weights(query) {
    const r = new Float32Array(this.tokens);
    if (typeof query !== "string") r[query] = 1;
    else r.set(this.payload.get(`weights.${query}`));
    return r;
  }

  pushBack(r, fused, sums, residual) {
    const n = this.tokens;
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      if (r[i] === 0) continue;
      const weight = r[i] / rowTotal(sums[i], residual);
      const share = weight * (1 - residual);
      for (let j = 0; j < n; j++) out[j] += share * fused[i * n + j];
      out[i] += weight * residual;
    }
    return out;
  }

  pushForward(c, fused, sums, residual) {
    const n = this.tokens;
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += fused[i * n + j] * c[j];
      out[i] = ((1 - residual) * sum + residual * c[i]) / rowTotal(sums[i], residual);
    }
    return out;
  }
}

// out[j] = the product of the vector at `from` in `vectors` with row j of `rows`, whose first begins at `start`.
// Four rows at a time: the sums do not wait for one another, which is 1.7 times as fast as row by row.
function dots(vectors, from, rows, start, width, out) {
  let j = 0;
  for (; j + 3 < out.length; j += 4) {
    const a = start + j * width;
    const b = a + width;
    const c = b + width;
    const d = c + width;
    let [sumA, sumB, sumC, sumD] = [0, 0, 0, 0];
    for (let i = 0; i < width; i++) {
      const value = vectors[from + i];
      sumA += value * rows[a + i];
      sumB += value * rows[b + i];
      sumC += value * rows[c + i];
      sumD += value * rows[d + i];
    }
    out[j] = sumA;
    out[j + 1] = sumB;
    out[j + 2] = sumC;
    out[j + 3] = sumD;
  }
  for (; j < out.length; j++) {
    out[j] = 0;
    for (let i = 0; i < width; i++) out[j] += vectors[from + i] * rows[start + j * width + i];
  }
}

// r @ matrix, four rows at a time.
function product(r, matrix) {
  const n = r.length;
  const out = new Float32Array(n);
  let i = 0;
  for (; i + 3 < n; i += 4) {
    const [a, b, c, d] = [i * n, (i + 1) * n, (i + 2) * n, (i + 3) * n];
    const [rA, rB, rC, rD] = [r[i], r[i + 1], r[i + 2], r[i + 3]];
    for (let j = 0; j < n; j++) out[j] += rA * matrix[a + j] + rB * matrix[b + j] + rC * matrix[c + j] + rD * matrix[d + j];
  }
  for (; i < n; i++) for (let j = 0; j < n; j++) out[j] += r[i] * matrix[i * n + j];
  return out;
}

// The sum of each row of a fused matrix: 1 for the mean of the heads, more for max, less for min.
function rowSums(fused, n) {
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += fused[i * n + j];
    return sum;
  });
}

// What a row of residual * I + (1 - residual) * fused sums to.
function rowTotal(sum, residual) {
  return residual + (1 - residual) * sum || 1;
}

// Take one more head into `out`.
function combine(out, row, fusion, head, heads) {
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
