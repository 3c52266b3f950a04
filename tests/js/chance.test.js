// How many random orders are as good as a map, and when no more are drawn: as Python has it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rankCorrelation } from "../../vizapp/browser/page/methods/agreement.js";
import { MEASURES, asGood, meanOf, needed, owed } from "../../vizapp/browser/page/methods/chance.js";
import { difference } from "../../vizapp/browser/page/methods/difference.js";
import { told } from "../../vizapp/browser/page/methods/told.js";
import { written } from "../../vizapp/ui/views/methods.js";
import { ORDERS, ORDERS_AT_ONCE } from "../../vizapp/vocabulary.js";
import { expected, skip } from "./fixtures.js";

// Of a map, the areas at the points of random orders count, and of these all areas: the others here are of nothing.
const ends = { share: [0, 1], deletion: [1, 0], insertion: [0, 1] };
const curves = (deletion, insertion) => ({ ...ends, areas: [0.45, 0.45], coarse: [deletion, insertion] });
const order = (deletion, insertion) => ({ ...ends, areas: [deletion, insertion], coarse: [0.45, 0.45] });

test("chance is counted as in Python, also where areas are equal", { skip }, () => {
  for (const { own, drawn, met, owed: left } of expected("chance")) {
    const [maps, orders] = [own.map((areas) => curves(...areas)), drawn.map((areas) => order(...areas))];
    const found = maps.map((one) => MEASURES.map((_, measure) => asGood(one, orders, measure)));
    assert.deepEqual(found, met);
    assert.equal(owed(maps, orders), left);
  }
});

test("all orders are drawn for a map that none equals, and the mean is theirs", () => {
  const drawn = Array.from({ length: ORDERS }, (_, i) => order(0.5 + i / 100, 0.5));
  assert.equal(owed([curves(0.1, 0.9)], drawn.slice(0, ORDERS - 1)), 1);
  assert.equal(owed([curves(0.1, 0.9)], drawn), 0);
  assert.equal(owed([curves(0.9, 0.1)], drawn.slice(0, ORDERS_AT_ONCE)), 0, "it has met one as good as itself");
  assert.ok(Math.abs(meanOf(drawn).areas[0] - 0.59) < 1e-9);
  assert.deepEqual(meanOf(drawn).share, [0, 1]);
});

test("maps have the random orders that Python draws for them, also where more were drawn for others", () => {
  const drawn = Array.from({ length: ORDERS }, (_, i) => order(0.3 + i / 100, 0.5));
  const [good, bad] = [curves(0.1, 0.9), curves(0.9, 0.1)];
  assert.equal(needed([good], drawn).length, ORDERS);
  assert.equal(needed([bad], drawn).length, ORDERS_AT_ONCE);
  assert.equal(needed([good, bad], drawn).length, ORDERS);
  assert.equal(needed([good], drawn.slice(0, 7)).length, 7);
});

test("maps agree as in Python: equal values share their rank, and a constant map has no order", { skip }, () => {
  const { maps, rho } = expected("agreement");
  rankCorrelation(maps).forEach((row, i) =>
    row.forEach((value, j) => {
      if (rho[i][j] === null) assert.ok(Number.isNaN(value));
      else assert.ok(Math.abs(value - rho[i][j]) < 1e-12);
    }),
  );
});

test("two maps differ by their shares of their own largest values", () => {
  assert.deepEqual([...difference(Float32Array.of(1, -2, 0), Float32Array.of(0, 0, 4))], [0.5, -1, -1]);
  assert.deepEqual([...difference(Float32Array.of(0, 0), Float32Array.of(0, 3))], [0, -1]);
});

test("of a map it is told how many it beats, in words and as a share", () => {
  const orders = [0.1, 0.2, 0.3, 0.4].map((area) => order(area, 0.5));
  const map = { values: new Float32Array(1), src: "", bounds: [0, 1], curves: curves(0.15, 0.6) };
  const payload = { grid: [1, 1], bitmap: { width: 1, height: 1 } };
  const results = /** @type {any} */ ({
    methods: [{ name: "rollout" }],
    of: () => map,
    drawn: orders,
    isAsked: () => true,
    payload,
  });
  const page = new Proxy({}, { get: (_, key) => (key === "beaten" ? "{n} of {of}" : "") });
  const [{ maps }] = told(results, /** @type {any} */ ({ page, export: {} })).methods;
  assert.deepEqual(maps[0].told.numbers.map(({ beaten }) => beaten), ["3 of 4", "4 of 4"]); // prettier-ignore
});

test("beside a patch stand three digits, and beside a hidden one a word", () => {
  const said = [0, 0.12345, 1e-7, -2, null].map((score) => written(score, { hidden: "hidden" }));
  assert.deepEqual(said, ["0", "0.123", "1.00e-7", "-2", "hidden"]);
});
