// Rows, columns, fused heads and rollout, made from what travels, are those of Python.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fuseHeads } from "../../vizapp/ui/viewer/numbers/fuse.js";
import { NETS, assertClose, attentionOf, expected, payloadOf, skip } from "./fixtures.js";

for (const net of NETS) {
  test(`rows and columns of ${net}`, { skip }, () => {
    const attention = attentionOf(payloadOf(net));
    expected(net).maps.forEach(({ layer, token, rows, columns }) => {
      rows.forEach((row, head) => assertClose(attention.row(layer, head, token), row, `layer ${layer}, head ${head}, ${token}`));
      columns?.forEach((column, head) => assertClose(attention.column(layer, head, token), column, `to ${token}`));
    });
  });

  test(`fused heads of ${net}`, { skip }, () => {
    const attention = attentionOf(payloadOf(net));
    for (const { layer, token, fused } of expected(net).maps) {
      for (const [fusion, row] of Object.entries(fused)) {
        assertClose(fuseHeads(attention.maps(layer, token, "from"), fusion), row, fusion);
      }
    }
  });

  test(`rollout of ${net}`, { skip }, async () => {
    const attention = attentionOf(payloadOf(net));
    const { rollouts } = expected(net);
    for (const { layer, query, fusion, skipWeight, values } of rollouts) {
      await attention.fuseAll(
        fusion,
        () => {},
        () => false,
      );
      const found = attention.rollout(layer, query, "from", fusion, skipWeight);
      assertClose(found.subarray(found.length - values.length), values, `${query} through ${layer}, ${fusion}, ${skipWeight}`);
    }
  });
}

test("rollout from matrices that were multiplied ahead is the same, rows and columns", { skip }, async () => {
  const attention = attentionOf(payloadOf("plain"));
  await attention.fuseAll(
    "mean",
    () => {},
    () => false,
  );
  const last = attention.layers.length - 1;
  const all = (direction) =>
    Array.from({ length: attention.tokens }, (_, i) => [...attention.rollout(last, i, direction, "mean", 0.3)]);
  const before = { from: all("from"), to: all("to") };
  await attention.joinAll("mean", 0.3, () => false);
  assert.equal(attention.joint.layers.length, last + 1);
  for (const direction of ["from", "to"]) all(direction).forEach((row, i) => assertClose(row, before[direction][i], direction));
});

test("what is stale is not made", { skip }, async () => {
  const attention = attentionOf(payloadOf("plain"));
  const { now } = performance;
  let time = 0;
  performance.now = () => (time += 100); // each look at the clock says that a slice is over
  try {
    await attention.fuseAll(
      "max",
      () => {},
      () => true,
    );
  } finally {
    performance.now = now;
  }
  assert.equal(attention.hasFused("max"), false);
});
