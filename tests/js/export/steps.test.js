// The steps to a number, from a network's file and pixels, are those that the server tells.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Network } from "../../../vizapp/browser/engine/network.js";
import { embedding } from "../../../vizapp/browser/engine/patch.js";
import { steps } from "../../../vizapp/browser/engine/steps.js";
import { Embedding } from "../../../vizapp/ui/viewer/numbers/embedding.js";
import { Steps } from "../../../vizapp/ui/viewer/numbers/steps.js";
import { bytes, floats, json, skip } from "./fixtures.js";

const KERNELS = readFileSync(new URL("../../../vizapp/browser/engine/kernels.wasm", import.meta.url));
const NEAR = 2e-5; // of the largest: sums in another order, in float32

function assertNear(found, wanted, what) {
  assert.equal(found.length, wanted.length, what);
  const most = Math.max(...wanted.map(Math.abs), 1e-6);
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= NEAR * most, `${what} [${i}]: ${found[i]}, not ${value}`));
}

for (const { net, asked } of skip ? [] : json("steps.json")) {
  test(`${net}: the steps are the server's`, async () => {
    const network = await Network.open(bytes(`${net}.vzn`), KERNELS);
    for (const { what, answer } of asked) {
      const told = steps(network, floats(`${net}.pixels`), what);
      const [found, wanted] = [new Steps(told), new Steps(answer)];
      assert.deepEqual([...found.vectors.keys()].sort(), [...wanted.vectors.keys()].sort());
      for (const [name, { shape, values }] of wanted.vectors) {
        assert.deepEqual(found.vectors.get(name).shape, shape, name);
        assertNear([...found.vectors.get(name).values], [...values], `${what}: ${name}`);
      }
      assert.deepEqual([told.keys, told.at, told.turned, told.label], [answer.keys, answer.at, answer.turned, answer.label]);
      assertNear((told.lens ?? []).flat(), (answer.lens ?? []).flat(), `${what}: lens`);
    }
    for (const what of [[9, 0, 0], [0, 99, 0], [0, 0, -1], [0.5, 0, 0]]) { // prettier-ignore
      assert.throws(
        () => steps(network, floats(`${net}.pixels`), what),
        ({ key }) => key === "stepsNowhere",
      );
    }
  });
}

for (const { net, patches } of skip ? [] : json("steps.json")) {
  test(`${net}: how a patch becomes a token is the server's`, async () => {
    const network = await Network.open(bytes(`${net}.vzn`), KERNELS);
    const pixels = floats(`${net}.pixels`);
    for (const { what, answer } of patches) {
      const told = embedding(network, pixels, what);
      assert.deepEqual(told.dimensions, answer.dimensions);
      const [found, wanted] = [new Embedding(told), new Embedding(answer)];
      for (const name of ["pixels", "weights", "made", "token"]) assertNear([...found[name]], [...wanted[name]], `${what}: ${name}`);
      for (const dimension of found.dimensions) {
        const [one, other] = [found.sumOf(dimension), wanted.sumOf(dimension)];
        const most = Math.max(...wanted.token.map(Math.abs));
        for (const [name, value] of Object.entries(other)) assert.ok(Math.abs(one[name] - value) <= NEAR * most, `${what}: ${name}`);
        assert.equal(one.position === null, other.position === null);
        const sum = one.dot + one.bias + (one.position ?? 0);
        assert.ok(Math.abs(sum - (one.position === null ? one.made : one.token)) <= NEAR * most);
      }
    }
    for (const what of [[99, 0, null], [0, -1, null], [0, 0, 9999], [0.5, 0, null]]) { // prettier-ignore
      assert.throws(
        () => embedding(network, pixels, what),
        ({ key }) => key === "stepsNowhere",
      );
    }
  });
}

test("of another kind of network it is said that there are none", { skip }, async () => {
  const network = await Network.open(bytes("crate.vzn"), KERNELS);
  assert.throws(
    () => steps(network, floats("mean.pixels"), [0, 0, 0]),
    ({ key }) => key === "stepsNoVit",
  );
  assert.throws(
    () => embedding(network, floats("mean.pixels"), [0, 0, null]),
    ({ key }) => key === "stepsNoVit",
  );
});
