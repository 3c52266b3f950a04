// What the viewer asks of maps that were made here: a function per kind of question, as files of ui/viewer/answers are.

import { decode } from "./decode.js";
import { features } from "./features.js";
import { embedding } from "./patch.js";
import { steps } from "./steps.js";
import { sha256 } from "./sha256.js";
import { shares } from "./taught.js";

/**
 * @typedef {object} Look what is kept of a picture that was looked at
 * @property {() => Promise<import("./network.js").Network>} net
 * @property {() => Promise<{net: import("./network.js").Network, headMap: import("./maps.js").HeadMap}>} open
 * @property {string} model
 * @property {Uint8Array} file of the picture
 * @property {string} fit
 * @property {Float32Array} pixels
 */

/** kind -> (look, what, words of the section "export") -> answer
 * @type {Record<string, (look: Look, what: any, words: any) => any>} */
export const answers = {
  // There is no second way in this page to make the same numbers: it is said who compared them.
  proof: (_look, _what, words) => ({ untested: words.untested }),
  steps: async ({ net, pixels }, what) => steps(await net(), pixels, what),
  embedding: async ({ net, pixels }, what) => embedding(await net(), pixels, what),
  features: async ({ net, pixels }) => features(await net(), pixels),
  shares: async ({ net, pixels }, lesson) => ({ shares: shares(await net(), pixels, lesson) }),
  // As analysis/record.py says it of a picture; the page knows the rest.
  saving: async ({ file, fit }) => ({ about: { picture_sha256: sha256((await decode(file)).data), fit, edits: [] } }),
  classes: (_look, _what, words) => ({ why: words.needsGradients }),
};
