// Rows of large layers: what is wanted while an answer is on its way is asked for afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Asker } from "../../vizapp/ui/viewer/numbers/asker.js";

const grid = { tokens: 2 };
const payload = { run: "a", layers: [0, 1].map(() => ({ heads: 1, queries: grid, keys: grid })) };
const soon = () => new Promise((over) => setTimeout(over, 5));

// An asker on a page that shows what `shown` says, and the answers that are on their way.
function asking(shown) {
  const underway = [];
  const ask = (kind, run, [, tokens]) =>
    new Promise((answer) => {
      const bytes = Buffer.alloc(tokens.length * 4).toString("base64");
      underway.push({ tokens, come: () => answer({ rows: bytes }) });
    });
  const paint = () => shown.map(([layer, query]) => asker.has(layer, query, "from"));
  const asker = new Asker(payload, ask, paint);
  return { paint, underway };
}

test("another patch, pointed at meanwhile", async () => {
  const shown = [[1, 5]];
  const { paint, underway } = asking(shown);
  paint();
  await soon();
  shown[0] = [1, 6];
  paint();
  await soon(); // its turn comes while the first is not answered
  underway[0].come();
  await soon();
  assert.deepEqual(underway[1]?.tokens, [[1, 6]]);
  underway[1].come();
  await soon();
  assert.deepEqual(paint(), [true]);
  assert.equal(underway.length, 2);
});

test("another layer of the same patch, wanted meanwhile", async () => {
  const shown = [[1, 5]];
  const { paint, underway } = asking(shown);
  paint();
  await soon();
  shown.push([0, 5]);
  paint();
  await soon();
  underway[0].come();
  await soon();
  assert.deepEqual(underway[1]?.tokens, [[0, 5]]);
  underway[1].come();
  await soon();
  assert.deepEqual(paint(), [true, true]);
});
