// The metrics are Python's, on masks that cut through patches, and on maps with equals, zeros and negatives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { METRICS, Target, centrePrior, long, short } from "../../vizapp/ui/viewer/numbers/score.js";
import { Rest } from "../../vizapp/ui/viewer/numbers/rest.js";
import { Scores } from "../../vizapp/ui/viewer/numbers/scores.js";
import { expected, skip } from "./fixtures.js";

test("scores", { skip }, () => {
  const { cases, prior } = expected("scores");
  assert.ok(cases.length >= 3);
  for (const { mask, size, grid, maps, scores } of cases) {
    const target = new Target(Uint8Array.from(mask), size, grid);
    assert.deepEqual(Object.keys(scores).sort(), Object.keys(METRICS).sort(), "every metric has its twin");
    for (const [metric, values] of Object.entries(scores)) {
      maps.forEach((map, i) => {
        const found = METRICS[metric](Float32Array.from(map), target);
        assert.ok(Math.abs(found - values[i]) < 1e-6, `${metric} of map ${i}: ${found}, not ${values[i]}`);
      });
    }
  }
  assert.ok(centrePrior(prior.grid).every((value, i) => Math.abs(value - prior.values[i]) < 1e-6));
});

test("nothing and everything cannot be measured against", () => {
  assert.equal(new Target(new Uint8Array(64), [8, 8], [2, 2]).isUsable, false);
  assert.equal(new Target(new Uint8Array(64).fill(1), [8, 8], [2, 2]).isUsable, false);
});

test("the best head is the first of the best, and no fused map", () => {
  const target = new Target(
    Uint8Array.from({ length: 16 }, (_, i) => Number(i === 0)),
    [4, 4],
    [4, 4],
  );
  const layout = { first: 0, grid: [4, 4] };
  const map = (at) => ({ layout, values: Float32Array.from({ length: 16 }, (_, i) => Number(i === at)) });
  const scores = new Scores({ grid: [4, 4] }, () => {});
  const truth = { target, targetOn: () => target };
  const { table, best, isBest } = scores.of(
    [
      [map(3), map(0), map(0)],
      [null, undefined, map(1)],
    ],
    truth,
    "energy",
    2,
  );
  assert.deepEqual(table, [
    [0, 1, 1],
    [null, null, 0],
  ]);
  assert.deepEqual(best, { row: 0, column: 1 });
  assert.deepEqual([isBest(0, 1), isBest(0, 2)], [true, false]);
  assert.equal(scores.of([], { target: null }, "energy", 2), null);
});

test("as numbers are read", () => {
  const words = { say: (key) => key.toUpperCase() };
  assert.equal(short(0.874, { format: "share" }), "87");
  assert.equal(short(2.345, { format: "times" }), "2.3");
  assert.equal(short(1, { format: "hit" }), "\u2713");
  assert.equal(long(0, { format: "hit" }, words), "NO");
  assert.equal(long(0.5, { format: "hit" }, words), "50\u00a0%");
  assert.equal(long(0.876, { format: "area" }, words), "0.88");
});

test("slow work waits until the hand rests", async () => {
  let done = 0;
  const rest = new Rest(() => (done += Number(!rest.waits())));
  assert.equal(rest.waits(), false);
  rest.cost = 100;
  assert.equal(rest.waits(), true);
  assert.equal(rest.waits(), true);
  await new Promise((later) => setTimeout(later, 250));
  assert.equal(done, 1);
});
