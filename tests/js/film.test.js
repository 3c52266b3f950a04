// What the slider through a training knows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Film } from "../../vizapp/ui/viewer/numbers/film.js";

const film = new Film({
  steps: [0, 50, 100, 400],
  at: 400,
  pictures: 10,
  classes: 4,
  curves: {
    accuracy: [[0.1, 0.2, 0.5, 0.9]],
    object: [
      [0.2, 0.2, 0.3, 0.3],
      [0.2, 0.4, 0.6, 0.7],
    ],
  },
  levels: { accuracy: 0.1, object: 0.2 },
  learned: { sun: 400, cup: 50, fish: 400 },
});

test("a link may name any step: the next one is meant", () => {
  assert.deepEqual(
    [0, 49, 76, 1e6].map((step) => film.nearest(step)),
    [0, 1, 2, 3],
  );
});

test("curves are of a layer, where each has its own", () => {
  assert.deepEqual(film.curve("accuracy", 1), [0.1, 0.2, 0.5, 0.9]);
  assert.deepEqual(film.curve("object", 1), [0.2, 0.4, 0.6, 0.7]);
  assert.equal(film.curve("object", 2), null);
  assert.equal(film.curve("mark", 0), null);
});

test("what is known by a step, and where it was learnt", () => {
  assert.deepEqual(film.known(0), []);
  assert.deepEqual(film.known(399), ["cup"]);
  assert.deepEqual(film.known(400), ["cup", "sun", "fish"]);
  assert.deepEqual(film.marks(), [
    [1, ["cup"]],
    [3, ["sun", "fish"]],
  ]);
});

test("what is looked at is fetched first, then what is next to it", () => {
  const has = new Set();
  const order = [];
  for (let step = film.next(1, (one) => has.has(one)); step !== undefined; step = film.next(1, (one) => has.has(one))) {
    order.push(step);
    has.add(step);
  }
  assert.deepEqual(order, [50, 100, 0, 400]);
});
