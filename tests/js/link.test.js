// The text of a link: the page's part and the viewer's stand side by side, and each is read by whom it belongs to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { direct, parse, write, written } from "../../vizapp/ui/link/address.js";
import { stateFor } from "../../vizapp/ui/viewer/mount.js";
import { flag } from "../../vizapp/ui/viewer/state.js";
import { PAGE_KEYS } from "../../vizapp/ui/viewer/version.js";

test("what is written is read", () => {
  const page = { v: "1", picture: "lesson/clutter/16", model: "timm:vit_small_patch16_224.dino?size=448", fit: "pad" };
  const hash = write(page, "layer=2&place=0.25%2C0.5");
  assert.equal(
    hash,
    "#v=1&picture=lesson/clutter/16&model=timm:vit_small_patch16_224.dino?size%3D448&fit=pad&layer=2&place=0.25,0.5",
    "in words that can be read",
  );
  assert.deepEqual(parse(hash), { page, state: "layer=2&place=0.25,0.5" });
  assert.equal(new URL(`http://here/${hash}`).hash, hash, "a browser does not write it in another way");
});

test("any text of a name is the same when it is read", () => {
  for (const model of ["file:/a b/c&d=e#f.safetensors?arch=x%20y+z", "ü\u2028'\"<b>", "%", "%25", "a+b c", "__proto__"]) {
    const hash = write({ model, picture: "upload/0a1b" }, "");
    assert.equal(parse(hash).page.model, model);
    assert.equal(parse(new URL(`http://here/${hash}`).hash).page.model, model);
  }
});

test("what is no link is left alone", () => {
  for (const hash of ["", "#", "#choose", "choose"]) assert.equal(parse(hash), null);
  assert.deepEqual(parse("#layer=2"), { page: {}, state: "layer=2" });
  assert.equal(parse("#model=timm:a+b").page.model, "timm:a+b", "a plus that was typed is a plus");
});

test("a link may come from anybody", () => {
  for (const hash of ["#&&==&", "#__proto__=1&constructor=2", "#model=%E0%A4%A", "#model", "#picture=%00", "#v=1&v=2&=3"]) {
    const found = parse(hash);
    if (found) assert.ok(Object.keys(found.page).every((key) => PAGE_KEYS.includes(key)));
  }
  assert.equal(Object.prototype.v, undefined);
});

test("the same page is the same text, whatever its order", () => {
  assert.equal(
    written({ model: "toy", picture: "photo/lion" }),
    written({ v: "1", picture: "photo/lion", model: "toy", tab: "methods" }),
  );
  assert.notEqual(written({ model: "toy" }), written({ model: "toy", fit: "pad" }));
  assert.notEqual(written({ picture: "upload/1" }), written({ picture: "upload/1", page: "2" }));
});

test("the address for others has nothing of this visit", () => {
  const here = new URL("https://owner-name.hf.space/?__sign=secret&embed=1&__theme=dark#old=1");
  assert.equal(direct(here, "#v=1", ""), "https://owner-name.hf.space/#v=1");
  assert.equal(direct(new URL("http://a:1/app/zh?lang=zh"), "#v=1", "zh"), "http://a:1/app/zh?lang=zh#v=1");
});

test("each panel's key is in the link, and none can take one of the page's", () => {
  const state = stateFor([{ name: "mine", state: { ghosts: flag(false) } }]);
  state.set({ ghosts: true });
  const hash = write({ v: "1", model: "toy" }, state.toHash());
  assert.equal(hash, "#v=1&model=toy&ghosts=1");
  const other = stateFor([{ name: "mine", state: { ghosts: flag(false) } }]);
  assert.deepEqual(other.fromHash(parse(hash).state), []);
  assert.equal(other.get("ghosts"), true);
  for (const key of PAGE_KEYS) assert.throws(() => stateFor([{ name: "mine", state: { [key]: flag(false) } }]), /mine/);
});
