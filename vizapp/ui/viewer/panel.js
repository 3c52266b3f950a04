// What a panel is. See panels/README.md for how to add one.

/** @typedef {import("../../vocabulary.js").Question} Question */

/**
 * @typedef {object} Panel
 * @property {string} name
 * @property {"stage" | "told" | "top" | "explore" | "maps" | "found" | "doors" | "show" | "look" | "below"} place in the frame, see frame.js
 * @property {number} order among the panels of that place
 * @property {string} html in which $key stands for a word
 * @property {Record<string, string>} [keys] KeyboardEvent.key -> the word for what it does, listed on the page; "" if the
 *   page mentions the key only when it is of use
 * @property {Record<string, string>} [words] those that the table lacks
 * @property {(view: View) => boolean} [shows] whether it has something to say at this depth, of these maps; without it, always. A
 *   chapter shows the panels that it names in any case, and hides the others of most places
 * @property {Record<string, import("./state.js").Key<any>>} [state] keys of the state that only this panel reads
 * @property {(root: HTMLElement, given: Mount) => Mounted} mount
 *
 * @typedef {object} Mount what a panel is given: data, never the viewer
 * @property {import("./state.js").State} state
 * @property {(kind: Question, run: string, what?: any, how?: "unasked") => Promise<any>} ask the server; {} if it does not
 *   answer. "unasked": no visitor asked for it, and {dropped: true} is an answer
 * @property {import("./words.js").Words} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {Metric[]} metrics
 * @property {import("./book.js").Book} book the textbook
 * @property {import("./exercise.js").Exercise[]} exercises
 * @property {string[]} makes the files that the other side of `ask` can make, see mount.js
 * @property {() => string} named the picture's name, for files; "" if the page does not know it
 * @property {((page: number) => void) | null} turn show another page of the picture's file; null if nobody can
 * @property {(payload: import("./numbers/payload.js").Payload) => Promise<void>} change put other maps of the same picture on the
 *   stage; calls `swap` of all panels
 *
 * @typedef {object} Mounted the calls that a panel wants, any of
 * @property {(payload: import("./numbers/payload.js").Payload) => void} [reset] there is another picture
 * @property {(payload: import("./numbers/payload.js").Payload) => void} [swap] another model, same picture; the state stays
 * @property {(view: View) => void} [draw] the first half of a paint: read the page, draw on canvases. No panel has written to the page
 *   yet; after a write, each read (even setting a canvas's font) would make the browser lay the page out again
 * @property {(view: View) => Iterable<void>} [drawLater] after a paint: draw what asks for the maps of all layers. It yields where it
 *   may be continued in another task
 * @property {(view: View) => void} [show] the second half of a paint: write to the page
 * @property {(key: string) => boolean | void} [press] one of its keys was pressed; return false if there is nothing to do
 * @property {(said: string) => void} [fail] the maps did not arrive
 * @property {() => void} [stop] the maps are gone
 *
 * @typedef {ReturnType<import("./selectors.js").Selectors["view"]> & {progress: number, lights: string[], needs: string[], isReading: boolean, isPointing: boolean}} View
 *   see selectors.js; `lights`: panels that the open chapter is about; `needs`: these and others that it shows
 *
 * @typedef {object} Metric as the server declares it
 * @property {string} name
 * @property {string} title
 * @property {import("../../vocabulary.js").Format} format
 *
 * @typedef {object} Given what the page hands to a viewer
 * @property {Record<string, string>} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {Metric[]} metrics
 * @property {(asked: [Question, string, any, ...string[]]) => Promise<any>} ask
 * @property {import("./state.js").State} state
 * @property {import("./book.js").Book} book
 * @property {import("./exercise.js").Exercise[]} exercises
 * @property {string[]} makes
 * @property {() => string} named
 * @property {((page: number) => void) | null} turn
 */

export {};
