// The words and figures around the maps: tokens, legend, the sentence below the picture, what the model says.

import { percent, times } from "./colour.js";

export class Captions {
  constructor(viewer) {
    this.viewer = viewer;
  }

  // ---- names

  // Of a token of a layout; a patch of another grid than the one that is asked tells of which.
  token(query, layout = this.viewer.layer.queries) {
    const { viewer } = this;
    const cell = layout.cellOf(query);
    const place = cell && { row: cell[0] + 1, col: cell[1] + 1, rows: layout.grid[0], cols: layout.grid[1] };
    if (cell) return viewer.say(String(layout.grid) === String(viewer.layer.queries.grid) ? "patch_name" : "patch_name_of", place);
    const { readout, top } = viewer.payload;
    const name = typeof query === "string" ? query : layout.prefix[query];
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
    const about = this.viewer.find("about");
    about.textContent = about.title = this.about().join(" ");
  }

  // What this network does not show, and why.
  about() {
    const { viewer } = this;
    const { noChain, isLarge, aside } = viewer.payload;
    const said = [];
    if (noChain) said.push(viewer.say("no_rollout", { reason: noChain }));
    else if (isLarge) said.push(viewer.say("no_rollout_large"));
    for (const reason of new Set(aside.map(([, why]) => why))) {
      const names = aside.filter(([, why]) => why === reason).map(([name]) => name);
      said.push(viewer.say(names.length > 1 ? "aside_many" : "aside", { name: names[0], more: names.length - 1, reason }));
    }
    return said;
  }

  // The grid of a layer, where layers differ.
  layerInWords() {
    const { viewer } = this;
    if (viewer.payload.isPlain) return "";
    const { queries, keys, windowed } = viewer.layer;
    const [[rows, cols], [keyRows, keyCols]] = [queries.grid, keys.grid];
    const kind = [String(queries.grid) === String(keys.grid) ? "grid" : "grids", ...(windowed ? ["windows"] : [])].join("_");
    return viewer.say(`layer_${kind}`, { layer: viewer.choice.layer + 1, rows, cols, keyRows, keyCols });
  }

  buildChips() {
    const { viewer } = this;
    const { finest, layers, named } = viewer.payload;
    const prefix = finest.prefix.filter((name) => layers.some(({ queries }) => queries.prefix.includes(name)));
    const box = viewer.find("chips");
    box.replaceChildren();
    this.chips = [...new Set([...prefix, ...named])].map((name) => {
      const chip = document.createElement("button");
      const register = /^reg(\d+)$/.exec(name);
      chip.innerHTML = "<b></b> <span></span><i></i>";
      chip.firstChild.textContent = register ? viewer.say("chip_reg", { n: Number(register[1]) + 1 }) : viewer.say(`chip_${name}`);
      chip.title = viewer.say(register ? "chip_reg_help" : `chip_${name}_help`);
      chip.onclick = () => {
        const query = viewer.named(name);
        const release = viewer.pinned && viewer.query === query;
        viewer.setQuery(query, !release);
        viewer.paint();
      };
      box.append(chip);
      return { chip, name };
    });
  }

