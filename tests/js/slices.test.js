// What is looked at second is drawn in small tasks, and comes while the hand moves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Slices } from "../../vizapp/ui/viewer/slices.js";

const over = () => new Promise((resume) => setTimeout(resume, 1));

// Time goes on as the test says.
let time = 0;
const { now } = performance;
before(() => (performance.now = () => time));
after(() => (performance.now = now));

async function finished(slices) {
  while (slices.isWaiting) await over();
}

test("what was begun is finished before the newest, and what lies between is left out", async () => {
  const drawn = [];
  const slices = new Slices(function* (view) {
    for (const step of "abc") {
      drawn.push(view + step);
      time += 5; // longer than a task may take: the next step is in another one
      yield;
    }
  });
  slices.draw(1);
  assert.deepEqual(drawn, [], "not at once");
  while (!drawn.length) await over();
  assert.deepEqual(drawn, ["1a"]);
  slices.draw(2);
  slices.draw(3);
  await finished(slices);
  assert.deepEqual(drawn, ["1a", "1b", "1c", "3a", "3b", "3c"]);
});

test("short steps share a task", async () => {
  let tasks = 0;
  let steps = 0;
  const slices = new Slices(function* () {
    for (; steps < 5; steps++, time += 0.5) yield;
  });
  const { go } = slices;
  slices.go = () => {
    tasks += 1;
    go.call(slices);
  };
  slices.draw(1);
  await finished(slices);
  assert.equal(steps, 5);
  assert.equal(tasks, 1);
});

test("nothing is drawn after the maps are gone", async () => {
  const drawn = [];
  const slices = new Slices(function* (view) {
    drawn.push(view);
    yield;
  });
  slices.draw(1);
  slices.stop();
  assert.equal(slices.isWaiting, false);
  await new Promise((resume) => setTimeout(resume, 20));
  assert.deepEqual(drawn, []);
  slices.draw(2);
  await finished(slices);
  assert.deepEqual(drawn, [2]);
});
