// What a query can see, under masks and in windows, is what Python's numbers say; and it is drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ColourMap } from "../../vizapp/ui/viewer/drawing/colour.js";
import { legendOf } from "../../vizapp/ui/viewer/drawing/bar.js";
import { mapSentence } from "../../vizapp/ui/viewer/names.js";
import { Payload } from "../../vizapp/ui/viewer/numbers/payload.js";
import { Reach } from "../../vizapp/ui/viewer/numbers/reach.js";
import { Selectors } from "../../vizapp/ui/viewer/selectors.js";
import { attentionOf, expected, payloadOf, skip } from "./fixtures.js";

const BARE = {
  layer: 0,
  head: 0,
  method: "attention",
  fusion: "mean",
  direction: "from",
  skipWeight: 0.5,
  hover: null,
  place: null,
};
const STATE = {
  ...BARE,
  token: null,
  pinned: false,
  crossBlock: null,
  crossQuery: 0,
  scale: "map",
  shapes: [],
  metric: "energy",
  sinksFound: {},
};

for (const [net, numbers] of [
  ["masked", "masked"],
  ["windows", "windows-seen"],
  ["plain", null],
]) {
  test(`what each query of ${net} sees, and who sees each key`, { skip }, () => {
    const payload = payloadOf(net);
    const reach = new Reach(payload, attentionOf(payload));
    payload.layers.forEach(({ queries, keys }, layer) => {
      if (!numbers) return assert.equal(reach.of(layer, 0, "from"), null);
      const rows = expected(numbers).layers[layer];
      rows.forEach((row, query) => {
        assert.deepEqual([...(reach.of(layer, query, "from") ?? row.map(() => 1))], row, `layer ${layer}, query ${query}`);
        assert.equal(reach.count(layer, query), row.filter(Boolean).length);
      });
      if (queries !== keys) return;
      rows.forEach((_, key) => {
        const column = rows.map((row) => row[key]);
        assert.deepEqual([...(reach.of(layer, key, "to") ?? column.map(() => 1))], column, `layer ${layer}, key ${key}`);
      });
    });
  });
}

test("a causal mask is a word, one that all layers have is sent once, and no mask is nothing", { skip }, () => {
  const { masks, layers, cross, blocks } = payloadOf("masked");
  assert.deepEqual(masks.toSorted(), ["causal", "rows", "rows", "rows", "rows"]);
  assert.equal(layers[1].mask, layers[4].mask);
  assert.equal(layers[3].mask, undefined);
  assert.equal(masks[layers[0].mask], "causal");
  assert.deepEqual(
    [layers[0].mask, layers[2].mask].map((mask) => [`mask.${mask}` in blocks, `mask.at.${mask}` in blocks]),
    [
      [false, false],
      [true, false],
    ],
  );
  expected("masked").cross[0].forEach((row, query) => {
    const payload = payloadOf("masked");
    assert.deepEqual([...new Reach(payload, attentionOf(payload)).ofCross(0, query)], row);
  });
  assert.ok(cross[0].mask !== undefined);
  assert.ok(!Object.keys(payloadOf("plain").blocks).some((name) => name.startsWith("mask")));
});

test("a patch that is hidden is told to be hidden, and no share of it", { skip }, () => {
  const payload = Object.assign(payloadOf("masked"), { truth: [] }); // outlines need a page
  const selectors = new Selectors(payload, attentionOf(payload), () => {});
  const words = { say: (key, values) => `${key}: ${Object.values(values ?? {}).join()}` };
  const place = (row, col) => selectors.queries.toPicture(payload.layers[0].queries.centreOf([row, col]));
  const said = (pinned, hover, direction = "from", layer = 0) =>
    mapSentence(
      words,
      selectors.view({ ...STATE, layer, direction, pinned: true, place: place(...pinned), hover: place(...hover) }),
    );
  assert.match(said([1, 1], [2, 2]), /^read_mask_from/);
  assert.match(said([1, 1], [0, 2]), /^read_from/);
  assert.match(said([1, 1], [0, 2], "to"), /^read_mask_to/);
  assert.match(said([1, 1], [2, 2], "to"), /^read_to/);
  assert.match(said([0, 0], [2, 3], "from", 5), /^read_window_from/);
});

test("of a layer that was too large to be sent, what lies outside of its windows is not told to be masked", { skip }, () => {
  const payload = payloadOf("windows");
  const reach = new Reach(payload, attentionOf(payload));
  const seen = reach.of(0, 0, "from");
  const outside = seen.lastIndexOf(0);
  assert.equal(reach.hiddenBy(seen, 0, 0, outside, "from"), "window");
  payload.layers[0].kind = "asked";
  assert.equal(reach.hiddenBy(seen, 0, 0, outside, "from"), "window");
  assert.equal(reach.count(0, 0), payload.layers[0].keySlots, "and an even spread is that of a window");
});

test("in a column, an even spread is that of the token that looks", { skip }, () => {
  const payload = Object.assign(payloadOf("masked"), { truth: [] }); // outlines need a page
  const selectors = new Selectors(payload, attentionOf(payload), () => {});
  const place = (row, col) => selectors.queries.toPicture(payload.layers[0].queries.centreOf([row, col]));
  const words = { say: (key, values) => `${key} ${values?.times}` };
  const told = [0, 1, 3, 4].map((layer) => {
    const choice = { direction: "to", pinned: true, place: place(1, 1), hover: place(2, 2) };
    const view = selectors.view({ ...STATE, ...choice, layer });
    const rows = expected("masked").layers[layer];
    const counts = rows.map((row) => row.filter(Boolean).length);
    const token = view.map.layout.tokenOf([2, 2]);
    const sees = new Set(counts.filter((_, i) => rows[i][view.query]));
    assert.equal(view.evenOf(token), counts[token]);
    assert.equal(view.even, sees.size === 1 ? [...sees][0] : null);
    if (!rows[token][view.query]) return "hidden";
    const share = view.map.values[token] * counts[token];
    assert.ok(Math.abs(Number(mapSentence(words, view).split(" ")[1]) - share) < 0.06, mapSentence(words, view));
    return legendOf(words, view).high.split(" ")[0];
  });
  assert.equal(told[0], "legend_to_apart", "in a causal layer each sees more than the one before");
  assert.equal(told[2], "legend_to", "without a mask all see all");
});

test("what a query sees is not counted before its windows are here", { skip }, () => {
  const payload = payloadOf("windows");
  const reach = new Reach(payload, attentionOf(payload));
  const { layout, queries, keys } = payload.layers[0];
  const one = Float32Array.from({ length: queries.tokens }, (_, token) => Number(token === 0));
  payload.decoded.set(`weights.mean.${layout}`, one); // a readout of one patch
  payload.has = (name) => !name.startsWith("queries.") && Payload.prototype.has.call(payload, name);
  assert.equal(reach.count(0, "mean"), keys.tokens);
  delete payload.has;
  assert.equal(reach.count(0, "mean"), reach.count(0, 0));
  assert.ok(reach.count(0, 0) < keys.tokens);
});

test("a patch out of reach has no colour of the map", () => {
  const map = new ColourMap(btoa("\x07".repeat(768)));
  const pixels = new Uint32Array(4);
  map.fill(pixels, 2, 0, 0, Float32Array.of(9, 0, 0, 1, 0), 1, [2, 2], 1, 255, Uint8Array.of(1, 1, 0, 1, 0));
  assert.deepEqual(
    [...pixels].map((one) => one !== 0),
    [true, false, true, false],
  );
});
