// The first sentence beside the picture: what the network says, and how few patches hold half of the map. It tells no cause.

import { finder, write } from "../dom.js";
import { plainName } from "../names.js";
import { spread } from "../numbers/spread.js";

const HALF = 0.5;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "headline",
  place: "told",
  order: 10,
  html: `<h2 class="viz-headline"></h2>`,
  shows: ({ depth, isReading }) => depth === "picture" && !isReading,
  mount(root, { words }) {
    const line = finder(root)("headline");

    /** @param {import("../panel.js").View} view */
    function show(view) {
      const [[label] = [""]] = view.payload.top;
      const says = label && !view.payload.caution ? words.say("headline_says", { label }) : "";
      write(line, words.told([says, halfOf(words, view)]));
    }

    return { show };
  },
};

// In how few of the patches half of what falls on patches lies; "" while nothing is known, or if a fusion makes it no share.
function halfOf(words, view) {
  const { map, kind, isWhole } = view;
  const found = map.values && spread(map.values, map.layout, HALF);
  if (!found) return "";
  const about = isWhole || kind === "to" ? kind : "map";
  return words.say(`headline_${about}`, {
    name: plainName(words, view.query, view.here.queries),
    patches: found.patches,
    all: found.all,
  });
}
