// What is not shown of this network, and why.

import { finder } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "about",
  place: "top",
  order: 20,
  html: `<p class="viz-about"></p>`,
  mount(root, { words }) {
    const about = finder(root)("about");

    function begin({ noChain, isLarge, isMean, skipped }) {
      const said = [];
      if (noChain) said.push(words.say("no_rollout", { reason: noChain }));
      else if (isLarge) said.push(words.say("no_rollout_large"));
      if (isMean) said.push(words.say("only_mean"));
      for (const reason of new Set(skipped.map(([, why]) => why))) {
        const names = skipped.filter(([, why]) => why === reason).map(([name]) => name);
        const word = names.length > 1 ? "skipped_many" : "skipped";
        said.push(words.say(word, { name: names[0], more: names.length - 1, reason }));
      }
      about.textContent = about.title = words.told(said);
    }

    return { reset: begin, swap: begin };
  },
};
