// What was taught, as others than the panel ask for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lessonOf } from "../../vizapp/ui/viewer/numbers/teaching.js";

const words = { say: (key, { n }) => `${key} ${n}` };
const prototypes = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
const taught = { model: "toy", marks: "[[[0.1,0.1]],[],[[0.5,0.5]]]", these: [0, 2], prototypes };
const thing = (name) => ({ name, at: [] });
const lesson = (things, model = "toy") => lessonOf({ get: (key) => ({ taught, things })[key] }, model, words);

test("the things that were marked, by name", () => {
  assert.deepEqual(lesson([thing("cat"), thing("unmarked"), thing(" ")]), { names: ["cat", "teach_thing 3"], prototypes });
});

test("another network was not taught them", () => {
  assert.equal(lesson([thing("cat"), thing(""), thing("dog")], "crate"), null);
});

test("a link that came without them took them away", () => {
  assert.equal(lesson([]), null);
  assert.equal(lesson([thing("cat"), thing("dog")]), null);
});

test("a link that came with other marks took them away, and the way back brings them", () => {
  const at = (...places) => places.map((at, i) => ({ name: String(i), at }));
  assert.equal(lesson(at([[0.2, 0.2]], [], [[0.5, 0.5]])), null);
  assert.deepEqual(lesson(at([[0.1, 0.1]], [], [[0.5, 0.5]])), { names: ["0", "2"], prototypes });
});
