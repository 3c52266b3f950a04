// Questions about an analysed picture that take many passes: a method's map, and how faithful a map is.

import { coarseOf, curves, withAreas } from "./faithfulness.js";
import { methods } from "./methods/index.js";
import { Patches } from "./patches.js";
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
      return withAreas(yield* work);
    })();
  },

  /** The same of `count` random orders, the first of which has the seed `from`: at the points that decide an area. */
  async chance(look, { from, count, target, lesson }) {
    const its = { ...(await seen(look, lesson)), target };
    const shares = coarseOf(new Patches(its.net.header).count);
    return (function* () {
      const drawn = [];
      for (let i = 0; i < count; i++) {
        const scores = yield* part(methods.random(its, { seed: from + i }), i, count, 0);
        drawn.push(withAreas(yield* part(curves(its, scores, shares), i, count, 1)));
      }
      return drawn;
    })();
  },
};

/** @param {Look | undefined} look @param {Lesson} [lesson] */
async function seen(look, lesson) {
  if (!look) throw new Refused("methodsGone");
  const { net, headMap } = await look.open();
  return { net: lesson ? taught(net, lesson) : net, headMap, pixels: look.pixels };
}

/** Yield the progress of work `i` of `count`, which counts only where it is the long one of its kind. */
function* part(work, i, count, weight) {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield (i + weight * step.value) / count;
  }
}
