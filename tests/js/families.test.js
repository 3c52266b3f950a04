// The forward pass of each family against Python's numbers, which tests/page/test_browser_engine.py has written.

import { readdirSync } from "node:fs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fastHeadMap } from "../../vizapp/browser/engine/maps.js";
import { meanOf } from "../../vizapp/browser/engine/queries.js";
import { FOLDER, KERNELS, below, expected, kernels, off, open, row } from "./engine.js";

const skip = FOLDER ? false : "no fixtures: `pytest tests/page/test_browser_engine.py` makes them";
const CASES = FOLDER ? readdirSync(FOLDER).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : [])) : [];

for (const name of CASES) {
  for (const wasm of KERNELS) {
    test(`${name}, ${wasm}`, { skip }, async () => {
      const { numbers, bound } = expected(name);
      const net = await open(name, {}, wasm);
      const { tokens } = net;
      const { depth, heads, headDim } = net.header;
      const first = net.forward(numbers.pixels).logits;
      const pass = net.forward(numbers.pixels, { keep: true });
      assert.deepEqual(pass.logits, first, "a second pass over the same memory gives the same");
      below(off(pass.logits, numbers.logits), bound, "logits");
      const headMap = await fastHeadMap(kernels(wasm), tokens, headDim);
      const [map, lse] = [new Float32Array(tokens * tokens), new Float32Array(tokens)];
      for (let l = 0; l < depth; l++) {
        const layer = pass.layers[l];
        for (const what of ["q", "k"]) below(off(layer[what], numbers[`${what}.${l}`]), bound, `${what} of layer ${l}`);
        below(off(pass.tokens(l), numbers[`tokens.${l}`]), bound, `tokens after layer ${l}`);
        below(off(pass.norms.subarray(l * tokens, (l + 1) * tokens), numbers[`norms.${l}`]), bound, `norms of layer ${l}`);
        for (let head = 0; head < heads; head++) {
          const part = [head * tokens * headDim, (head + 1) * tokens * headDim];
          headMap(layer.q.subarray(...part), layer.k.subarray(...part), tokens, headDim, map, lse, layer.bias?.(head));
          const wanted = numbers[`maps.${l}`].subarray(head * tokens * tokens, (head + 1) * tokens * tokens);
          below(off(map, wanted), 10 * bound, `map of layer ${l}, head ${head}`);
          for (const token of [0, tokens - 1])
            below(off(row(layer, head, token, tokens), wanted.subarray(token * tokens, (token + 1) * tokens)), 10 * bound, "row");
        }
      }
      assert.equal(Boolean(pass.pool), "pool" in numbers);
      if (pass.pool) below(off(meanOf(pass.pool, tokens), numbers.pool), 10 * bound, "what the pooling looks at");
    });
  }
}
