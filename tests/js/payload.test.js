// The file that streams in: known from its first piece on, and never read where it has not arrived.

import assert from "node:assert/strict";
import { test } from "node:test";
import { halfToFloat } from "../../vizapp/ui/viewer/numbers/half.js";
import { Layout } from "../../vizapp/ui/viewer/numbers/layout.js";
import { Payload } from "../../vizapp/ui/viewer/numbers/payload.js";
import { Queries } from "../../vizapp/ui/viewer/numbers/query.js";
import { NETS, attentionOf, bytesOf, expected, payloadOf, skip } from "./fixtures.js";

test("half precision", () => {
  const bits = [0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xc000, 0x7bff, 0x7c00, 0xfc00];
  const values = [0, -0, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 1, -2, 65504, Infinity, -Infinity];
  assert.deepEqual([...halfToFloat(Uint16Array.from(bits))], values);
  assert.ok(Number.isNaN(halfToFloat(Uint16Array.of(0x7e00))[0]));
});

for (const net of NETS) {
  test(`${net}, as it arrives`, { skip }, () => {
    const bytes = bytesOf(net);
    const { start } = payloadOf(net);
    assert.equal(Payload.parse(bytes, 7), null);
    assert.equal(Payload.parse(bytes, start - 1), null, "half a header is none");
    const payload = Payload.parse(bytes, start);
    assert.equal(payload.has("picture"), false);
    const ends = Object.entries(payload.blocks).map(([name, [offset, kind, shape]]) => {
      const size = { bytes: 1, f16: 2, f32: 4, i32: 4 }[kind] * shape.reduce((a, b) => a * b, 1);
      return [name, start + offset + size];
    });
    for (const [name, end] of ends) {
      payload.arrived = end - 1;
      assert.equal(payload.has(name), false, name);
      payload.arrived = end;
      assert.equal(payload.has(name), true, name);
    }
    payload.arrived = bytes.length;
    assert.ok(payload.complete && payload.hasFirst() && payload.layers.every((_, layer) => payload.hasLayer(layer)));
    assert.deepEqual(
      payload.layouts.map(({ grid }) => grid),
      expected(net).grids,
    );
  });
}

test("a row waits for its layer, that of a named query does not", { skip }, () => {
  const payload = payloadOf("plain");
  payload.arrived = payload.start + payload.blocks["q.0"][0]; // the last layer comes first
  const attention = attentionOf(payload);
  assert.equal(attention.ready(0, 5), false);
  assert.equal(attention.ready(2, 5), true);
  assert.equal(attention.ready(0, 0), true);
});

test("a place on the picture is the same patch there and back, on every grid", () => {
  const window = [-0.1, 0.2, 1.1, 0.8]; // padded at the sides, cropped above and below
  const layouts = [
    [16, 16],
    [8, 8],
    [7, 5],
  ].map((grid) => new Layout({ prefix: ["cls"], grid }, window));
  const payload = {
    window,
    layers: layouts.map((layout) => ({ queries: layout, keys: layout })),
    layouts,
    named: [],
    readout: "cls",
  };
  const queries = new Queries(payload);
  layouts.forEach((layout, layer) => {
    for (let token = 0; token < layout.tokens; token++) {
      const cell = layout.cellOf(token);
      if (!cell) continue;
      const place = queries.toPicture(layout.centreOf(cell));
      assert.equal(queries.in(layer, queries.chosen({ place, token: null })), token);
    }
  });
  const corner = queries.toPicture(layouts[1].centreOf([3, 3])); // lies where four patches of the finer grid meet
  assert.deepEqual(layouts[0].cellOf(queries.in(0, queries.chosen({ place: corner, token: null }))), [7, 7]);
  assert.deepEqual(queries.chosen({ place: null, token: "reg7" }), { name: "cls" }, "a token of another network");
});
