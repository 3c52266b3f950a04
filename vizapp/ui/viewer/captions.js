// The words and figures around the maps: tokens, legend, the sentence below the picture, what the model says.

import { percent, times } from "./colour.js";

export class Captions {
  constructor(viewer) {
    this.viewer = viewer;
  }

  // ---- names

  token(query) {
    const { viewer } = this;
    const cell = viewer.cellOf(query);
    if (cell) return viewer.say("patch_name", { row: cell[0] + 1, col: cell[1] + 1 });
    const { prefix, readout, top } = viewer.payload;
    const name = typeof query === "string" ? query : prefix[query];
    if (name === "cls" && name === readout && top.length) return viewer.say("name_readout");
    const register = /^reg(\d+)$/.exec(name);
    return register ? viewer.say("name_reg", { n: Number(register[1]) + 1 }) : viewer.say(`name_${name}`);
  }

  // Of a small map in the atlas.
  cell({ row, column }) {
    const { viewer } = this;
    const name = viewer.atlas.columns[column];
    if (typeof name === "number") return viewer.say("where_head", { layer: row + 1, head: name + 1 });
    if (name === "rollout") return viewer.say("where_rollout", { layer: row + 1 });
    const { heads } = viewer.choice;
    return viewer.say("where_fused", { layer: row + 1, fusion: viewer.say(heads === "one" ? "mean" : heads).toLowerCase() });
  }

  // ---- a new picture

  begin() {
    this.buildChips();
    this.showPrediction();
    const notes = this.viewer.find("notes");
    notes.textContent = notes.title = this.viewer.payload.notes.join(" ");
  }

  buildChips() {
    const { viewer } = this;
    const { prefix, named } = viewer.payload;
    const box = viewer.find("chips");
    box.replaceChildren();
    this.chips = [...prefix.keys(), ...named.filter((name) => !prefix.includes(name))].map((query) => {
      const chip = document.createElement("button");
      const name = typeof query === "string" ? query : prefix[query];
      const register = /^reg(\d+)$/.exec(name);
      chip.innerHTML = "<b></b> <span></span><i></i>";
      chip.firstChild.textContent = register ? viewer.say("chip_reg", { n: Number(register[1]) + 1 }) : viewer.say(`chip_${name}`);
      chip.title = viewer.say(register ? "chip_reg_help" : `chip_${name}_help`);
      chip.onclick = () => {
        const release = viewer.pinned && viewer.query === query;
        viewer.setQuery(query, !release);
        viewer.paint();
      };
      box.append(chip);
      return { chip, query };
    });
  }

  showPrediction() {
    const { viewer } = this;
    const { top, model } = viewer.payload;
    const line = document.createElement("p");
    line.textContent = viewer.say(top.length ? "prediction" : "no_prediction", { model });
    const box = viewer.find("prediction");
    box.replaceChildren(line);
    for (const [label, share] of top) {
      const row = document.createElement("div");
      row.innerHTML = "<i></i><span></span><span></span>";
      row.children[0].style.width = `${100 * share}%`;
      row.children[1].textContent = label;
      row.children[2].textContent = percent(share);
      box.append(row);
    }
  }

  // ---- another map

  show(map) {
    this.showLegend(map);
    this.showChips();
    this.showStatus();
  }

  showChips() {
    const { shown, pinned, query: chosen } = this.viewer;
    for (const { chip, query } of this.chips) {
      chip.setAttribute("aria-pressed", String(shown.query === query));
      chip.dataset.pinned = String(pinned && chosen === query);
      const share = typeof query === "number" && shown.values ? shown.values[query] : null;
      write(chip.children[1], share === null ? "" : percent(share));
      chip.children[2].style.width = share === null ? "0" : `${Math.min(100, 100 * share)}%`;
    }
  }

  showLegend(map) {
    const { viewer } = this;
    if (this.legend !== map) {
      this.legend = map;
      const context = viewer.find("bar").getContext("2d");
      for (let i = 0; i < 256; i++) {
        context.fillStyle = map.css(i / 255);
        context.fillRect(i, 0, 1, 1);
      }
    }
    const { high } = viewer.shown;
    write(viewer.find("high"), viewer.say(`legend_${this.kind()}`, { share: percent(high), times: times(high * viewer.payload.tokens) }));
  }

  showStatus() {
    const { viewer } = this;
    const { payload, choice, pinned, hovered } = viewer;
    const { values, query } = viewer.shown;
    const status = viewer.find("status");
    if (!values) {
      const share = percent(viewer.progress ?? 0);
      status.textContent = choice.method === "rollout" && payload.complete ? viewer.say("rolling", { share }) : viewer.say("arriving");
      return;
    }
    const cell = pinned && hovered;
    const token = cell ? viewer.tokenOf(cell) : this.strongest(values);
    const sentence = viewer.say(`${cell ? "read" : "status"}_${this.kind()}`, {
      where: this.cell(viewer.selectedCell()),
      name: this.token(query),
      other: this.token(token),
      share: percent(values[token]),
      times: times(values[token] * payload.tokens),
    });
    write(status, `${sentence} ${pinned ? viewer.say("is_pinned") : this.onPrefix(values)}`);
    viewer.find("picture").setAttribute("aria-label", sentence);
  }

  // What the numbers are: shares of the query's attention ("from"), of the others' ("to"), or of what rollout follows.
  kind() {
    const direction = this.viewer.direction(this.viewer.shown.query);
    if (this.viewer.choice.method === "attention") return direction;
    return direction === "to" ? "rollout_to" : "rollout";
  }

  // The share that the picture does not show. Only rows have one, and not when their heads were fused by max or min.
  onPrefix(values) {
    const { payload, choice } = this.viewer;
    const whole = !this.kind().endsWith("to") && (choice.method === "rollout" || !["max", "min"].includes(choice.heads));
    if (!whole || !payload.prefix.length) return "";
    const share = values.subarray(0, payload.prefix.length).reduce((a, b) => a + b, 0);
    return this.viewer.say(payload.prefix.join() === "cls" ? "on_cls" : "on_prefix", { share: percent(share) });
  }

  // The patch of the picture with the largest value.
  strongest(values) {
    const { onPicture } = this.viewer.payload;
    let best = onPicture.indexOf(1);
    for (let i = best; i < values.length; i++) if (onPicture[i] && values[i] > values[best]) best = i;
    return best;
  }
}

// Writing the same text again would make the browser lay out the page again.
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
