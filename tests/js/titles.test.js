// Names of models on a button, and of the files that a page makes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileName, pictureName, shortModel } from "../../vizapp/ui/viewer/saving/titles.js";

test("a model in a file is called by the end of its path", () => {
  const names = [
    "toy",
    "timm:deit_tiny",
    "file:/a/long/way/net.safetensors?arch=hf:owner/name",
    "file:C:\\nets\\net.pt",
    "file:net.pt",
  ];
  assert.deepEqual(names.map(shortModel), ["toy", "deit_tiny", "net.safetensors", "net.pt", "net.pt"]);
});

test("a picture is called as its file, without folder and ending", () => {
  const names = ["photo/lion", "lesson/two/1", "My cat (2).JPG", "猫.png", "webcam", "upload/3", ""];
  assert.deepEqual(names.map(pictureName), ["lion", "two-1", "My-cat-2", "猫", "webcam", "3", ""]);
});

test("a file bears the picture's name, the model's and that of the map", () => {
  const view = { payload: { model: "toy" }, layer: 4, head: 1, fusion: "mean", method: "attention", crossed: null };
  assert.equal(fileName(view, "photo/lion"), "lion-toy-layer5-mean");
  assert.equal(fileName({ ...view, fusion: "one" }, ""), "toy-layer5-head2");
  assert.equal(fileName({ ...view, method: "rollout" }, "My cat.png"), "My-cat-toy-layer5-rollout");
  const own = { ...view, payload: { model: `file:/${"deep/".repeat(30)}net.safetensors?arch=vit` } };
  assert.equal(fileName(own, "lion.jpg"), "lion-net.safetensors-layer5-mean");
});
