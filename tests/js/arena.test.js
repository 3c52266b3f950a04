// A vector with many rows, four values at a time: the products of plain arrays, whatever the sizes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dots } from "../../vizapp/ui/viewer/numbers/products.js";
import { Arena, arenaOf, load } from "../../vizapp/ui/viewer/numbers/arena.js";
import { ROWS } from "./fixtures.js";

const random = (seed) => () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;

function filled(array, seed) {
  const next = random(seed);
  return array.map(next);
}

for (const width of [1, 2, 4, 6, 8, 12, 64]) {
  for (const count of [1, 2, 3, 4, 5, 7, 8, 785]) {
    test(`${count} rows of ${width}`, () => {
      load(ROWS);
      const arena = Arena.of(width * (count + 1), Math.max(width, count));
      const [vectors, plain] = [filled(new Float32Array(3 * width), 7), filled(new Float32Array(width * (count + 1)), 3)];
      const rows = arena.take(plain.length);
      rows.set(plain);
      assert.equal(arenaOf(rows), arena);
      assert.equal(arenaOf(plain), undefined);
      const [found, wanted] = [new Float64Array(count), new Float64Array(count)];
      dots(vectors, width, rows, width, width, found, count);
      for (let j = 0; j < count; j++) {
        for (let i = 0; i < width; i++) wanted[j] += vectors[width + i] * plain[width + j * width + i];
      }
      wanted.forEach((value, j) => assert.ok(Math.abs(found[j] - value) < 1e-5, `${j}: ${found[j]}, not ${value}`));
      assert.deepEqual([...rows], [...plain], "the rows are what they were");
      dots(rows, width, rows, width, width, found, count); // a row of its own, as a query among the keys
      const own = plain.slice(width, 2 * width).reduce((sum, value) => sum + value * value, 0);
      assert.ok(Math.abs(found[0] - own) < 1e-5);
    });
  }
}

test("two arrays lie apart, and what does not fit has no place", () => {
  load(ROWS);
  const arena = Arena.of(40000, 8); // more than two pages of 64 kB
  const [a, b] = [arena.take(20000).fill(1), arena.take(20000).fill(2)];
  assert.ok(a.every((value) => value === 1) && b.every((value) => value === 2));
  assert.equal(arena.take(20000), null);
});

test("without rows.wasm, with one that no browser reads, and for more than there is, there is no arena", () => {
  load(null);
  assert.equal(Arena.of(100, 8), null);
  load(Uint8Array.of(1, 2, 3));
  assert.equal(Arena.of(100, 8), null);
  load(ROWS);
  assert.equal(Arena.of(2 ** 30, 8), null);
  assert.equal(Arena.of(0, 8), null, "nothing would lie in it");
  assert.ok(Arena.of(100, 8));
  load(null);
});
