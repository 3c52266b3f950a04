// Where a map lies, in words: of maps that were planted.

import assert from "node:assert/strict";
import test from "node:test";
import { Layout } from "../../vizapp/ui/viewer/numbers/layout.js";
import { spread } from "../../vizapp/ui/viewer/numbers/spread.js";

const layout = new Layout({ prefix: ["cls"], grid: [6, 7] }, [0, 0, 1, 1]);

/** @param {Record<string, number>} cells */
function mapOf(cells, rest = 0) {
  const values = new Float32Array(layout.tokens).fill(rest);
  values[0] = 0.5; // on CLS, which is in no part of the picture
  for (const [cell, value] of Object.entries(cells)) values[layout.tokenOf(cell.split(",").map(Number))] = value;
  return values;
}

test("most of it lies in as few patches as hold 80 %, in a corner", () => {
  const values = mapOf({ "4,5": 0.2, "4,6": 0.1, "5,6": 0.1, "0,0": 0.09 });
  assert.deepEqual(spread(values, layout), { patches: 3, all: 42, part: "lower_right" });
});

test("an even map is all over the picture, in 80 % of the patches", () => {
  assert.deepEqual(spread(mapOf({}, 0.01), layout), { patches: 34, all: 42, part: "all_all" });
});

test("a row of patches lies along the top, one patch in the middle", () => {
  const row = Object.fromEntries([...Array(7).keys()].map((col) => [`0,${col}`, 0.1]));
  assert.deepEqual(spread(mapOf(row), layout), { patches: 6, all: 42, part: "upper_all" });
  assert.deepEqual(spread(mapOf({ "2,2": 0.1 }), layout), { patches: 1, all: 42, part: "middle_middle" });
});

test("a map without any weight lies nowhere", () => assert.equal(spread(mapOf({}), layout), null));
