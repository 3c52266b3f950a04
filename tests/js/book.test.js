// The textbook: how a guess is scored, what sentences say, and that chapters set and undo the state.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { FITS } from "../../vizapp/vocabulary.js";
import { parse } from "../../vizapp/ui/link/address.js";
import { Book } from "../../vizapp/ui/viewer/book.js";
import { notUnderstood } from "../../vizapp/ui/viewer/exercise.js";
import { stateFor } from "../../vizapp/ui/viewer/mount.js";
import { depthOf } from "../../vizapp/ui/viewer/numbers/depth.js";
import { scoreGuess } from "../../vizapp/ui/viewer/numbers/guess.js";
import { Layout } from "../../vizapp/ui/viewer/numbers/layout.js";
import { READINGS, filled } from "../../vizapp/ui/viewer/numbers/readings.js";

const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-6, `${found} is not ${expected}`);
const layout = (rows, cols) => new Layout({ prefix: ["cls"], grid: [rows, cols] }, [0, 0, 1, 1]);
const map = (...values) => Float32Array.from(values);

// CLS, then 9 x 10 patches: [row, column, value] of some.
const scene = (...some) => {
  const values = new Float32Array(91);
  values[0] = 0.5;
  for (const [row, col, value] of some) values[1 + 10 * row + col] = value;
  return values;
};

test("a mark counts with the patches around it; the best guess is 1, the worst 0, and CLS is no patch that one could guess", () => {
  const values = scene([1, 1, 4], [1, 8, 3], [7, 3, 2], [7, 7, 1]);
  const near3 = scoreGuess(values, layout(9, 10), [
    [0, 0],
    [2, 8],
    [6, 4],
  ]);
  near(near3.mine, 1); // beside the three brightest
  near(near3.centre, 0); // 27 patches around the middle
  near(scoreGuess(values, layout(9, 10), [[7, 7]]).mine, 1 / 4);
  near(scoreGuess(values, layout(9, 10), [[4, 4]]).mine, 0);
  const twice = scoreGuess(values, layout(9, 10), [
    [1, 1],
    [0, 0],
  ]);
  near(twice.mine, 4 / 7); // what two marks share counts once
});

test("beside it stand the middle of the picture and what chance would hold", () => {
  const values = scene([4, 6, 6], [0, 0, 2]);
  const { mine, centre, chance } = scoreGuess(values, layout(9, 10), [[0, 0]]);
  near(mine, 2 / 6);
  near(centre, 1);
  near(chance, (6 * (9 / 90) + 2 * (4 / 90)) / 6); // a corner is reached from four places
});

test("where all patches are alike each place inside is the best, and nothing can be guessed of an empty map", () => {
  const even = new Float32Array(91).fill(0.1);
  near(scoreGuess(even, layout(9, 10), [[4, 4]]).mine, 1);
  near(scoreGuess(even, layout(9, 10), [[4, 4]]).centre, 1);
  assert.equal(scoreGuess(scene(), layout(9, 10), [[0, 0]]), null);
});

// Two layers of one head over CLS and 2 x 2 patches, 20 x 20 pixels: even; then all on the lower right patch.
const VIEW = (() => {
  const own = layout(2, 2);
  const cell = (...values) => ({ values: map(...values), layout: own });
  const [even, last] = [cell(0.2, 0.2, 0.2, 0.2, 0.2), cell(0.5, 0, 0, 0, 0.5)];
  return {
    cells: [
      [even, even],
      [last, last],
    ],
    heads: 1,
    direction: "from",
    layer: 1,
    here: { heads: 1 },
    map: { values: last.values, layout: own },
    even: 5,
    payload: { layers: [{ heads: 1 }, { heads: 1 }], input: [20, 20], grid: [2, 2], top: [["<b>cup</b>", 0.5]] },
    truth: { targetOn: () => ({ cover: [0, 0, 0, 1], area: 0.25 }), parts: [] },
  };
})();

test("layer by layer: entropy, how far apart, on CLS itself, on the object", () => {
  const [first, last] = depthOf(/** @type {any} */ (VIEW));
  near(first.entropy, Math.log(5));
  near(last.entropy, Math.log(2));
  near(first.apart, Math.hypot(5, 5));
  near(last.apart, 0);
  near(first.own, Math.fround(0.2));
  near(last.object, 1);
  near(first.object, 0.25);
  assert.equal(depthOf(/** @type {any} */ ({ ...VIEW, direction: "to" })), null);
  assert.equal(depthOf(/** @type {any} */ ({ ...VIEW, cells: [[null, null], VIEW.cells[1]] })), null);
});

test("sentences have the numbers of what is shown, and nothing of it is HTML", () => {
  const seen = { view: VIEW, words: /** @type {any} */ (null), then: [["cup", 0.9]] };
  assert.equal(filled("{object_first} to {object_last}, {label}", seen), "25\u00a0% to 100\u00a0%, &lt;b&gt;cup&lt;/b&gt;");
  assert.equal(filled("{no_such}", seen), null);
  assert.equal(READINGS.object_trend(seen), "more");
});

// ---- what a page does not understand of a chapter

const FOLDER = new URL("../../vizapp/ui/viewer/panels/", import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));
const panels = await Promise.all(files.map(async (name) => (await import(new URL(name, FOLDER).href)).panel));

