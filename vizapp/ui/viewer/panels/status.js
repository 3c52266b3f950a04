// The sentence below the picture: what the map shows for the query, or why there is no map.

import { THROUGH_LAYERS } from "../../../vocabulary.js";
import { finder, put, speaker, write } from "../dom.js";
import { LONGEST, isOfHeads, longestSentence, mapSentence, spreadSentence, tokenName } from "../names.js";
import { percent } from "../numbers/format.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "status",
  place: "told",
  order: 40,
  html: `<div class="viz-room"><p class="viz-status"></p></div>`,
  shows: ({ depth, isReading }) => depth !== "number" && depth !== "teach" && !isReading,
  mount(root, { words }) {
    const find = finder(root);
    const status = find("status");
    const speak = speaker(status);

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const said = view.map.values ? words.told(sentences(words, view)) : whyNothing(words, view);
      write(status, said);
      // Room for all that may be said while patches are pointed at, and for what is said when the mouse leaves.
      if (!view.isPointing) {
        put(find("room"), { "data-pointed": words.told(longest(words, view)), ...(view.hovered ? {} : { "data-rest": said }) });
      }
      speak(() => (view.map.values ? words.told([mapSentence(words, view), spreadSentence(words, view)]) : status.textContent));
    }

    function fail(said) {
      root.hidden = false; // beside a chapter, too
      write(status, said);
      speak(() => said);
    }

    return { show, fail };
  },
};

function sentences(words, view) {
  const { values } = view.map;
  const last = view.pinned && !view.crossed ? words.say("is_pinned") : notShown(words, view);
  const later = view.rollsLater ? words.say("rolls_later") : "";
  return [mapSentence(words, view), ofWindow(words, view), ofSigns(words, values), last, later];
}

// The same of any patch that is pointed at, at its longest.
function longest(words, view) {
  const { values } = view.map;
  const last = view.pinned && !view.crossed ? words.say("is_pinned") : words.told(onPrefix(words, view, LONGEST, LONGEST));
  const signs = values ? ofSigns(words, values) : "";
  return [longestSentence(words, view), ofWindow(words, view), signs, last, view.rollsLater ? words.say("rolls_later") : ""];
}

function whyNothing(words, view) {
  const { payload, layer, method, here, query } = view;
  if (view.crossed) return words.say(here.kind === "asked" ? "cross_large" : "arriving");
  if (!view.knows) return words.say("no_such_token", { layer: layer + 1, name: tokenName(words, view, query) });
  if (here.kind === "mean" && payload.complete && (method === "attention" || isOfHeads(view))) return words.say("only_mean");
  if (method === "rollout" && payload.complete) return words.say("rolling", { share: percent(view.progress) });
  if (here.kind === "asked") return words.say(view.isLost ? "asked_lost" : "asked");
  return words.say("arriving");
}

// In a layer that looks in windows, or under a mask, no patch sees all of the picture.
function ofWindow(words, { reach, kind, here }) {
  const [from, to] = here.windowed ? ["window_from", "window_to"] : ["mask_from", "mask_to"];
  return reach ? words.say(kind === "to" ? to : from) : "";
}

// Networks that mix their heads may give weights below zero, which no colour shows.
function ofSigns(words, values) {
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  return low < 0 ? words.say("negative", { share: percent(low) }) : "";
}

// The share that the picture does not show: on prefix tokens and on padding.
function notShown(words, view) {
  if (!view.isWhole) return "";
  const { values, layout } = view.map;
  const share = values.subarray(0, layout.first).reduce((a, b) => a + b, 0);
  const rest = 1 - values.reduce((a, b) => a + b, 0);
  return words.told(onPrefix(words, view, share, rest > 0.005 ? rest : 0));
}

function onPrefix(words, { method, map, here }, share, rest) {
  const { first, prefix } = map.layout;
  const said = [];
  if (first) said.push(words.say(prefix.join() === "cls" ? "on_cls" : "on_prefix", { share: percent(share) }));
  if (here.windowed && !THROUGH_LAYERS[method] && rest) said.push(words.say("on_padding", { share: percent(rest) }));
  return said;
}
