// Numbers of one map whose answer is known.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Layout } from "../../vizapp/ui/viewer/numbers/layout.js";
import { measures, ranked } from "../../vizapp/ui/viewer/numbers/measures.js";

const layout = new Layout({ prefix: ["cls"], grid: [2, 4] }, [0, 0, 1, 1]);
const about = { cell: null, grid: [2, 4], input: [20, 80], sinks: [] };

test("even attention has the logarithm of the tokens for its entropy, one token none", () => {
  assert.ok(Math.abs(measures(new Float32Array(9).fill(1 / 9), layout, about).entropy - Math.log(9)) < 1e-6);
  assert.equal(measures(Float32Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0), layout, about).entropy, 0);
});

test("weights that are no shares have no entropy", () => {
  assert.equal(measures(Float32Array.of(1.2, -0.2, 0, 0, 0, 0, 0, 0, 0), layout, about).entropy, null);
});

test("distance is in pixels of the input, weighed by what falls on patches", () => {
  // from the patch [1, 2]: half of what falls on patches one row up (10 px), half two columns to the left (40 px)
  const values = Float32Array.of(0.5, 0, 0, 0.25, 0, 0.25, 0, 0, 0);
  assert.ok(Math.abs(measures(values, layout, { ...about, cell: [1, 2] }).distance - 25) < 1e-6);
  assert.equal(measures(values, layout, about).distance, null, "CLS has no place");
});

test("what falls on CLS and on sinks", () => {
  const values = Float32Array.of(0.5, 0, 0, 0.25, 0, 0.25, 0, 0, 0);
  assert.equal(measures(values, layout, about).cls, 0.5);
  assert.equal(measures(values, layout, about).sinks, null, "not known");
  assert.equal(
    measures(values, layout, {
      ...about,
      sinks: [
        [0, 2],
        [1, 3],
      ],
    }).sinks,
    0.25,
  );
});

test("heads stand with what looks at the fewest or the farthest in front, those without a number at the end", () => {
  const heads = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ];
  const numbers = { "0,0": 2, "0,1": null, "1,0": 2, "1,1": 5 };
  const names = (by) => ranked(heads, (head) => numbers[head.join()], by).map(String);
  for (const by of ["distance", "cls", "sinks", "score"]) assert.deepEqual(names(by), ["1,1", "0,0", "1,0", "0,1"], by);
  assert.deepEqual(names("entropy"), ["0,0", "1,0", "1,1", "0,1"]);
  assert.equal(
    ranked(heads, () => null, "score"),
    null,
  );
});
