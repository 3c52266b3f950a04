// What an exercise of the textbook is. See exercises/README.md.

/**
 * @typedef {object} Exercise
 * @property {string} kind as chapters say it
 * @property {(box: HTMLElement, given: Given) => Mounted} mount
 *
 * @typedef {object} Given
 * @property {any} spec the exercise as its chapter has it
 * @property {string} name of it: of its chapter, and its number there
 * @property {number} chapter its number, from 1
 * @property {import("./state.js").State} state
 * @property {import("./words.js").Words} words
 * @property {Record<string, import("./drawing/colour.js").ColourMap>} colours
 * @property {(kind: string, what?: any) => Promise<any>} ask the server, of the picture that is shown
 * @property {(link: string) => void} open another picture, as a link names it
 * @property {() => string} here the link of what is shown
 * @property {(readings?: Record<string, string>) => void} done it is done: its answer is shown, with what it found itself; once
 *   more where it was done once more
 * @property {import("./memory.js").Memory} memory
 *
 * @typedef {object} Mounted
 * @property {(view: import("./panel.js").View) => void} [show] a paint
 * @property {() => void} [stop] it is left
 */

export {};