  showPrediction() {
    const { viewer } = this;
    const { top, model } = viewer.payload;
    write(viewer.find("says"), viewer.say(top.length ? "prediction" : "no_prediction", { model }));
    const box = viewer.find("prediction");
    box.replaceChildren();
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
    for (const { chip, name } of this.chips) {
      const query = this.viewer.named(name);
      chip.disabled = !this.viewer.attention.knows(this.viewer.choice.layer, query);
      chip.setAttribute("aria-pressed", String(shown.query === query));
      chip.dataset.pinned = String(pinned && chosen === query);
      const at = shown.layout.prefix.indexOf(name);
      const share = at >= 0 && shown.values ? shown.values[at] : null;
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
    const { high, reach, values } = viewer.shown;
    const words = reach && this.kind() === "from" ? "legend_window" : `legend_${this.kind()}`;
    write(viewer.find("high"), viewer.say(words, { share: percent(high), times: times(high * this.even()) }));
    write(viewer.find("low"), values?.some((value) => value < 0) ? "\u2264 0" : "0");
  }

  // Over how many tokens attention would be spread evenly: all, or those in the window of the query.
  even() {
    const { reach, layout } = this.viewer.shown;
    return reach && this.kind() === "from" ? reach.reduce((sum, one) => sum + one, 0) : layout.tokens;
  }

  showStatus() {
    const { viewer } = this;
    const { pinned, hovered } = viewer;
    const { values, query, layout } = viewer.shown;
    const status = viewer.find("status");
    write(viewer.find("layer-grid"), this.layerInWords());
    if (!values) {
      write(status, this.whyNothing(query));
      return;
    }
    const cell = pinned && hovered;
    const token = cell ? layout.tokenOf(cell) : this.strongest(values, layout);
    const words = cell ? "read" : values[token] > 0 ? "status" : "status_none";
    const sentence = viewer.say(`${words}_${this.kind()}`.replace(/^(status_none)_.*/, "$1"), {
      where: this.cell(viewer.selectedCell()),
      name: this.token(query),
      other: this.token(token, layout),
      share: percent(values[token]),
      times: times(values[token] * this.even()),
    });
    const more = [this.ofWindow(), this.ofSigns(values), pinned ? viewer.say("is_pinned") : this.onPrefix(values)];
    write(status, [sentence, ...more.filter(Boolean)].join(" "));
    viewer.find("picture").setAttribute("aria-label", sentence);
  }

  whyNothing(query) {
    const { viewer } = this;
    const { payload, choice, attention } = viewer;
    if (!attention.knows(choice.layer, query)) return viewer.say("no_such_token", { layer: choice.layer + 1, name: this.token(query) });
    if (choice.method === "rollout" && payload.complete) return viewer.say("rolling", { share: percent(viewer.progress ?? 0) });
    if (viewer.layer.kind === "asked") return attention.asker.error || viewer.say("asked");
    return viewer.say("arriving");
  }

  // In a layer that looks in windows no patch sees all of the picture.
  ofWindow() {
    const { reach } = this.viewer.shown;
    return reach ? this.viewer.say(this.kind() === "to" ? "window_to" : "window_from") : "";
  }

  // Networks that mix their heads may give weights below zero, which no colour shows.
  ofSigns(values) {
    const low = values.reduce((a, b) => Math.min(a, b), 0);
    return low < 0 ? this.viewer.say("negative", { share: percent(low) }) : "";
  }

  // What the numbers are: shares of the query's attention ("from"), of the others' ("to"), or of what rollout follows.
  kind() {
    const direction = this.viewer.direction(this.viewer.shown.query);
    if (this.viewer.choice.method === "attention") return direction;
    return direction === "to" ? "rollout_to" : "rollout";
  }

  // The share that the picture does not show: on tokens that are no patch, on padding. Only rows have one, and not when
  // their heads were fused by max or min.
  onPrefix(values) {
    const { viewer } = this;
    const { choice, shown } = viewer;
    const whole = !this.kind().endsWith("to") && (choice.method === "rollout" || !["max", "min"].includes(choice.heads));
    if (!whole) return "";
    const said = [];
    const { first, prefix } = shown.layout;
    const share = values.subarray(0, first).reduce((a, b) => a + b, 0);
    if (first) said.push(viewer.say(prefix.join() === "cls" ? "on_cls" : "on_prefix", { share: percent(share) }));
    const rest = 1 - values.reduce((a, b) => a + b, 0);
    if (viewer.layer.windowed && choice.method !== "rollout" && rest > 0.005) said.push(viewer.say("on_padding", { share: percent(rest) }));
    return said.join(" ");
  }

  // The patch of the picture with the largest value.
  strongest(values, { onPicture }) {
    let best = onPicture.indexOf(1);
    for (let i = best; i < values.length; i++) if (onPicture[i] && values[i] > values[best]) best = i;
    return best;
  }
}

// Writing the same text again would make the browser lay out the page again.
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
