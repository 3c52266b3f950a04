// The first sentence beside the picture: what the network says, and how few patches hold half of the map. It tells no cause.

import { finder, put, write } from "../dom.js";
import { nameKey, plainName } from "../names.js";
import { spread } from "../numbers/spread.js";

const HALF = 0.5;
const ABOUT = ["from", "to", "rollout", "rollout_to", "map"];

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "headline",
  place: "told",
  order: 10,
  html: `<div class="viz-room viz-headline-room"><h2 class="viz-headline"></h2></div>`,
  shows: ({ depth, isReading }) => depth === "picture" && !isReading,
  mount(root, { words }) {
    const find = finder(root);

    /** @param {import("../panel.js").View} view */
    function show(view) {
      const [[label] = [""]] = view.payload.top;
      const says = label && !view.payload.caution ? words.say("headline_says", { label }) : "";
      if (!view.isPointing) {
        const [ofPatch, ofToken] = longest(words, view).map((half) => words.told([says, half]));
        put(find("headline-room"), { "data-pointed": ofPatch, "data-rest": ofToken });
      }
      write(find("headline"), words.told([says, halfOf(words, view)]));
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

// The longest that may be said of this picture, of a patch and of a token without a place: their room is kept, whichever is asked.
function longest(words, { payload, here, query }) {
  const { queries } = here;
  const all = queries.grid[0] * queries.grid[1];
  const tokens = [...payload.finest.prefix, ...payload.named].map((name) => words.say(...nameKey("name", name)));
  const names = [[plainName(words, queries.tokens - 1, queries)], [...tokens, plainName(words, query, queries)]];
  return names.map((some) => {
    const said = some.flatMap((name) => ABOUT.map((about) => words.say(`headline_${about}`, { name, patches: all, all })));
    return said.reduce((most, one) => (one.length > most.length ? one : most));
  });
}
