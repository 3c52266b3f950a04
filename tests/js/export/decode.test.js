// Files without a browser: what their headers say, PNG to the last byte, and what is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../../vizapp/browser/engine/decode.js";
import { headerOf } from "../../../vizapp/browser/engine/header.js";
import { pagesOf } from "../../../vizapp/browser/engine/pages.js";
import { isWhole } from "../../../vizapp/browser/engine/whole.js";
import { upright } from "../../../vizapp/browser/engine/turn.js";
import { bytes, json, skip } from "./fixtures.js";

const files = skip ? {} : json("files.json");

const said = (note) => note && files.words[note.key].replace(/\{(\w+)\}/g, (_, name) => note.values[name]);

for (const { name, width, height, note } of files.pngs ?? []) {
  test(`${name} is Pillow's`, async () => {
    const found = await decode(bytes(name));
    assert.deepEqual([found.width, found.height, said(found.note)], [width, height, note]);
    const wanted = bytes(`${name}.rgb`);
    const at = found.data.findIndex((value, i) => value !== wanted[i]);
    assert.equal(at, -1, `byte ${at}: ${found.data[at]}, not ${wanted[at]}`);
    assert.equal(found.data.length, wanted.length);
  });
}

test("sizes and orientations are known before anything is decoded", { skip }, () => {
  for (const { name, stored, orientation } of files.others) {
    const found = headerOf(bytes(name));
    assert.deepEqual([found.width, found.height, found.orientation], [...stored, orientation], name);
  }
});

test("a picture is refused for what it is", { skip }, async () => {
  for (const { name, key } of files.refused) {
    await assert.rejects(decode(bytes(name)), (error) => {
      assert.equal(error.key, key, `${name}: ${error}`);
      return true;
    });
  }
});

test("pages are counted as Python counts them", { skip }, async () => {
  for (const { name, pages, isAll } of files.books) {
    const found = pagesOf(headerOf(bytes(name)).kind, bytes(name));
    assert.deepEqual([found.pages, found.isAll], [pages, isAll], name);
  }
  for (const { name } of files.pngs) assert.deepEqual(pagesOf("png", bytes(name)).pages, 1, name);
});

test("a page is said, or refused with what there is", { skip }, async () => {
  assert.deepEqual((await decode(bytes("book.png"))).pages, { page: 1, pages: 3, isAll: true, turns: false });
  assert.equal((await decode(bytes("rgb.png"))).pages, null);
  const refused = async (name, page) => {
    const { key, values } = await decode(bytes(name), page).catch((error) => error);
    return [key, values];
  };
  assert.deepEqual(await refused("book.png", 4), ["pictureNoPage", { page: 4, pages: 3 }]);
  assert.deepEqual(await refused("rgb.png", 2), ["pictureNoPage", { page: 2, pages: 1 }]);
  assert.deepEqual(await refused("book.png", 2), ["picturePageNotHere", {}], "Node decodes no pictures");
  const large = bytes("long.gif").slice();
  large.set([0xff, 0x0f, 0xff, 0x0f], 6); // 4095 x 4095
  assert.deepEqual(await refused("long.gif", 9), ["picturePageNotHere", {}]);
  await assert.rejects(decode(large, 9), (error) => error.key === "picturePageFar");
});

test("each orientation", { skip }, () => {
  const { stored, turned } = files.turns;
  for (let way = 1; way <= 8; way++) {
    const found = upright({ width: 2, height: 3, data: Uint8Array.from(stored) }, way);
    assert.deepEqual([...found.data], turned[way - 1], `orientation ${way}`);
  }
});

test("a file that is cut off is no whole one", { skip }, () => {
  let cut = 0;
  for (const { name, least } of files.others) {
    const [file, kind] = [bytes(name), headerOf(bytes(name)).kind];
    assert.ok(isWhole(kind, file), name);
    assert.ok(isWhole(kind, Uint8Array.from([...file, 0, 1, 2])), `${name}, and something behind it`);
    if (!["jpeg", "webp", "gif"].includes(kind)) continue;
    for (const end of [least, Math.floor(file.length / 2), 300]) assert.equal(isWhole(kind, file.subarray(0, end)), false, name);
    cut += 1;
  }
  assert.ok(cut > 10);
});

test("cut off anywhere, it is refused or read, and nothing else", { skip }, async () => {
  for (const name of ["rgba.png", "turned-6.jpeg", "turned.webp", "film.gif"]) {
    const whole = bytes(name);
    for (let end = 0; end < Math.min(300, whole.length); end++) {
      try {
        const found = headerOf(whole.subarray(0, end));
        assert.ok(found.width >= 0 && found.height >= 0);
      } catch (error) {
        assert.ok(error.key, `${name}, ${end} bytes: ${error}`);
      }
    }
  }
});
