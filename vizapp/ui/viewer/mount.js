// The entry of the bundle: makes an element a viewer. bundles.mjs writes the bundle's first lines, which pass the panels in.

import { ColourMap } from "./drawing/colour.js";
import { Book } from "./book.js";
import { KEYS } from "./keys.js";
import { State } from "./state.js";
import { PAGE_KEYS } from "./version.js";
import { Viewer } from "./viewer.js";

const MADE = ["film", "page", "code", "link"]; // what *Share* offers and only the page around it can make

/**
 * A state with the shared keys and those that these panels declare.
 * @param {import("./panel.js").Panel[]} panels
 */
export function stateFor(panels) {
  const declared = { ...KEYS };
  for (const { name, state = {} } of panels) {
    for (const [key, how] of Object.entries(state)) {
      if (Object.hasOwn(declared, key) || PAGE_KEYS.includes(key))
        throw new TypeError(`The panel '${name}' declares '${key}', which is there already.`);
      declared[key] = how;
    }
  }
  return new State(declared);
}

/**
 * Fill `root` with a viewer. Two viewers with one state show the same layer and query of two pictures.
 * @param {HTMLElement} root
 * @param {import("./panel.js").Panel[]} panels
 * @param {{words: Record<string, string>, colours: Record<string, string>, metrics: import("./panel.js").Metric[],
 *   ask: (asked: [import("../../vocabulary.js").Question, string, any, ...string[]]) => Promise<any>, state?: State, chapters?: import("./book.js").Chapter[],
 *   road?: import("./book.js").Road, exercises?: import("./exercise.js").Exercise[], makes?: string[], named?: () => string,
 *   turn?: ((page: number) => void) | null}} given
 *   `colours`: 256 RGB triples each, in base64; `makes`: what of MADE the page around it can make; `named`: the picture's name, for files; `turn`: shows another page of
 *   the picture's file
 */
export function mount(
  root,
  panels,
  {
    colours,
    state = stateFor(panels),
    chapters = [],
    road,
    exercises = [],
    makes = MADE,
    named = () => "",
    turn = null,
    ...given
  },
) {
  const maps = Object.fromEntries(Object.entries(colours).map(([name, table]) => [name, new ColourMap(table)]));
  // In a cell there is no page that could open pictures: links of the textbook then change the view only.
  const book = new Book(chapters, road ?? { open: (link) => void state.fromHash(link), here: () => state.toHash() }, state);
  return new Viewer(root, sorted(panels), { ...given, colours: maps, state, book, exercises, makes, named, turn });
}

function sorted(panels) {
  return [...panels].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}
