// The page's contents: a description, and blobs by name, inside this file or in a folder beside it.

import { bytesOf } from "../../ui/viewer/numbers/base64.js";
import { bytesOfSeptets } from "./base128.js";

/**
 * @typedef {object} Language
 * @property {string} tag
 * @property {Record<string, string>} page
 * @property {Record<string, string>} viewer
 * @property {Record<string, string>} link
 * @property {Record<string, string>} incoming
 * @property {Record<string, string>} export
 * @property {string} help HTML
 * @property {any[]} metrics
 * @property {any[]} chapters
 * @property {{here: import("./methods/told.js").Method[], elsewhere: string, lacking?: string, truth?: string, widths?: number[],
 *   columns?: {name: string, title: string, header: string}[]}} methods with a server also: those that are not installed; what is said of
 *   a known object, and the columns of the metrics that find it; widths of the maps' file
 *
 * @typedef {{name: string, titles: Record<string, string>, blob: string | null, why: Record<string, string>, subject: string, notes: Record<string, string[]>,
 *   labels: Record<string, string[]>, about: Record<string, any>}} Model `blob`: null if only its maps are on board, and `why` in each
 *   language; `titles`: how each language calls it, none where that is its name; `labels`: in languages that say them otherwise
 * @typedef {{names: Record<string, string>, object: boolean, mask: string}} Truth
 * @typedef {{name: string, file: string, type: string, credit: string, asked: Record<string, any> | null,
 *   truth: Truth[], drawn: boolean, notes: Record<string, string[]>, url?: string}} Picture `credit`: whose photo it is, as its file says; `drawn`: a scene
 *   of the toy world; `notes` on how it was read, which its file does not tell
 * @typedef {{payload: string, headers: Record<string, any>, about: Record<string, any>}} Ready `about`: where it comes from
 *
 * @typedef {object} About
 * @property {string} version
 * @property {{model: string, picture: string}} start
 * @property {Record<string, Language>} languages
 * @property {string} [worker] where the engine's script is
 * @property {string} [engine] in one file: the blob that is that script
 * @property {string} [app] in one file: the blob that is the page's own script
 * @property {string} [about] in one file, before it is unpacked: the blob that is all of this
 * @property {Record<string, string>} colours
 * @property {{for: string, against: string}} twoSided
 * @property {Record<string, string[]>} [suits] with a server: the networks for each lesson
 * @property {{file: {url: string}, bytes: number, first: number, run: string} | null} [opening] with a server: the first maps
 * @property {Record<string, {tag: string, page: {language: string}}>} [others] with a server: the languages that have pages of their own
 * @property {string} [root] with a server: its address, from the page's
 * @property {number} [app] with a server: names the process that sent the page
 * @property {boolean} [searches] with a server: whether others than `models` may be named
 * @property {Model[]} models
 * @property {Picture[]} pictures
 * @property {Record<string, Record<string, Ready>>} maps by model and picture
 * @property {Record<string, Record<string, Record<string, any>>>} moments of films: by model, picture and step
 * @property {Record<string, Record<string, Record<string, Record<string, any>>>>} answers by model, picture, language, and question
 */

export class Cargo {
  constructor() {
    /** @type {About} */
    this.about = JSON.parse(document.getElementById("about").textContent);
    /** @type {Map<string, Promise<Uint8Array>>} */
    this.had = new Map();
  }

  /** Load a blob; once loaded, it stays in memory. @param {string} name @returns {Promise<Uint8Array>} */
  get(name) {
    if (!this.had.has(name)) this.had.set(name, this.fetch(name));
    return this.had.get(name);
  }

  async fetch(name) {
    const inside = /** @type {HTMLScriptElement} */ (document.querySelector(`script[data-blob="${name}"]`));
    const packed = inside ? inlined(inside) : await this.sent(`data/${name}.bin`);
    const unpacked = new Blob([/** @type {any} */ (packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return inOrder(new Uint8Array(await new Response(unpacked).arrayBuffer()));
  }

  async sent(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

/** @param {HTMLScriptElement} script */
const inlined = ({ type, textContent, dataset }) =>
  type === "text/base64" ? bytesOf(textContent) : bytesOfSeptets(textContent, Number(dataset.bytes));

/** Undo the order of bytes in a blob, where all lower bytes of pairs may come before the upper ones (see cargo.py). @param {Uint8Array<ArrayBuffer>} bytes */
function inOrder(bytes) {
  if (bytes[0] === 1) return bytes.slice(1); // a copy, because typed arrays must begin at even addresses
  const ordered = new Uint8Array(bytes.length - 1);
  const seconds = Math.ceil(ordered.length / 2) + 1;
  for (let at = 0; at < ordered.length; at++) ordered[at] = bytes[at & 1 ? seconds + (at >> 1) : 1 + (at >> 1)];
  return ordered;
}
