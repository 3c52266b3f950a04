// The mark "exact" beside the name of the model, and what opens from it: what the self-test found, layer by layer.

export class Proof {
  // `ask(run)` promises what proof.py answers.
  constructor(viewer, ask) {
    Object.assign(this, { viewer, ask });
    this.mark = viewer.find("proof");
    this.isAsked = false; // and not answered yet
    this.listen();
  }

  // Ask for the proof of the maps that were just painted. The mark of a network that is shown again stays.
  async begin(payload, run) {
    if (payload.model !== this.model) this.state("none");
    this.model = payload.model;
    this.isAsked = true;
    await new Promise(requestAnimationFrame);
    const found = run ? await this.ask(run) : null; // without a run, nobody can be asked
    if (payload !== this.viewer.payload) return;
    this.isAsked = false;
    if (found?.refused) this.viewer.refuse(found.refused);
    else if (found?.layers) this.show(payload, found);
    else this.showUntested(found?.untested);
  }

  state(state) {
    this.mark.dataset.state = state;
    if (state === "none") this.mark.open = false;
  }

  show(payload, found) {
    const { viewer } = this;
    this.write("proof_mark", [
      viewer.say("proof_how", { model: payload.model }),
      viewer.say("proof_found", { worst: tiny(found.worst), tolerance: tiny(found.tolerance) }),
      this.counted(found),
      viewer.say("proof_unchanged", { changed: tiny(found.changed) }),
      viewer.say("proof_browser"),
    ]);
    const numbers = new Map(payload.layers.map(({ name }, layer) => [name, layer + 1]));
    viewer.find("proof-layers").replaceChildren(...found.layers.map((layer) => rowOf(layer, numbers)));
    this.state("exact");
  }

  counted({ softmaxes, seen, elsewhere }) {
    const { viewer } = this;
    if (softmaxes <= seen) return viewer.say("proof_all", { softmaxes });
    const where = elsewhere.length ? viewer.say("proof_elsewhere", { names: elsewhere.join(", ") }) : "";
    return viewer.say("proof_some", { softmaxes, seen, where });
  }

  // No reason: the server knows nothing of these maps any more.
  showUntested(reason) {
    if (!reason) return this.state("none");
    this.write("proof_mark_untested", [this.viewer.say("proof_untested", { reason })]);
    this.state("untested");
  }

  write(mark, sentences) {
    this.mark.firstElementChild.textContent = this.viewer.say(mark);
    this.viewer.find("proof-said").replaceChildren(...sentences.map((sentence) => tagged("p", sentence)));
  }

  // Escape and a click elsewhere close the panel; keys in it scroll it and do nothing else.
  listen() {
    this.mark.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Escape" || !this.mark.open) return;
      this.mark.open = false;
      this.mark.firstElementChild.focus();
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!this.mark.contains(target)) this.mark.open = false;
    });
  }
}

// The number of a layer on this page, its name in the network, and what was found of it.
function rowOf([name, shape, tokens, error, rowSum], numbers) {
  const row = document.createElement("tr");
  const sum = rowSum === null ? "\u2013" : rowSum ? `1 \u00b1 ${tiny(rowSum)}` : "1";
  const cells = [numbers.get(name) ?? "", name, shape ? shape.join(" \u00d7 ") : "", tokens, tiny(error), sum];
  row.append(...cells.map((text) => tagged("td", text)));
  return row;
}

export function tagged(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

// 1.2e-7 -> "1 × 10⁻⁷"
function tiny(value) {
  if (value === 0) return "0";
  const [digits, power] = value.toExponential(0).split("e");
  const raised = [...power.replace("+", "")].map((sign) => (sign === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[sign]));
  return `${digits} \u00d7 10${raised.join("")}`;
}
