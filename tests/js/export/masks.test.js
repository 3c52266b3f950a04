// Two generators of chance and what RISE makes of one: the numbers of torch and numpy for the same seeds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomMasks } from "../../../vizapp/browser/engine/methods/rise.js";
import { Twister } from "../../../vizapp/browser/engine/mt19937.js";
import { Pcg64 } from "../../../vizapp/browser/engine/pcg64.js";
import { floats, json, skip } from "./fixtures.js";

test("masks are torch's, seed by seed", { skip }, () => {
  for (const { seed, size, name } of json("masks.json")) {
    const generator = new Twister(seed);
    const found = [16, 3].flatMap((count) => randomMasks(count, size, generator));
    const wanted = floats(name);
    const area = size[0] * size[1];
    assert.equal(found.length * area, wanted.length);
    wanted.forEach((value, i) => assert.ok(Math.abs(found[Math.floor(i / area)][i % area] - value) < 1e-5, `${name} [${i}]`));
  }
});

test("chance is numpy's, number by number", { skip }, () => {
  for (const [seed, wanted] of Object.entries(json("chance.json"))) {
    const generator = new Pcg64(Number(seed));
    wanted.forEach((value) => assert.equal(generator.share(), value));
  }
});
