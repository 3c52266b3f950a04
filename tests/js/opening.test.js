// The layer on which a picture opens is the one that Python finds, and what is measured is what it says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergence, mostTelling } from "../../vizapp/ui/viewer/numbers/opening.js";
import { Selectors } from "../../vizapp/ui/viewer/selectors.js";
import { NETS, attentionOf, expected, payloadOf, skip } from "./fixtures.js";

for (const net of NETS) {
  test(`${net} opens on the layer that Python finds`, { skip }, () => {
    const payload = payloadOf(net);
    const { opens } = new Selectors(payload, attentionOf(payload), () => {});
    const { opens: layer, nats } = expected(net);
    assert.equal(opens.layer, layer);
    assert.ok(Math.abs(opens.nats - nats[layer]) < 2e-3, `${opens.nats}, not ${nats[layer]}`);
  });
}

test("what all look at alike is 0, and what does not count is left out", () => {
  const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 1e-12, `${found}, not ${wanted}`);
  near(divergence([9, 1, 1, 1, 1], null, [0, 1, 1, 1, 1]), 0);
  near(divergence([0.9, 0, 0, 0.1, 0], null, [0, 1, 1, 1, 1]), Math.log(4));
  near(divergence([9, 0.4, 0.1, 0.1], [0, 0.8, 0.2, 0.2], [0, 1, 1, 1]), 0); // a sink for everybody
  near(divergence([0, 3, 1, 9], [5, 1, 3, 7], [0, 1, 1, 0]), 0.75 * Math.log(3) + 0.25 * Math.log(1 / 3));
  near(divergence([1, 0, 0], null, [0, 1, 1]), 0); // nothing falls on patches
  near(divergence([0, 1, -5], null, [0, 1, 1]), Math.log(2)); // what is below zero is nothing
  near(divergence([0, 1, 0], [0, 0, 1], [0, 1, 1]), Math.log(1e7)); // not infinite
});

test("of equals the later one, and only layers with the patches of the last", () => {
  const plain = [1, 2, 3].map(() => ({ like: "0 0" }));
  assert.equal(mostTelling([0.5, 0.7, 0.7], plain), 2);
  assert.equal(mostTelling([0.8, 0.7, 0.7], plain), 0);
  assert.equal(mostTelling([0.8, null, null], plain), 0);
  assert.equal(mostTelling([9, 0.2, 0.1], [{ like: "0 0" }, { like: "1 1" }, { like: "1 1" }]), 1);
});
