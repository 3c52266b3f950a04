// Questions about an analysed picture that take many passes: a method's map, and how faithful a map is.

import { area, curves } from "./faithfulness.js";
import { methods } from "./methods/index.js";
import { probabilities } from "./probabilities.js";
import { Refused } from "./refused.js";
import { taught } from "./taught.js";

/** @typedef {import("./answers.js").Look} Look
 * @typedef {import("./taught.js").Lesson | null} Lesson things that the network was taught: they are its classes then */

/** Each returns a generator that yields the share that is done, and returns the answer.
 * @type {Record<string, (look: Look | undefined, what: any) => Promise<Generator<number, any>>>} */
export const explaining = {
  /** The classes of a network for this picture, the most probable first: [index, label, probability][]; [] where it has none. */
  async classes(look) {
    const { net } = await seen(look);
    return (function* () {
      yield 0;
      const { labels, activation } = net.header;
      if (!labels.length || activation === "none") return [];
      const shares = probabilities(net.forward(look.pixels).logits, activation);
      return labels.map((label, i) => [i, label, shares[i]]).sort((a, b) => b[2] - a[2]);
    })();
  },

  /** A value for each patch, by a method's name; of a class, by its index. */
  async explain(look, { method, target, lesson }) {
    return methods[method]({ ...(await seen(look, lesson)), target }, {});
  },

  /** How the class's probability falls while patches go in the order of a map, and rises while they come; both areas. */
  async judge(look, { scores, target, lesson }) {
    const work = curves({ ...(await seen(look, lesson)), target }, scores);
    return (function* () {
      const found = yield* work;
      const areas = [found.deletion, found.insertion].map((values) => area(found.share, values));
      return { ...found, areas };
    })();
  },
};

/** @param {Look | undefined} look @param {Lesson} [lesson] */
async function seen(look, lesson) {
  if (!look) throw new Refused("methodsGone");
  const { net, headMap } = await look.open();
  return { net: lesson ? taught(net, lesson) : net, headMap, pixels: look.pixels };
}
