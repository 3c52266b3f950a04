// Lines of a saved figure: broken between words, in Chinese between letters, none of them wider than the figure.

import assert from "node:assert/strict";
import test from "node:test";

import { broken } from "../../vizapp/ui/viewer/saving/figure.js";

const measure = (text) => [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e80 ? 2 : 1), 0);
const lines = (text, width) => broken(text, width, measure);

test("English is broken between words", () => {
  assert.deepEqual(lines("toy. Layer 5, mean of heads: CLS", 12), ["toy. Layer", "5, mean of", "heads: CLS"]);
  assert.deepEqual(lines("a-word-that-is-wider than", 8), ["a-word-that-is-wider", "than"]);
  assert.deepEqual(lines("", 8), []);
});

test("Chinese is broken between letters, and no line begins with a full stop", () => {
  const text = "toy. 第 5 层，各头平均：在所有图像块中，CLS 看得最多的是图像块（位于左上）。";
  for (const width of [8, 11, 12, 13, 20, 33]) {
    const found = lines(text, width);
    assert.equal(found.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
    for (const line of found) {
      assert.ok(measure(line) <= width, `${line} in ${width}`);
      assert.doesNotMatch(line, /^[，。：）]|（$/u);
    }
  }
});
