// The keys of the state that several panels read. A panel declares by itself the keys that only it reads.

import {
  CHAINS,
  DIRECTIONS,
  FUSIONS,
  MOST_MARKS,
  MOST_THINGS,
  OPACITY,
  SCALES,
  SKIP_WEIGHT,
  THING_LETTERS,
  TOOLS,
} from "../../vocabulary.js";
import { flag, index, json, moving, name, number, oneOf, passing, place } from "./state.js";

const MOST_SHAPES = 500;
const isPoint = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
const isLine = (points) => Array.isArray(points) && points.length > 0 && points.every(isPoint);
const isShape = (shape) =>
  Array.isArray(shape?.box)
    ? shape.box.length === 4 && shape.box.every(Number.isFinite)
    : isLine(shape?.stroke ?? shape?.erase) && isPoint(shape.radius);
const areShapes = (shapes) => Array.isArray(shapes) && shapes.length <= MOST_SHAPES && shapes.every(isShape);

const areGuesses = (places) => places === null || (Array.isArray(places) && places.length <= MOST_MARKS && places.every(isPoint));

const isThing = (thing) =>
  typeof thing?.name === "string" && thing.name.length <= THING_LETTERS && thing.at !== null && areGuesses(thing.at);
const areThings = (things) => Array.isArray(things) && things.length <= MOST_THINGS && things.every(isThing);

export const KEYS = {
  // the query: the patch at a place, a token by its name, or, with neither, the query that the classifier reads
  place: place(),
  token: name(null),
  pinned: flag(false),
  hover: moving(passing(place())), // the patch under the mouse: the query if none is pinned, else only read out

  // which map
  layer: index(null), // null: no picture yet; the picture then chooses the layer on which it opens
  head: index(0),
  fusion: oneOf("mean", ["one", ...FUSIONS]), // "one": the head alone
  method: oneOf("attention", CHAINS),
  skipWeight: number(SKIP_WEIGHT, 0, 1),
  direction: oneOf("from", DIRECTIONS),
  crossBlock: index(null), // a block whose queries are not patches, shown in place of a layer; null: the layer is shown
  crossQuery: index(0),
  peek: moving(passing(json(null, (value) => value === null || isPoint(value)))), // [row, column] of the atlas under the mouse

  // how deep the visitor has gone, see zoom.js: at most one of `atlas`, `score`, `steps` and `teach` is true
  atlas: flag(false), // whether all maps are shown at once
  score: flag(false), // whether the map is compared with the object
  question: flag(false), // whether the question of a scene stands beside the picture, too, and not only beside the scores

  // how one number of the map is computed
  steps: flag(false), // whether the steps are shown
  number: place(), // the patch whose number it is; null: the one with the largest value

  // things that are taught by example
  teach: flag(false), // whether a click marks a patch
  things: json([], areThings), // [{name, at: places}]
  thing: passing(index(0)), // the one that a click marks
  labelled: passing(flag(true)), // whether the patches' labels are shown in place of the map
  taught: passing(json(null, (taught) => taught === null || Array.isArray(taught?.labels))), // {run, grid, things: how many, labels: [[thing, share], ...], these, prototypes}

  // the textbook
  chapter: name(null), // the open one
  guess: passing(json(null, areGuesses)), // the patches that a reader guesses the query looks at; meanwhile the map is hidden
  marked: passing(json([], areGuesses)), // the guessed patches, shown on the map afterwards

  // how it looks
  scale: oneOf("map", SCALES),
  fixed: number(0.05, 0, 1), // the value of the top colour of the fixed scale
  colours: name("viridis"),
  opacity: number(OPACITY, 0, 1),
  byValue: flag(true),
  smooth: flag(false),
  grid: flag(true),

  // how maps are scored against the object
  metric: name("energy"),
  outline: flag(true),
  hand: moving(passing(json(null, (hand) => hand === null || (isPoint(hand?.at) && (!hand.from || isPoint(hand.from)))))), // see key_pen.js
  tool: passing(oneOf(null, [null, ...TOOLS])),
  shapes: moving(json([], areShapes)),
  past: moving(passing(json([], (past) => Array.isArray(past) && past.every(areShapes)))), // for undo

  // sinks, [[row, col, share, first layer, last layer], ...] each; some runs send their maps without them, and are asked later
  sinks: flag(true), // find and mark them, and say how much attention they take
  sinksApart: flag(false), // leave them out of the colour scale
  sinksFound: passing(json({}, (found) => typeof found === "object" && found !== null)),
};

// The keys that belong to one frame of a film, and return to their defaults with the next: what is asked stays.
export const OF_FRAME = {
  guess: null,
  marked: [],
  tool: null,
  hand: null,
  shapes: [],
  past: [],
};

// The keys that belong to one picture, and return to their defaults with the next. Whoever chooses one is asked its question.
export const OF_PICTURE = {
  place: null,
  token: null,
  pinned: false,
  hover: null,
  number: null,
  direction: "from",
  question: true,
  ...OF_FRAME,
};