// The state of a page that shows this network.
function stateOn({ layers, heads, tokens, offers }) {
  const state = stateFor(panels);
  for (const [key, values] of Object.entries({
    layer: [...Array(layers).keys()],
    head: [...Array(heads).keys()],
    token: tokens,
    ...offers,
  }))
    state.offer(key, values);
  return state;
}

// Parts of a link that opens a chapter which the page does not understand.
function unread(opens, state, tabs) {
  const { page, state: text } = parse(`#${opens}`);
  const known = { v: ["1"], picture: [page.picture], model: [page.model], fit: FITS, tab: tabs };
  const strange = Object.keys(page).filter((key) => !(known[key] ?? []).includes(page[key]));
  return [...strange, ...state.fromHash(text)];
}

test("what a page does not understand of a chapter is named", () => {
  const state = stateOn({ layers: 5, heads: 6, tokens: ["cls", "mean"], offers: { colours: ["viridis"], metric: ["energy"] } });
  const opens =
    "layer=99&head=6&direction=into&token=reg0&pinned=yes&opacity=80&skipWeight=nan&place=0.5&colours=jet&step=12&lyer=1&hover=0,0";
  const keys = opens.split("&").map((part) => part.split("=")[0]);
  assert.deepEqual(unread(`v=2&fit=stretch&tab=settings&page=2&${opens}`, state, ["methods"]), [
    "v",
    "fit",
    "tab",
    "page",
    ...keys,
  ]);
  assert.deepEqual(unread("v=1&fit=pad&tab=methods&layer=4&head=5&fusion=one&place=&moment=", state, ["methods"]), []);
  for (const sets of ["head=6", "layer=1&layer=last", "model=toy", "guess=1"])
    assert.equal(notUnderstood(state, { sets }), sets.split("&").at(-1));
  for (const [key, value] of [
    ["layer", 5],
    ["layer", "first"],
    ["head", "last"],
    ["pinned", 1],
    ["method", true],
    ["token", "reg9"],
  ])
    assert.equal(notUnderstood(state, { done: { [key]: value } }), `${key} = ${value}`);
  for (const [key, value] of [
    ["skipWeight", ">=much"],
    ["place", "0.5,0.5"],
    ["picture", 3],
    ["lyer", 1],
  ])
    assert.equal(notUnderstood(state, { done: { [key]: value } }), `${key} = ${value}`);
  const done = {
    layer: "last",
    place: "changed",
    moment: "none",
    guess: "any",
    skipWeight: ">=0.9",
    model: "changed",
    token: "mean",
  };
  assert.equal(notUnderstood(state, { sets: "layer=last", done }), "");
});

// ---- all chapters, as tests/page/test_textbook.py writes them

const given = process.env.VIZAPP_CHAPTERS ? JSON.parse(readFileSync(process.env.VIZAPP_CHAPTERS, "utf8")) : null;
const chapters = given?.chapters;

test(
  "a page understands each chapter, with a server and without one",
  { skip: !chapters && "run by tests/page/test_textbook.py, which knows the chapters" },
  () => {
    for (const { name, opens, exercises } of [...chapters, ...given.alone]) {
      const state = stateOn(given.networks[parse(`#${opens}`).page.model]);
      assert.deepEqual(unread(opens, state, given.tabs), [], `${name}: the link that opens it`);
      for (const one of exercises) assert.equal(notUnderstood(state, one), "", `${name}: an exercise`);
    }
  },
);

// A page that shows at once what a link says.
function reader() {
  const state = stateFor(panels);
  const page = { picture: "lesson/clutter/16", model: "toy" };
  const road = {
    open: (link) => {
      const said = new URLSearchParams(link.replace(/^#/, ""));
      for (const key of ["picture", "model"]) {
        page[key] = said.get(key) ?? page[key];
        said.delete(key);
      }
      said.delete("v");
      assert.deepEqual(state.fromHash(said.toString()), [], `${link} says what the viewer has not`);
    },
    here: () => `#v=1&picture=${page.picture}&model=${page.model}&${state.toHash()}`,
  };
  return { state, road, book: new Book(chapters, road, state) };
}

test(
  "each chapter sets the same, whatever was open before, and closing it gives back what was there",
  { skip: !chapters && "run by tests/page/test_textbook.py, which knows the chapters" },
  () => {
    for (const first of chapters) {
      for (const second of chapters) {
        const { state, road, book } = reader();
        state.set({ layer: 2, method: "rollout", skipWeight: 0.25, colours: "magma" });
        const before = road.here();
        book.open(first.name);
        assert.equal(state.get("chapter"), first.name);
        state.set({
          layer: 1,
          head: 3,
          fusion: "max",
          pinned: true,
          place: [0.1, 0.9],
          steps: true,
          opacity: 0.3,
          token: "mean",
        }); // a reader plays
        book.open(second.name);
        const fresh = reader();
        fresh.book.open(second.name);
        assert.equal(road.here(), fresh.road.here(), `${second.name} after ${first.name}`);
        book.close();
        assert.equal(road.here(), before, `${first.name}, ${second.name}, closed`);
      }
    }
  },
);

test(
  "the book opens where it was closed, and one that a link opened leaves the picture",
  { skip: !chapters && "run by tests/page/test_textbook.py, which knows the chapters" },
  () => {
    const { state, road, book } = reader();
    road.open(book.linkOf(chapters[2]));
    book.close();
    assert.equal(state.get("chapter"), null);
    book.memory.chapter = chapters[4].name;
    book.open();
    assert.equal(state.get("chapter"), chapters[4].name);
  },
);
