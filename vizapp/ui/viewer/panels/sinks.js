// Sinks: patches that swallow attention whatever they show. The server looks for them when they are to be marked.

import { bind, finder, write } from "../dom.js";
import { percent } from "../numbers/format.js";

const NAMED = 5; // the strongest; the others are seen on the stage
const REMEMBERED = 7; // runs

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "sinks",
  place: "show",
  order: 20,
  html: `
    <label class="viz-sinks-box" title="$sinks_help"><input class="viz-sinks" type="checkbox" /> $sinks</label>
    <div class="viz-sinks-line">
      <label class="viz-sinks-apart-box" title="$sinks_apart_help" hidden><input class="viz-sinks-apart" type="checkbox" /> $sinks_apart</label>
      <span class="viz-sinks-said" aria-live="polite"></span>
    </div>`,
  mount(root, { state, ask, words }) {
    const find = finder(root);
    let run = null; // of the maps that are shown
    let looked = null; // the run whose sinks were looked for last
    let said = "";

    bind(find("sinks"), "change", state, ({ checked }) => ({ sinks: checked }));
    bind(find("sinks-apart"), "change", state, ({ checked }) => ({ sinksApart: checked }));

    function begin(payload) {
      run = payload.run;
      looked = null;
      said = "";
    }

    async function look() {
      const asked = (looked = run);
      said = words.say("sinks_wait");
      const answer = await ask("sinks", asked);
      if (looked !== asked) return;
      said = answer.sinks ? inWords(answer.sinks) : answer.why || words.say("asked_lost");
      write(find("sinks-said"), said);
      if (answer.sinks) keep(asked, answer.sinks);
    }

    // For the runs that were shown last: viewers that share a state show one each.
    function keep(asked, found) {
      const known = Object.entries(state.get("sinksFound")).slice(-REMEMBERED);
      state.set({ sinksFound: { ...Object.fromEntries(known), [asked]: found } });
    }

    function inWords(found) {
      if (!found.length) return words.say("sinks_none");
      const named = found.map(([row, col, share]) => {
        return words.say("sinks_one", { row: row + 1, col: col + 1, share: percent(share) });
      });
      const more = found.length > NAMED ? [words.say("sinks_more", { n: found.length - NAMED })] : [];
      const first = Math.min(...found.map((one) => one[3])) + 1;
      const last = Math.max(...found.map((one) => one[4])) + 1;
      const list = words.list([...named.slice(0, NAMED), ...more]);
      return words.say(first === last ? "sinks_found_in" : "sinks_found", { first, last, list });
    }

    /** @param {import("../panel.js").View} view */

    function show(view) {
      if (!view.sinks && !view.sinksFound[view.payload.run]) looked = null; // ticked again, they are looked for again
      if (view.sinks && looked !== view.payload.run) look();
      find("sinks").checked = view.sinks;
      find("sinks-apart").checked = view.sinksApart;
      find("sinks-apart-box").hidden = !(view.sinks && view.sinksFound[view.payload.run]?.length);
      write(find("sinks-said"), view.sinks ? said : "");
    }

    return { reset: begin, swap: begin, show };
  },
};
