// Answers the viewer's questions about maps that were made here: a function per kind, like the files of ui/viewer/answers.

import { decode } from "./decode.js";
import { features } from "./features.js";
import { embedding } from "./patch.js";
import { steps } from "./steps.js";
import { sha256 } from "./sha256.js";
import { shares } from "./taught.js";

/**
 * @typedef {object} Look what is kept of an analysed picture
 * @property {() => Promise<import("./network.js").Network>} net
 * @property {() => Promise<{net: import("./network.js").Network, headMap: import("./maps.js").HeadMap}>} open
 * @property {string} model
 * @property {Uint8Array} file of the picture
 * @property {number} page of that file
 * @property {string} fit
 * @property {Float32Array} pixels
 */

/** kind -> (look, what, words of the section "export") -> answer
 * @type {Partial<Record<import("../../vocabulary.js").Question | "shares", (look: Look, what: any, words: any) => any>>} */
export const answers = {
  // This page has no second way to compute the same numbers, so the answer names the tests that compared them. What was compared
  // with numbers of rounded weights says so.
  proof: async ({ net }, _what, words) =>
    (await net()).file.isRounded ? { rounded: [words.rounded, words.made] } : { made: words.made },
  steps: async ({ net, pixels }, what) => steps(await net(), pixels, what),
  embedding: async ({ net, pixels }, what) => embedding(await net(), pixels, what),
  features: async ({ net, pixels }) => features(await net(), pixels),
  shares: async ({ net, pixels }, lesson) => ({ shares: shares(await net(), pixels, lesson) }),
  // As analysis/record.py says it of a picture; the page knows the rest.
  saving: async ({ file, page, fit }) => ({ about: { picture_sha256: sha256((await decode(file, page)).data), fit, edits: [] } }),
  classes: (_look, _what, words) => ({ why: words.needsGradients }),
};
