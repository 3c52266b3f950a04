// The state: what was saved, or written into a link, is the same when it is read, and nothing else can be set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEYS, OF_PICTURE } from "../../vizapp/ui/viewer/keys.js";
import { State, flag } from "../../vizapp/ui/viewer/state.js";
import { FUSIONS } from "../../vizapp/vocabulary.js";

let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const choose = (all) => all[Math.floor(random() * all.length)];
const point = () => [random() * 1.2 - 0.1, random()];
const line = () => ({ [choose(["stroke", "erase"])]: [point(), point()], radius: [0.1, 0.05] });
const shape = () => (random() < 0.5 ? { box: [...point(), ...point()] } : line());

// A value for each key, as a panel could set it.
const VALUES = {
  place: () => (random() < 0.3 ? null : point()),
  number: () => (random() < 0.3 ? null : point()),
  token: () => choose([null, "cls", "reg0", "cls+dist", "mean"]),
  hover: () => (random() < 0.5 ? null : point()),
  layer: () => choose([null, 0, 3, 11]),
  head: () => choose([0, 1, 15]),
  fusion: () => choose(["one", ...FUSIONS]),
  method: () => choose(["attention", "rollout"]),
  skipWeight: () => random(),
  direction: () => choose(["from", "to"]),
  peek: () => choose([null, [1, 2]]),
  scale: () => choose(["map", "layer", "all", "fixed"]),
  fixed: () => random(),
  colours: () => choose(["viridis", "magma"]),
  opacity: () => random(),
  crossBlock: () => choose([null, 0, 5]),
  crossQuery: () => choose([0, 17]),
  metric: () => choose(["energy", "pointing_near"]),
  tool: () => choose([null, "box", "brush", "eraser"]),
  hand: () => choose([null, { at: point(), from: null }, { at: point(), from: point() }]),
  shapes: () => Array.from({ length: Math.floor(3 * random()) }, shape),
  past: () => [[]],
  things: () =>
    choose([
      [],
      [
        { name: "cat & dog", at: [point(), point()] },
        { name: "", at: [] },
      ],
    ]),
  thing: () => choose([0, 4]),
  taught: () => choose([null, { run: "a", grid: [1, 1], things: 2, labels: [[0, 0.5]] }]),
  guess: () => choose([null, [], [point()]]),
  chapter: () => choose([null, "cls"]),
  marked: () => choose([[], [point()]]),
  sinksFound: () => ({ run: [[1, 2, 0.5, 0, 3]] }),
};

function randomState() {
  const state = new State(KEYS);
  const some = Object.keys(KEYS).filter(() => random() < 0.6);
  state.set(Object.fromEntries(some.map((key) => [key, (VALUES[key] ?? (() => random() < 0.5))()])));
  return state;
}

const lasting = (state) => Object.fromEntries(Object.entries(state.all()).filter(([key]) => !KEYS[key].passes));

test("any state is the same after a link, and after JSON", () => {
  const links = new Set();
  for (let i = 0; i < 500; i++) {
    const state = randomState();
    const read = new State(KEYS);
    read.fromHash(`#${state.toHash()}`);
    assert.deepEqual(lasting(read), lasting(state));
    const loaded = new State(KEYS);
    loaded.load(JSON.parse(JSON.stringify(state.save())));
    assert.deepEqual(lasting(loaded), lasting(state));
    links.add(state.toHash());
  }
  assert.ok(links.size > 400);
});

test("what is of the moment is not kept, and a state of defaults is an empty link", () => {
  const state = new State(KEYS);
  state.set({ hover: [0.5, 0.5], peek: [0, 1], tool: "box", sinksFound: { run: [] } });
  assert.equal(state.toHash(), "");
  assert.deepEqual(state.save(), {});
});

test("what is not declared cannot be set, nor what does not fit", () => {
  const state = new State(KEYS);
  const before = state.all();
  assert.throws(() => state.set({ laier: 1 }), /laier/);
  assert.throws(() => state.get("toString"), /toString/);
  const wrong = {
    layer: -1,
    head: 1.5,
    fusion: "sum",
    opacity: 2,
    place: [0.5],
    pinned: 1,
    token: "<b>",
    shapes: [{}],
    colours: null,
  };
  for (const [key, value] of Object.entries(wrong)) assert.throws(() => state.set({ layer: 0, [key]: value }), new RegExp(key));
  assert.deepEqual(state.all(), before, "all of a change or nothing");
});

test("a link may come from anybody", () => {
  const hostile = [
    "layer=99999999999&head=x&fusion=__proto__&place=1,2,3&place=NaN,NaN&shapes={{&opacity=",
    "__proto__=1&constructor=2&toString=3&layer=1e400&fixed=Infinity",
    "shapes=" + encodeURIComponent(JSON.stringify([{ box: [1, 2, 3, "4"] }])),
    "%E0%A4%A",
    "&&&===",
    "colours=%3Cimg%20onerror%3D1%3E",
    "\u0000",
  ];
  for (const text of hostile) {
    const state = new State(KEYS);
    state.fromHash(text);
    assert.equal(state.toHash(), "", text);
  }
  const state = new State(KEYS);
  for (const saved of [null, 7, "text", [], { layer: "2", nonsense: 1 }]) state.load(saved);
  assert.deepEqual(state.all(), new State(KEYS).all());
  state.fromHash("layer=2&nonsense=1&head=-1");
  assert.deepEqual(state.save(), { layer: 2 });
});

test("listeners hear once what has changed, and nothing if nothing has", () => {
  const state = new State(KEYS);
  const heard = [];
  const stop = state.subscribe((changed) => heard.push(changed));
  state.set({ layer: 2, head: 0, place: [0.5, 0.25] });
  state.set({ layer: 2, place: [0.5, 0.25] });
  state.set(OF_PICTURE);
  stop();
  state.set({ layer: 1 });
  assert.deepEqual(heard, [
    ["layer", "place"],
    ["place", "question"],
  ]);
});

test("a panel's own key is kept like the others", () => {
  const state = new State({ ...KEYS, ghosts: flag(false) });
  state.set({ ghosts: true });
  const read = new State({ ...KEYS, ghosts: flag(false) });
  read.fromHash(state.toHash());
  assert.equal(read.get("ghosts"), true);
});

test("what a link says that is not understood is named", () => {
  const state = new State(KEYS);
  assert.deepEqual(state.fromHash("layer=2&nonsense=1&head=-1&hover=0.5%2C0.5&shapes=%7B"), [
    "nonsense",
    "head",
    "hover",
    "shapes",
  ]);
  assert.deepEqual(state.save(), { layer: 2 });
  assert.deepEqual(state.fromHash(""), []);
});

test("a name can be bound to what is offered", () => {
  const state = new State(KEYS);
  state.offer("colours", ["magma"]);
  state.set({ colours: "magma" });
  assert.deepEqual(state.fromHash("colours=constructor"), ["colours"]);
  assert.equal(state.get("colours"), "viridis");
  assert.equal(new State(KEYS).key("colours").fits("jet"), true, "in this state only");
});
