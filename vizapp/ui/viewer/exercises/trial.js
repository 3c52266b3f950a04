// Tests the map: removes the patches that the query looks at most, then as many random ones, and randomises the network.

import { TRIED } from "../../../vocabulary.js";
import { put, tagged, write } from "../dom.js";
import { percent } from "../numbers/format.js";

export const exercise = {
  kind: "trial",
  /** @param {HTMLElement} box @param {import("../exercise.js").Given} given */
  mount(box, { words, ask, done }) {
    const button = tagged("button", words.say("trial_ask"));
    const table = document.createElement("table");
    const told = tagged("p", "");
    told.className = "viz-verdict";
    box.append(button, table, told);
    put(table, { hidden: true });
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let shown = "";
    button.addEventListener("click", bring);

    async function bring() {
      if (!view) return;
      const { run, layers } = view.payload;
      shown = run;
      put(button, { disabled: true });
      write(told, words.say("book_waits"));
      const answer = await ask("trial", layers.length - 1);
      if (run !== view.payload.run) return;
      put(button, { disabled: false });
      write(told, answer.why ?? (answer.by_map ? "" : words.say("asked_lost")));
      if (!answer.by_map) return;
      const inner = answer.shares.map((_, i) => i).slice(0, -1);
      const head = row("th", [words.say("trial_gone"), ...inner.map((i) => percent(answer.shares[i]))]);
      const lines = [
        row("td", [words.say("trial_by_map"), ...inner.map((i) => percent(answer.by_map[i]))]),
        row("td", [words.say("trial_by_chance"), ...inner.map((i) => percent(answer.by_chance[i]))]),
      ];
      table.replaceChildren(tagged("caption", words.say("trial_title", { label: answer.label })), head, ...lines);
      put(table, { hidden: false });
      const left = TRIED.map((name) =>
        words.say(`trial_${name}`, { left: answer.forgotten[name].toFixed(2).replace("-", "\u2212") }),
      );
      write(told, words.say("trial_forgot", { list: words.list(left) }));
      const at = (curve, share) => percent(curve[answer.shares.indexOf(share)]);
      done({
        tenth: at(answer.by_map, 0.1),
        tenth_chance: at(answer.by_chance, 0.1),
        most: at(answer.by_map, 0.4),
        most_chance: at(answer.by_chance, 0.4),
      });
    }

    return {
      show(next) {
        view = next;
        if (!shown || shown === view.payload.run) return;
        shown = ""; // that was another picture
        put(table, { hidden: true });
        write(told, "");
        put(button, { disabled: false });
      },
    };
  },
};

function row(tag, cells) {
  const line = document.createElement("tr");
  line.append(...cells.map((text, i) => tagged(i ? tag : "th", text)));
  return line;
}
