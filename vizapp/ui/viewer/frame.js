// The frame of a viewer: named places for panels, and behind "?" the line that lists their keys (on touch screens, a line of gestures).

import { closing } from "./dom.js";

const HTML = `
  <div class="viz-refusal" role="alert"></div>
  <div class="viz-columns">
    <section class="viz-stage" data-place="stage" tabindex="0" role="application" aria-label="$stage_label"></section>
    <div class="viz-side">
      <div class="viz-told" data-place="told"></div>
      <div class="viz-place" data-place="top"></div>
      <section class="viz-explore" data-place="explore"></section>
      <div class="viz-deep" data-place="maps"></div>
      <div class="viz-found" data-place="found"></div>
      <div class="viz-doors" data-place="doors"></div>
      <div class="viz-foot">
        <details class="viz-more viz-look-more">
          <summary title="$look_help">$look_open</summary>
          <div class="viz-more-panel">
            <div class="viz-row" data-place="show"></div>
            <div class="viz-place" data-place="look"></div>
          </div>
        </details>
        <details class="viz-more viz-keys-more">
          <summary title="$keys_open" aria-label="$keys_open">?</summary>
          <div class="viz-more-panel">
            <div class="viz-keys"></div><p class="viz-keys-when">$keys_help</p><p class="viz-touch">$touch_help</p>
          </div>
        </details>
      </div>
    </div>
  </div>
  <div class="viz-below" data-place="below"></div>
`;
const ARROWS = { ArrowLeft: "\u2190", ArrowUp: "\u2191", ArrowRight: "\u2192", ArrowDown: "\u2193" };

/** Fill the root; the places for panels by name. @returns {Record<string, HTMLElement>} */
export function frame(root, words) {
  root.replaceChildren(words.fill(HTML));
  for (const box of root.querySelectorAll(".viz-foot details")) closing(/** @type {HTMLDetailsElement} */ (box));
  return Object.fromEntries([...root.querySelectorAll("[data-place]")].map((place) => [place.dataset.place, place]));
}

/** List the keys of the panels that have a word. The table of words sets the order, so that each language can choose its own. */
export function legend(line, panels, table) {
  const order = Object.keys(table.table);
  const place = (word) => (table.has(word) ? order.indexOf(word) : order.length);
  const entries = new Map(); // word -> {said, keys}
  for (const { keys, words } of panels) {
    for (const [key, word] of Object.entries(keys)) {
      if (!word) continue;
      if (!entries.has(word)) entries.set(word, { said: words.say(word), keys: [] });
      const { keys: known } = entries.get(word);
      if (!known.includes(key)) known.push(key);
    }
  }
  const sorted = [...entries].sort(([a], [b]) => place(a) - place(b)).map(([, entry]) => entry);
  line.replaceChildren(table.say("keys"), ...sorted.flatMap((entry) => [" ", entryOf(entry, table)]));
}

function entryOf({ said, keys }, words) {
  const arrows = keys.filter((key) => key in ARROWS).map((key) => ARROWS[key]);
  const others = keys.filter((key) => !(key in ARROWS)).map((key) => nameOf(key, words));
  const texts = [...(arrows.length ? [arrows.join("")] : []), ...others];
  const caps = texts.map((textContent) => Object.assign(document.createElement("kbd"), { textContent }));
  const entry = document.createElement("span"); // in one line with its keys
  entry.append(...caps.flatMap((cap) => [cap, " "]), said);
  return entry;
}

function nameOf(key, words) {
  if (key === "Escape") return words.say("key_escape");
  return key === " " ? words.say("key_space") : key;
}
