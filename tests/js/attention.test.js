// Rows, columns, fused heads and rollout, made from what travels, are those of Python.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Attention } from "../../vizapp/ui/viewer/numbers/attention.js";
import { Chain } from "../../vizapp/ui/viewer/numbers/chain.js";
import { factorsOf, fuseHeads } from "../../vizapp/ui/viewer/numbers/fuse.js";
import { Selectors } from "../../vizapp/ui/viewer/selectors.js";
import { FURTHER, NETS, WAYS, assertClose, attentionBy, attentionOf, expected, payloadOf, skip } from "./fixtures.js";

for (const net of [...NETS, ...FURTHER]) {
  for (const way of Object.keys(WAYS)) {
    test(`rows and columns of ${net}, ${way}`, { skip }, () => {
      const attention = attentionBy(way, payloadOf(net));
      expected(net).maps.forEach(({ layer, token, rows, columns }) => {
        rows.forEach((row, head) =>
          assertClose(attention.row(layer, head, token), row, `layer ${layer}, head ${head}, ${token}`),
        );
        columns?.forEach((column, head) => assertClose(attention.column(layer, head, token), column, `to ${token}`));
      });
    });
  }

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

for (const net of NETS)
  test(`an even spread of ${net} is one over what a query sees`, { skip }, () => {
    const selectors = new Selectors(payloadOf(net), attentionOf(payloadOf(net)), () => {});
    for (const { layer, token, even } of expected(net).maps) assert.equal(selectors.reaches.count(layer, token), even);
    expected(net).evenOfMean.forEach((even, layer) => assert.equal(selectors.reaches.count(layer, "mean"), even));
  });

test("a token whose row has nothing stays what it is, also without the skip connection, as in Python", () => {
  assert.deepEqual([factorsOf(0, 0), factorsOf(0, 0.25), factorsOf(1, 0.25)], [[0, 1], [3, 1], [0.75, 0.25]]); // prettier-ignore
  // The first of two tokens looks at nothing, the second at the first.
  const [matrix, sums, r] = [Float32Array.of(0, 0, 1, 0), [0, 1], Float32Array.of(0.5, 0.5)];
  const its = { tokens: 2 };
  assert.deepEqual([...Attention.prototype.pushBack.call(its, r, matrix, sums, 0)], [1, 0]);
  assert.deepEqual([...Attention.prototype.pushForward.call(its, Float32Array.of(1, 0), matrix, sums, 0)], [1, 1]);
  const layout = { tokens: 2, first: 0, grid: [1, 2] };
  const chain = Object.assign(Object.create(Chain.prototype), {
    ...{ layers: [{ queries: layout, keys: layout }], onto: [{ queries: [0, 1] }], finest: layout, first: 0 },
  });
  const step = chain.step(matrix, 2, [0, 1], [0, 1], 0);
  assert.deepEqual([...chain.back(0, r, step, 0)], [1, 0]);
  assert.deepEqual([...chain.back(0, r, step, 0.5)], [0.75, 0.25]);
});

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

test("of the mean of the heads alone any query is had, rows, columns and rollout, and no head", { skip }, async () => {
  const attention = attentionOf(payloadOf("means"));
  const whole = attentionOf(payloadOf("plain"));
  const { maps, rollouts } = expected("plain");
  assert.ok(attention.payload.isMean && attention.payload.canRoll && !attention.payload.isLarge);
  for (const { layer, token, rows, fused } of maps) {
    const isNamed = attention.isNamed(layer, token);
    assert.equal(attention.ready(layer, token, "from"), isNamed);
    if (isNamed) rows.forEach((row, head) => assertClose(attention.row(layer, head, token), row, `head ${head}`));
    const mean = attention.fuse(layer, token, "from", "mean");
    fused.mean.forEach((value, i) =>
      assert.ok(Math.abs(mean[i] - value) <= Math.min(5e-4, 0.02 * value) + 1e-6, `${mean[i]}, not ${value}`),
    );
    assert.equal(attention.fuse(layer, token, "from", "max") === null, !isNamed);
    const column = whole.fuse(layer, token, "to", "mean");
    attention.fuse(layer, token, "to", "mean").forEach((value, i) => assert.ok(Math.abs(value - column[i]) <= 1e-3));
  }
  const silent = [() => {}, () => false];
  await attention.fuseAll("max", ...silent);
  assert.ok(!attention.hasFused("max"), "of means there is no largest");
  await attention.fuseAll("mean", ...silent);
  for (const { layer, query, fusion, skipWeight, values } of rollouts.filter((one) => one.fusion === "mean")) {
    const found = attention.rollout(layer, query, "from", fusion, skipWeight);
    found.subarray(found.length - values.length).forEach((value, i) => assert.ok(Math.abs(value - values[i]) <= 1e-3));
  }
});

test("in windows that overlap a column is what the rows say", () => {
  const [slots, windows] = [2, 3];
  const dense = Float32Array.of(0.9, 0.1, 0.4, 0.6, 0.3, 0.7, 0.8, 0.2, 0.5, 0.5, 0.25, 0.75);
  const at = Int32Array.of(0, 1, 1, 2, 2, 3); // the tokens of each window
  const tokens = 4;
  const layer = {
    kind: "dense",
    windowed: true,
    heads: 1,
    windows,
    slots,
    keySlots: slots,
    queries: { tokens, prefix: [] },
    keys: { tokens, prefix: [] },
  };
  const blocks = { "dense.0": dense, "queries.0": at, "keys.0": at };
  const payload = {
    layers: [layer],
    finest: { tokens },
    named: [],
    isPlain: true,
    has: (name) => name in blocks,
    get: (name) => blocks[name],
  };
  const attention = new Attention(payload, null);
  const rows = [0, 1, 2, 3].map((query) => attention.row(0, 0, query));
  for (const token of [0, 1, 2, 3]) {
    assertClose(
      attention.column(0, 0, token),
      rows.map((row) => row[token]),
      `to ${token}`,
    );
  }
});

test("a fusion that nobody knows makes no map", () => {
  assert.throws(() => fuseHeads([new Float32Array(2)], /** @type {any} */ ("sum")), /'sum' is no head fusion/);
});
