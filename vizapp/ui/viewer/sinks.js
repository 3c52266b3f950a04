// Sinks: patches that swallow attention whatever they show. The server looks for them when they are to be marked.

import { percent } from "./colour.js";
import { write } from "./captions.js";

const NAMED = 5; // the strongest; the others are seen on the stage

export class Sinks {
  // `ask(run)` promises what sinks.py answers.
  constructor(viewer, ask) {
    Object.assign(this, { viewer, ask, found: [], masks: new Map() });
    this.box = viewer.find("sinks");
    this.apart = viewer.find("sinks-apart");
    this.box.addEventListener("change", () => (this.box.checked ? this.look() : this.set([], "")));
    this.apart.addEventListener("change", () => this.set(this.found, this.said));
  }

  begin(run) {
    this.run = run;
    this.set([], "");
    if (this.box.checked) this.look();
  }

  async look() {
    const { viewer, run } = this;
    this.set([], viewer.say("sinks_wait"));
    const answer = run ? await this.ask(run).catch(() => ({})) : {};
    if (run !== this.run || !this.box.checked) return;
    if (answer.sinks) this.set(answer.sinks, this.inWords(answer.sinks));
    else this.set([], answer.why || viewer.say("asked_lost"));
  }

  set(found, said) {
    Object.assign(this, { found, said });
    this.masks.clear();
    this.viewer.find("sinks-apart-box").hidden = !found.length;
    write(this.viewer.find("sinks-said"), said);
    this.viewer.paintSoon();
  }

  inWords(found) {
    const { viewer } = this;
    if (!found.length) return viewer.say("sinks_none");
    const named = found.map(([row, col, share]) => viewer.say("sinks_one", { row: row + 1, col: col + 1, share: percent(share) }));
    const more = found.length > NAMED ? [viewer.say("sinks_more", { n: found.length - NAMED })] : [];
    const [first, last] = [Math.min(...found.map((one) => one[3])) + 1, Math.max(...found.map((one) => one[4])) + 1];
    return viewer.say(first === last ? "sinks_found_in" : "sinks_found", { first, last, list: [...named.slice(0, NAMED), ...more].join(", ") });
  }

  // Patches to be marked on a map of this layout.
  marks(layout) {
    if (layout.grid.join() !== this.viewer.payload.finest.grid.join()) return [];
    return this.found.map(([row, col]) => ({ cell: [row, col], grid: layout.grid, kind: "sink" }));
  }

  // The tokens whose values count for the top colour of a map: patches of the picture, on demand without sinks.
  counts(layout) {
    if (!this.apart.checked || !this.found.length) return layout.onPicture;
    if (!this.masks.has(layout)) {
      const mask = layout.onPicture.slice();
      for (const { cell } of this.marks(layout)) mask[layout.tokenOf(cell)] = 0;
      this.masks.set(layout, mask);
    }
    return this.masks.get(layout);
  }
}
