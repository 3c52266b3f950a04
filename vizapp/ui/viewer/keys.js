// Every key of the state that more than one panel reads. What only one panel knows, it declares itself.

import { flag, index, json, moving, name, number, oneOf, passing, place } from "./state.js";

const MOST_SHAPES = 500;
const isPoint = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
const isLine = (points) => Array.isArray(points) && points.length > 0 && points.every(isPoint);
const isShape = (shape) =>
  Array.isArray(shape?.box)
    ? shape.box.length === 4 && shape.box.every(Number.isFinite)
    : isLine(shape?.stroke ?? shape?.erase) && isPoint(shape.radius);
const areShapes = (shapes) => Array.isArray(shapes) && shapes.length <= MOST_SHAPES && shapes.every(isShape);

const areGuesses = (places) => places === null || (Array.isArray(places) && places.length <= 9 && places.every(isPoint));

const isThing = (thing) =>
  typeof thing?.name === "string" && thing.name.length <= 40 && thing.at !== null && areGuesses(thing.at);
const areThings = (things) => Array.isArray(things) && things.length <= 5 && things.every(isThing);

export const KEYS = {
  // what is asked: the patch at a place, a token by its name, or, with neither, what the classifier reads
  place: place(),
  token: name(null),
  pinned: flag(false),
  hover: moving(passing(place())), // the patch under the mouse, asked if none is pinned, else read

  // which map
  layer: index(null), // null: the one on which the picture opens, until there is a picture
  head: index(0),
  fusion: oneOf("mean", ["one", "mean", "max", "min"]), // "one": the head alone
  method: oneOf("attention", ["attention", "rollout"]),
  skipWeight: number(0.5, 0, 1),
  direction: oneOf("from", ["from", "to"]),
  crossBlock: index(null), // of attention whose queries are no patches, shown in place of a layer; null: the layer
  crossQuery: index(0),
  peek: moving(passing(json(null, (value) => value === null || isPoint(value)))), // [row, column] of the atlas under the mouse

  // how one number of the map came about
  steps: flag(false), // is it told?
  number: place(), // of which patch; null: of the one with the largest value

  // things that are taught by example
  teach: flag(false), // does a click mark a patch?
  things: json([], areThings), // [{name, at: places}]
  thing: passing(index(0)), // which of them is marked
  labelled: passing(flag(true)), // are the patches coloured, in place of the map?
  taught: passing(json(null, (taught) => taught === null || Array.isArray(taught?.labels))), // {run, grid, things: how many, labels: [[thing, share], ...], these, prototypes}

  // the textbook
  chapter: name(null), // which is open
  guess: passing(json(null, areGuesses)), // places of patches, while one guesses where the query looks: its map is hidden
  marked: passing(json([], areGuesses)), // and those that were guessed, to be compared with the map

  // how it looks
  scale: oneOf("map", ["map", "layer", "all", "fixed"]),
  fixed: number(0.05, 0, 1), // the value of the top colour of the fixed scale
  colours: name("viridis"),
  opacity: number(0.8, 0, 1),
  byValue: flag(true),
  smooth: flag(false),
  grid: flag(true),

  // what it is measured against
  metric: name("energy"),
  outline: flag(true),
  hand: moving(passing(json(null, (hand) => hand === null || (isPoint(hand?.at) && (!hand.from || isPoint(hand.from)))))), // see key_pen.js
  tool: passing(oneOf(null, [null, "box", "brush", "eraser"])),
  shapes: moving(json([], areShapes)),
  past: moving(passing(json([], (past) => Array.isArray(past) && past.every(areShapes)))), // for undo

  // sinks of runs whose maps came without them, [[row, col, share, first layer, last layer], ...], once they were looked for
  sinks: flag(true), // look for them, mark them, say what they take
  sinksApart: flag(false), // leave them out of the scale
  sinksFound: passing(json({}, (found) => typeof found === "object" && found !== null)),
};

// What belongs to one picture, and is given up with it.
export const OF_PICTURE = {
  place: null,
  token: null,
  pinned: false,
  hover: null,
  number: null,
  guess: null,
  marked: [],
  direction: "from",
  tool: null,
  hand: null,
  shapes: [],
  past: [],
};
