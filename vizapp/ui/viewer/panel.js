// What a panel is. See panels/README.md for how to add one.

/**
 * @typedef {object} Panel
 * @property {string} name
 * @property {"top" | "stage" | "told" | "explore" | "show" | "maps" | "look" | "below"} place where it stands, see frame.js
 * @property {number} order among the panels of that place
 * @property {string} html in which $key stands for a word
 * @property {Record<string, string>} [keys] KeyboardEvent.key -> the word for what it does, shown on the page; "" where
 *   the page says it when there is use for it
 * @property {Record<string, string>} [words] those that the table has not got
 * @property {Record<string, import("./state.js").Key<any>>} [state] keys of the state that only this panel knows
 * @property {(root: HTMLElement, given: Mount) => Mounted} mount
 *
 * @typedef {object} Mount what a panel is given: data, never the viewer
 * @property {import("./state.js").State} state
 * @property {(kind: string, run: string, what?: any, how?: "unasked") => Promise<any>} ask the server; {} if it does not
 *   answer. "unasked": no visitor asked for it, and {dropped: true} is an answer
 * @property {import("./words.js").Words} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {Metric[]} metrics
 * @property {import("./book.js").Book} book the textbook
 * @property {import("./exercise.js").Exercise[]} exercises
 * @property {string[]} makes what the other side of `ask` can make, see mount.js
 * @property {(payload: import("./numbers/payload.js").Payload) => Promise<void>} change put other maps of the same picture on the
 *   stage; all panels hear of it by `swap`
 *
 * @typedef {object} Mounted any of
 * @property {(payload: import("./numbers/payload.js").Payload) => void} [reset] another picture
 * @property {(payload: import("./numbers/payload.js").Payload) => void} [swap] the same picture by another model, the state stays
 * @property {(view: View) => void} [draw] a paint: read the page and draw on canvases here, before any panel writes to the page, which
 *   would be laid out anew for each that reads it then (to set a canvas's font reads it, too)
 * @property {(view: View) => void} [show] then write to the page
 * @property {(key: string) => boolean | void} [press] one of its keys; false if there is nothing to do
 * @property {(said: string) => void} [fail] the maps did not come
 * @property {() => void} [stop] there are no maps any more
 *
 * @typedef {ReturnType<import("./selectors.js").Selectors["view"]> & Record<"progress", number>} View see selectors.js
 *
 * @typedef {object} Metric as the server declares it
 * @property {string} name
 * @property {string} title
 * @property {string} format "percent", "times" or "number"
 *
 * @typedef {object} Given what the page hands to a viewer
 * @property {Record<string, string>} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {Metric[]} metrics
 * @property {(asked: [string, string, any, ...string[]]) => Promise<any>} ask
 * @property {import("./state.js").State} state
 * @property {import("./book.js").Book} book
 * @property {import("./exercise.js").Exercise[]} exercises
 * @property {string[]} makes
 */

export {};
