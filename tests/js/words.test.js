// The words of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameKey } from "../../vizapp/ui/viewer/names.js";
import { Words } from "../../vizapp/ui/viewer/words.js";

test("a word that is missing stops nothing: its key is shown, and the console is told", (context) => {
  const told = context.mock.method(console, "error", () => {});
  const words = new Words({ mean: "{n} heads" }, { own: "of a panel" });
  assert.deepEqual(
    [words.say("mean", { n: 3 }), words.say("own"), words.say("where_median")],
    ["3 heads", "of a panel", "where median"],
  );
  assert.deepEqual(
    told.mock.calls.map(({ arguments: said }) => said[0]),
    ["There is no word for 'where_median'."],
  );
});

test("what an output reads, if it is patches, is called neither a token without a patch nor by a list", () => {
  const names = ["cls", "3,3", "cls+1,1", "0,0..13,12", "extra0+extra1"].map((name) => nameKey("chip", name));
  assert.deepEqual(names, [
    ["chip_cls", {}],
    ["chip_patch", { row: 4, col: 4 }],
    ["chip_several", {}],
    ["chip_several", {}],
    ["chip_other", { name: "extra0+extra1" }],
  ]);
});
