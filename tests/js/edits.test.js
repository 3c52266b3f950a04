// Each case of tests/support/edit_cases.json in the engine, with the numbers of Python: tests/page/test_edit_cases.py has written them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITS } from "../../vizapp/browser/engine/edits.js";
import { Refused } from "../../vizapp/browser/engine/refused.js";
import { HEAD_OFF_WAYS } from "../../vizapp/vocabulary.js";
import { FOLDER, expected, off, open, row } from "./engine.js";

const skip = FOLDER ? false : "no fixtures: `pytest tests/page/test_edit_cases.py` makes them";

// What a person would read.
function worded(words, { key, values }) {
  assert.ok(words[key], `no words for ${key}`);
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? assert.fail(`${key} without ${name}`));
}

// The maps of one head, of the tokens that are compared, side by side.
const rowsOf = (pass, layer, head, tokens, n) =>
  tokens.flatMap((token) => [...row(pass.layers.at(layer), head, (token + n) % n, n)]);

function* slipsOf(net, { edits, map, tokens, numbers, bound }) {
  const [{ layer, head }] = edits;
  const { depth, heads } = net.header;
  const plain = net.forward(numbers.pixels);
  const logits = plain.logits.slice();
  const before = rowsOf(plain, layer, head, tokens, net.tokens);
  const pass = net.forward(numbers.pixels, { edits });
  const found = rowsOf(pass, layer, head, tokens, net.tokens);
  const wanted = map === "stays" ? before : found.map(() => 1 / net.tokens);
  if (!(off(found, wanted) <= 1e-5)) yield `its map is not ${map}: ${off(found, wanted)}`;
  if (!(off(pass.logits, logits) > 1e-3)) yield "nothing was done";
  if (!(off(pass.logits, numbers.logits) <= bound)) yield `logits: off by ${off(pass.logits, numbers.logits)}`;
  for (let l = 0; l < depth && numbers["rows.0"]; l++) {
    const maps = Array.from({ length: heads }, (_, one) => rowsOf(pass, l, one, tokens, net.tokens)).flat();
    const worst = off(maps, numbers[`rows.${l}`]);
    if (!(worst <= bound)) yield `maps of layer ${l}: off by ${worst}`;
  }
}

test("every case holds in the engine", { skip }, async () => {
  const { cases, lacking, kinds, words } = JSON.parse(readFileSync(join(FOLDER, "about.json"), "utf-8"));
  const slips = [];
  const refused = new Set();
  const held = [];
  for (let i = 0; i < cases; i++) {
    const one = expected(`case-${i}`);
    const net = await open(one.network);
    const say = (slip) => slips.push(`${one.typed.join(" ")} of ${one.network}: ${slip}`);
    const [{ kind, by }] = one.edits;
    try {
      if ("refused" in one) {
        net.forward(one.numbers.pixels, { edits: one.edits });
        say(`not refused: ${one.refused}`);
      } else {
        held.push(...one.edits);
        [...slipsOf(net, one)].forEach(say);
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const why = worded(words, error);
      if (!("refused" in one)) refused.add(Object.hasOwn(EDITS, kind) ? `${kind}=${by}` : kind);
      else if (!why.includes(one.refused)) say(`it says: ${why}`);
    }
  }
  assert.deepEqual(slips, []);
  assert.deepEqual([...refused], lacking, "exactly what is declared as lacking is refused");
  const names = [...Object.keys(EDITS), ...lacking.filter((name) => !name.includes("="))];
  assert.deepEqual(names.sort(), kinds, "the edits of both sides, and what is declared as lacking, are the same");
  const ways = held.filter(({ kind }) => kind === "head-off").map(({ by = "zero" }) => by);
  assert.deepEqual(new Set(ways), new Set(HEAD_OFF_WAYS), "each way has a case");
});
