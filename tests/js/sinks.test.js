// Which patches are sinks, as a page without a server finds them, and where a layer stands among those that have some.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sinks } from "../../vizapp/browser/engine/sinks.js";
import { whenOf } from "../../vizapp/ui/viewer/numbers/sinks.js";
import { SINK_MUCH } from "../../vizapp/vocabulary.js";

test("a layer without sinks is before, behind or between those that have some", () => {
  const found = [
    [3, 4, 0.2, 2, 2],
    [1, 1, 0.1, 4, 6],
  ];
  const said = [0, 1, 3, 7, 8].map((layer) => whenOf(layer, found));
  assert.deepEqual(said, ["before", "before", "between", "after", "after"]);
});

test("a sink is far longer than its kind, and gets more than so many even shares of all tokens, those before the patches too", () => {
  const tokens = { prefix: ["cls", "reg1", "reg2", "reg3", "reg4"], grid: [2, 8] };
  const even = 1 / 21;
  const found = (length, share) => {
    const norms = Float32Array.from({ length: 21 }, (_, token) => (token === 5 + 6 ? length : 1 + 0.01 * (token % 3)));
    const received = Float32Array.from({ length: 21 }, (_, token) => (token === 5 + 6 ? share : even));
    return sinks(tokens, [norms.map(() => 1), norms], [received, received]);
  };
  const [sink, ...others] = found(30, 1.1 * SINK_MUCH * even);
  assert.deepEqual([sink[0], sink[1], sink[3], sink[4], others.length], [0, 6, 1, 1, 0]);
  assert.ok(Math.abs(sink[2] - 1.1 * SINK_MUCH * even) < 1e-6);
  assert.deepEqual(found(30, 0.9 * SINK_MUCH * even), [], "long, and looked at by few");
  assert.deepEqual(found(1.5, 1.1 * SINK_MUCH * even), [], "looked at, and as long as others");
});
