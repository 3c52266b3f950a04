// The model's name with the mark "exact", which opens the findings of the self-test, layer by layer. If some attention is not
// shown, the mark says so, and the first sentence tells which. If the page's copy of the network has rounded weights, the mark says
// for which weights the maps are exact.

import { closing, finder, tagged, write } from "../dom.js";
import { tiny } from "../numbers/format.js";
import { later } from "../numbers/timers.js";

const REST = 700; // milliseconds at one step of a film before its test is requested, so that a moving slider requests none

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "proof",
  place: "found",
  order: 50,
  shows: ({ depth, isReading }) => depth === "picture" && !isReading,
  html: `
    <div class="viz-model">
      <p class="viz-says"></p>
      <details class="viz-proof" data-state="none">
        <summary title="$proof_help">$proof_mark</summary>
        <div class="viz-proof-panel" tabindex="0" role="region" aria-label="$proof_help">
          <div class="viz-proof-said"></div>
          <div class="viz-proof-table">
            <table>
              <thead><tr><th colspan="2">$proof_layer</th><th>$proof_shape</th><th>$proof_tokens</th><th>$proof_error</th><th>$proof_sum</th></tr></thead>
              <tbody class="viz-proof-layers"></tbody>
            </table>
            <p><b>$proof_layer</b>: $proof_layer_help <b>$proof_shape</b>: $proof_shape_help <b>$proof_tokens</b>: $proof_tokens_help
              <b>$proof_error</b>: $proof_error_help <b>$proof_sum</b>: $proof_sum_help</p>
          </div>
        </div>
      </details>
    </div>`,
  mount(root, { ask, words }) {
    const find = finder(root);
    const mark = find("proof");
    const summary = mark.firstElementChild;
    let now = null;

    // The mark of a network that is shown again stays.
    async function begin(payload) {
      if (payload.model !== now?.model) setState("none");
      now = payload;
      write(find("says"), words.say(payload.top.length ? "prediction" : "no_prediction", { model: payload.model }));
      if (payload.film) await new Promise((over) => later(() => over(), REST));
      if (payload !== now) return;
      const found = await ask("proof", payload.run);
      if (payload !== now) return;
      if (found.layers) showFound(payload, found);
      else if (found.rounded) showRounded(found.rounded);
      else if (found.made) showMade(found.made);
      else if (found.untested) showUntested(found.untested);
      else setState("none"); // the server knows nothing of these maps any more
    }

    function setState(state) {
      mark.dataset.state = state;
      if (state === "none") mark.open = false;
    }

    function showFound(payload, found) {
      tell(found.caution ? "proof_mark_part" : "proof_mark", [
        ...(found.caution ? [found.caution] : []),
        ...found.details,
        words.say("proof_how", { model: payload.model }),
        words.say("proof_found", { worst: tiny(found.worst), tolerance: tiny(found.tolerance) }),
        counted(words, found),
        words.say("proof_unchanged", { changed: tiny(found.changed) }),
        words.say("proof_browser"),
      ]);
      const numbers = new Map(payload.layers.map(({ name }, layer) => [name, layer + 1]));
      find("proof-layers").replaceChildren(...found.layers.map((layer) => rowOf(layer, numbers)));
      setState("exact");
    }

    function showUntested(reason) {
      tell("proof_mark_untested", [words.say("proof_untested", { reason })]);
      setState("untested");
    }

    function showRounded(sentences) {
      tell("proof_mark_rounded", sentences, "proof_rounded_help");
      setState("rounded");
    }

    // By a page's own copy of the network, which has no second way to compute the same.
    function showMade(sentence) {
      tell("proof_mark_made", [sentence], "proof_made_help");
      setState("made");
    }

    function tell(word, sentences, help = "proof_help") {
      Object.assign(summary, { textContent: words.say(word), title: words.say(help) });
      find("proof-said").replaceChildren(...sentences.map((sentence) => tagged("p", sentence)));
    }

    closing(mark);

    const stop = () => {
      now = null;
    };
    return { reset: begin, swap: begin, stop };
  },
};

function counted(words, { softmaxes, seen, elsewhere }) {
  if (softmaxes <= seen) return words.say("proof_all", { softmaxes });
  const names = words.list(elsewhere);
  return words.say(elsewhere.length ? "proof_some_named" : "proof_some", { softmaxes, seen, names });
}

// The number of a layer on this page, its name in the network, and what was found of it.
function rowOf([name, shape, tokens, error, rowSum], numbers) {
  const row = document.createElement("tr");
  const sum = rowSum === null ? "\u2013" : rowSum ? `1 \u00b1 ${tiny(rowSum)}` : "1";
  const cells = [numbers.get(name) ?? "", name, shape ? shape.join(" \u00d7 ") : "", tokens, tiny(error), sum];
  row.append(...cells.map((text) => tagged("td", text)));
  return row;
}
