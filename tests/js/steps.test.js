// The steps to one number: from the vectors that the server sends to what the page says of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Embedding } from "../../vizapp/ui/viewer/numbers/embedding.js";
import { digits } from "../../vizapp/ui/viewer/numbers/format.js";
import { Steps, fold, length } from "../../vizapp/ui/viewer/numbers/steps.js";

const packed = (values) => Buffer.from(new Float32Array(values).buffer).toString("base64");

// Two heads, three keys, q and k of two numbers, values of one.
const PLANTED = new Steps({
  keys: [0, 1, 2],
  at: 1,
  turned: { query: false, key: false },
  left_out: {},
  vectors: {
    attention: [[2, 3], packed([0.2, 0.5, 0.3, 0.7, 0.1, 0.2])],
    scores: [[2, 3], packed([Math.log(2), Math.log(5), Math.log(3), Math.log(7), 0, Math.log(2)])],
    scale: [[2], packed([0.5, 0.5])],
    "query.used": [[2, 2], packed([1, 2, 3, 4])],
    "key.used": [[2, 2], packed([5, -1, 0, 1])],
    values: [[2, 1], packed([10, -2])],
    written: [[2, 2], packed([3, 0, 0, 1])],
    constant: [[2], packed([0, 3])],
  },
});

const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-6, `${found} is not ${expected}`);

test("the shares of a key in all heads, and the head where it is largest", () => {
  assert.deepEqual(
    PLANTED.shares().map((share) => Math.fround(share)),
    [Math.fround(0.5), Math.fround(0.1)],
  );
  assert.equal(PLANTED.strongest(), 0);
});

test("q and k number by number, their sum, and what is made of it", () => {
  assert.deepEqual([...PLANTED.products(0)], [5, -2]);
  const { dot, scale, bias } = PLANTED.score(0);
  assert.deepEqual([dot, scale, bias], [3, 0.5, null]);
});

test("softmax: the share is that of the map", () => {
  for (const head of [0, 1]) near(PLANTED.softmax(head).share, PLANTED.shares()[head]);
  near(PLANTED.softmax(0).whole, 2); // (2 + 5 + 3) / 5
});

test("a key that a mask hides has no share, even where every key is hidden", () => {
  const masked = new Steps({
    keys: [0, 1],
    at: 0,
    turned: {},
    left_out: {},
    hidden: [[0], [0, 1]],
    vectors: {
      attention: [[2, 2], packed([0, 1, 0, 0])],
      scores: [[2, 2], packed([-Infinity, 2, -Infinity, -Infinity])],
    },
  });
  assert.deepEqual([masked.hides(0), masked.hides(0, 1), masked.hides(1, 1)], [true, false, true]);
  assert.deepEqual([masked.softmax(0).share, masked.softmax(1).share], [0, 0]);
  assert.equal(PLANTED.hides(0), false);
  assert.equal(digits(-Infinity), "\u2212\u221e");
});

test("what a value brings, and how long what is written is", () => {
  assert.deepEqual([...PLANTED.brought(0)], [5]);
  assert.deepEqual(PLANTED.lengths(), [3, 1]);
  near(PLANTED.writtenLength(), 5); // (3, 1 + 3)
});

test("of many numbers the largest are shown, the rest is one, and nothing is lost", () => {
  const values = Array.from({ length: 64 }, (_, i) => (i % 2 ? -1 : 1) * i);
  const bars = fold(values);
  assert.equal(bars.length, 13);
  assert.equal(bars.at(-1)?.index, -1);
  near(
    bars.reduce((total, { value }) => total + value, 0),
    values.reduce((a, b) => a + b, 0),
  );
  assert.ok(fold(values, { always: 3 }).some(({ index }) => index === 3));
  assert.equal(fold(values.slice(0, 32)).length, 32, "a few are all shown");
  near(length([3, 4]), 5);
});

// One pixel of two colours; a token of three numbers, of which the weights of the first and the last are known.
const EMBEDDED = {
  dimensions: [0, 2],
  vectors: {
    pixels: [[2, 1, 1], packed([2, -1])],
    weights: [[2, 2, 1, 1], packed([1, 3, 0.5, -4])],
    bias: [[2], packed([10, 0.25])],
    made: [[3], packed([9, 7, 5.25])],
    position: [[3], packed([-9, 0, 1])],
    token: [[3], packed([0, 7, 6.25])],
  },
};

test("a number of a token: pixel times weight, bias and position", () => {
  const found = new Embedding(EMBEDDED);
  assert.deepEqual([...found.products(2)], [1, 4]);
  assert.deepEqual(found.sumOf(2), { dot: 5, bias: 0.25, position: 1, made: 5.25, token: 6.25 });
  assert.deepEqual([found.chosen(null), found.chosen(0), found.chosen(1)], [2, 0, 2]);
  assert.equal(found.bars(found.token).length, 3);
});

test("where more than a sum follows, the map's own number is the largest, and no position is claimed", () => {
  const found = new Embedding({ ...EMBEDDED, vectors: { ...EMBEDDED.vectors, position: undefined } });
  assert.equal(found.chosen(null), 0);
  assert.equal(found.sumOf(0).position, null);
  assert.deepEqual([found.hasPlace, new Embedding(EMBEDDED).hasPlace], [false, true]);
  const turning = { ...EMBEDDED, vectors: { ...EMBEDDED.vectors, position: [[3], packed([0, 0, 0])] } };
  assert.equal(new Embedding(turning).hasPlace, false);
});
