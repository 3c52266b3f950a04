// Where a layer stands among those that have sinks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { whenOf } from "../../vizapp/ui/viewer/numbers/sinks.js";

test("a layer without sinks is before, behind or between those that have some", () => {
  const found = [
    [3, 4, 0.2, 2, 2],
    [1, 1, 0.1, 4, 6],
  ];
  const said = [0, 1, 3, 7, 8].map((layer) => whenOf(layer, found));
  assert.deepEqual(said, ["before", "before", "between", "after", "after"]);
});
