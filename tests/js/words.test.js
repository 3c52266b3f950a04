// The words of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
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
