// Patches that do not lie evenly on the picture: a hand finds the one that looks there, and a score asks what patches see.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Queries } from "../../vizapp/ui/viewer/numbers/query.js";
import { READINGS } from "../../vizapp/ui/viewer/numbers/readings.js";
import { Target } from "../../vizapp/ui/viewer/numbers/score.js";
import { expected, payloadOf, skip } from "./fixtures.js";

for (const net of ["vitpose", "overlapping"]) {
  test(`${net}: a place of the picture is the patch that looks there, and the rim is none`, { skip }, () => {
    const payload = payloadOf(net);
    const { patches } = expected(net);
    const queries = new Queries(payload);
    const side = patches.length;
    const found = patches.map((line, y) =>
      line.map((_, x) => queries.cellAt(payload.layers[0].queries, [(x + 0.5) / side, (y + 0.5) / side])),
    );
    assert.deepEqual(found, patches);
    assert.equal(found.at(-1)?.at(-1), null);
  });

  test(`${net}: the book says how large a patch is only where that is its cell`, { skip }, () => {
    const view = /** @type {any} */ ({ payload: payloadOf(net) });
    const [side, colours] = [READINGS.side, READINGS.colours].map((of) =>
      of({ view, words: /** @type {any} */ (null), then: [] }),
    );
    assert.deepEqual([side, colours], net === "vitpose" ? [8, 192] : [null, null]);
  });

  test(`${net}: as much of each patch is object as Python says`, { skip }, () => {
    const payload = payloadOf(net);
    const packed = payload.get("truth.0");
    const [height, width] = payload.input;
    const mask = Uint8Array.from({ length: height * width }, (_, i) => (packed[i >> 3] >> (7 - (i & 7))) & 1);
    assert.deepEqual([...new Target(mask, payload.input, payload.grid).cover], expected(net).cover);
  });
}
