// Sinks: patches that swallow attention whatever they show. Their share is told for every map, and a click leaves them out of the
// colour scale.

import { THROUGH_LAYERS } from "../../../vocabulary.js";
import { bind, closing, finder, put, speaker, write } from "../dom.js";
import { percent } from "../numbers/format.js";
import { layersOf, whenOf } from "../numbers/sinks.js";
import { json, passing } from "../state.js";

const NAMED = 5; // the strongest; the others are seen on the stage
const REMEMBERED = 7; // runs

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "sinks",
  place: "maps",
  order: 19, // below what every picture has: it comes late, and moves nothing
  shows: ({ depth, isReading, sinks, sinksFound, sinksLeft, payload }) =>
    depth === "picture" && !isReading && (!sinks || Boolean(sinksFound?.length) || sinksLeft === payload.run),
  html: `
    <div class="viz-sinks-line">
      <span class="viz-sinks-said"></span>
      <button class="viz-sinks-look" hidden>$sinks_look</button><button class="viz-sinks-apart" aria-pressed="false" title="$sinks_apart_help" hidden>$sinks_apart</button>
      <details class="viz-more viz-sinks-more">
        <summary title="$sinks_more_help" aria-label="$sinks_more_help">?</summary>
        <div class="viz-more-panel">
          <p>$sinks_help</p>
          <p class="viz-sinks-list"></p>
          <label><input class="viz-sinks" type="checkbox" /> $sinks</label>
        </div>
      </details>
    </div>`,
  state: { sinksLeft: passing(json(null, (run) => run === null || typeof run === "string")) }, // the run of which a busy server did not look for them
  mount(root, { state, ask, words }) {
    const find = finder(root);
    closing(find("sinks-more"));
    const speak = speaker(find("sinks-said"));
    let shown = null; // the payload whose maps are shown
    let looked = null; // the payload whose sinks were looked for last
    let told = ""; // why nothing is known of them

    bind(find("sinks"), "change", state, ({ checked }) => ({ sinks: checked }));
    find("sinks-apart").addEventListener("click", () => state.set({ sinksApart: !state.get("sinksApart") }));
    find("sinks-look").addEventListener("click", () => look());

    function begin(payload) {
      shown = payload;
      looked = null;
      told = "";
      if (state.get("sinks") && !known(payload)) look("unasked");
    }

    const known = (payload) => payload.sinks ?? state.get("sinksFound")[payload.run] ?? null;

    async function look(how) {
      const asked = (looked = shown);
      tell(words.say("sinks_wait"));
      const answer = await ask("sinks", asked.run, null, ...(how ? [how] : []));
      if (looked !== asked) return;
      if (answer.sinks) keep(asked.run, answer.sinks);
      else tell(answer.why ?? (how ? "" : words.say("asked_lost")), how && !answer.why);
      if (!answer.sinks && how && !answer.why) state.set({ sinksLeft: asked.run });
    }

    function tell(text, canLook = false) {
      told = text;
      put(find("sinks-look"), { hidden: !canLook });
      if (state.get("sinks")) write(find("sinks-said"), told);
    }

    // For the runs that were shown last: viewers that share a state show one each.
    function keep(run, found) {
      const before = Object.entries(state.get("sinksFound")).slice(-REMEMBERED);
      tell("");
      state.set({ sinksFound: { ...Object.fromEntries(before), [run]: found } });
    }

    // The strongest by their places, for those who want to know.
    function listed(found) {
      if (!found?.length) return words.say("sinks_none");
      const named = found.map(([row, col, share]) => {
        return words.say("sinks_one", { row: row + 1, col: col + 1, share: percent(share) });
      });
      const more = found.length > NAMED ? [words.say("sinks_more", { n: found.length - NAMED })] : [];
      const list = words.list([...named.slice(0, NAMED), ...more]);
      const { first, last } = layersOf(found);
      return words.say(first === last ? "sinks_found_in" : "sinks_found", { first, last, list });
    }

    // What falls on those of the layer that is shown.
    function sentence({ sinksFound, sinksNow, isWhole, method, map, layer }) {
      if (!sinksFound.length) return words.say("sinks_none");
      if (!map.values) return "";
      const n = sinksNow.length;
      if (!n) return elsewhere(sinksFound, layer);
      const share = sinksNow.reduce((sum, cell) => sum + map.values[map.layout.tokenOf(cell)], 0);
      const kind = !isWhole ? "here" : THROUGH_LAYERS[method] ? "rolled" : "share";
      return words.say(n === 1 ? `sinks_${kind}_1` : `sinks_${kind}_n`, { n, share: percent(share) });
    }

    function elsewhere(found, layer) {
      const { first, last } = layersOf(found);
      const where = words.say(first === last ? "sinks_layer" : "sinks_layers", { first, last });
      return words.say(`sinks_${whenOf(layer, found)}`, { n: found.length, where });
    }

    /** @param {import("../panel.js").View} view */

    function show(view) {
      const found = view.sinks ? view.sinksFound : null;
      if (!view.sinks) looked = null;
      else if (!view.sinksFound && looked !== view.payload && view.payload === shown) look(); // ticked: now it is asked for
      find("sinks").checked = view.sinks;
      put(find("sinks-apart"), { hidden: !found?.length, "aria-pressed": view.sinksApart });
      write(find("sinks-said"), !view.sinks ? words.say("sinks_off") : found ? sentence(view) : told);
      speak(() => find("sinks-said").textContent);
      write(find("sinks-list"), found ? listed(found) : told);
    }

    return { reset: begin, swap: begin, show };
  },
};
