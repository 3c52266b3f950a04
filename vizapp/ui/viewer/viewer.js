// The viewer: loads what the server sends, and tells its panels. It knows none of them by name, and none of them knows it.
//
// A panel is {name, place, order, html, keys, words, state, mount}, see panels/README.md.

import { Asker } from "./numbers/asker.js";
import { Attention } from "./numbers/attention.js";
import { Payload } from "./numbers/payload.js";
import { lessonOf } from "./numbers/teaching.js";
import { inOrder, spared } from "./numbers/wanted.js";
import { frame, legend } from "./frame.js";
import { OF_PICTURE } from "./keys.js";
import { Selectors } from "./selectors.js";
import { Words } from "./words.js";

const TOLD = 100; // milliseconds between two paints that only say how far rollout is

export class Viewer {
  /**
   * @param {HTMLElement} root what the viewer fills
   * @param {import("./panel.js").Panel[]} panels
   * @param {import("./panel.js").Given} given
   */
  constructor(root, panels, { words, colours, metrics, ask, state, book, exercises, makes }) {
    this.root = root;
    this.state = state;
    this.book = book;
    this.words = new Words(words);
    /** @type {Payload | null} */
    this.payload = null;
    /** @type {Attention | null} */
    this.attention = null;
    /** @type {Selectors | null} */
    this.selectors = null;
    /** @type {number | null} */
    this.opened = null; // the layer that this viewer chose last by itself
    this.view = null;
    this.loading = null;
    this.fetching = null; // the payload whose rest is on its way
    this.fetchMore = null;
    this.waiting = 0;
    this.asking = 0; // questions that the server has not answered
    this.isSparing = false; // the rest of the maps waits, but for what is looked at
    this.progress = 0;
    this.paints = 0;
    this.paintTime = 0;
    this.afterPaint = Promise.resolve();
    this.door = ask;
    this.arrives = () => false; // the page's: other maps have come; true if they are to be shown as a link says
    const places = frame(root, this.words);
    const asks = (kind, run, what, ...how) => this.ask(kind, run, what, ...how);
    this.panels = panels.map((panel) => {
      const box = document.createElement("div");
      const own = new Words(words, panel.words);
      box.className = "viz-panel";
      box.dataset.panel = panel.name;
      box.append(own.fill(panel.html));
      places[panel.place].append(box);
      return {
        keys: panel.keys ?? {},
        words: own,
        name: panel.name,
        mounted: panel.mount(box, {
          state,
          ask: asks,
          words: own,
          colours,
          metrics,
          book,
          exercises,
          makes,
          change: (payload) => this.change(payload),
        }),
      };
    });
    legend(root.querySelector(".viz-keys"), this.panels, this.words);
    root.addEventListener("keydown", (event) => this.payload && this.key(event));
    state.subscribe((changed) => this.changed(changed));
    new ResizeObserver(() => this.paint()).observe(root);
    new MutationObserver(() => this.paint()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  /** What the visitor taught the network that is shown: {names, prototypes}, or null. */
  get lesson() {
    return this.payload && lessonOf(this.state, this.payload.model, this.words);
  }

  // ---- a new picture

  // `value` is what the server put into the component: {file: {url}, bytes, first, run}, or {refused}. The page that brings the
  // first maps by itself has asked for them already: `answer`.
  async show(value) {
    if (value?.refused?.length) this.refuse(value.refused);
    if (!value?.file) return;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    const isStale = () => loading.signal.aborted;
    let begun = null;
    try {
      const { signal } = loading;
      await Payload.load(value.file.url, value, {
        signal,
        onFirst: (payload) => {
          payload.run = value.run ?? "";
          begun = this.begin(payload, isStale);
        },
        onMore: (payload) => payload === this.payload && this.paintSoon(),
      });
      if (isStale()) return;
      await begun;
      if (!isStale()) await this.fetchRest(signal);
    } catch (error) {
      if (!isStale()) this.fail(error);
    }
  }

  /** Maps that are here already, of which nobody is asked. @param {Uint8Array} bytes @param {string} run */
  showHere(bytes, run) {
    const answer = new Response(/** @type {any} */ (bytes));
    return this.show({ file: { url: "" }, answer, bytes: bytes.byteLength, run });
  }

  // Fetch what else is wanted of the maps on the stage: everything, what is looked at first; where data is to be spared, what the
  // stage waits for.
  async fetchRest(signal) {
    const { payload } = this;
    if (!payload || this.fetching === payload) return;
    this.fetching = payload; // and stays so after an error: nothing is tried anew with each paint
    const wanted = () =>
      payload !== this.payload ? [] : this.isSparing || sparesData() ? spared(payload, this.view) : inOrder(payload, this.view);
    await payload.fetchRest(wanted, { signal, onMore: () => payload === this.payload && this.paintSoon() });
    this.fetching = null;
    this.fetchMore = payload.complete ? null : () => this.fetchRest(signal).catch((error) => signal.aborted || this.fail(error));
    this.paintSoon();
    if (payload === this.payload && this.attention?.isQuick) this.prepareRollout(this.isStale);
  }

  // Other maps of the picture that is shown, which a panel has: by the same network at another time. The state stays.
  async change(payload) {
    if (payload === this.payload || payload.id !== this.payload?.id || this.root.dataset.waiting === "true") return;
    const { signal } = this.loading;
    await this.begin(payload, () => signal.aborted, this.selectors.opens);
    if (signal.aborted || payload !== this.payload) return;
    if (!payload.complete) await this.fetchRest(signal).catch((error) => signal.aborted || this.fail(error));
    else if (this.attention.isQuick) this.prepareRollout(this.isStale);
  }

  // Nothing changes if another picture was chosen while this one was decoded. `opens`: of maps that take the place of others, on
  // which layer those opened.
  async begin(payload, isStale, opens = null) {
    await payload.decodePicture();
    if (isStale()) return;
    const before = this.payload;
    const same = before?.id === payload.id ? "swap" : "reset";
    this.selectors?.stop();
    this.payload = null; // what the state loses now is not painted
    if (before && same === "reset") this.state.set(OF_PICTURE);
    const byLink = !opens && this.arrives();
    const asker = new Asker(
      payload,
      (...asked) => this.ask(...asked),
      () => payload === this.payload && this.paintSoon(),
    );
    this.attention = new Attention(payload, asker);
    this.selectors = new Selectors(payload, this.attention, () => payload === this.payload && this.paint(), opens);
    this.state.set({ layer: this.layerFor(before, payload, same, byLink) });
    this.payload = payload;
    this.isStale = isStale;
    this.fetchMore = null;
    this.root.dataset.plain = String(payload.isPlain);
    this.root.dataset.state = "ready";
    this.wait(false);
    this.afterPaint = new Promise((painted) => requestAnimationFrame(() => painted()));
    for (const { mounted } of this.panels) mounted[same]?.(payload);
    this.paint();
  }

  // The layer to begin with. One that was chosen by hand stays, and another network of the same shape is shown in the layer of
  // the one before, to be compared; else the picture opens on its own. The state gets its number, which a link then says.
  layerFor(before, payload, same, byLink) {
    const shown = this.state.get("layer");
    const isOther = before && shapeOf(before) !== shapeOf(payload);
    const isByHand = byLink || (!isOther && (same === "swap" || shown !== this.opened));
    if (shown !== null && isByHand) return shown;
    return (this.opened = this.selectors.opens.layer);
  }

  // Another picture or model was chosen: what is shown is of the one before, until it has come or failed. A choice that
  // is taken back changes nothing.
  choose(choice) {
    this.wait(choice !== this.settled);
  }

  settle(choice) {
    this.settled = choice;
    this.wait(false);
    const stage = this.root.querySelector(".viz-stage").getBoundingClientRect();
    // On a phone, where it was chosen far below; after the address is written, which would end the scrolling.
    if (stage.height && stage.bottom < 0) setTimeout(() => this.root.scrollIntoView({ behavior: "smooth" }), 100);
  }

  wait(isWaiting) {
    this.root.dataset.waiting = String(Boolean(isWaiting));
    this.root.setAttribute("aria-busy", String(Boolean(isWaiting)));
  }

  // The maps would not be what the network computed: say so in their place.
  refuse([what, hint]) {
    this.loading?.abort();
    this.selectors?.stop();
    this.payload = this.attention = this.selectors = this.view = null;
    for (const { mounted } of this.panels) mounted.stop?.();
    const said = [this.words.say("refused"), what, this.words.say("refused_why"), hint];
    const paragraphs = said.map((text) => Object.assign(document.createElement("p"), { textContent: text }));
    this.root.querySelector(".viz-refusal").replaceChildren(...paragraphs);
    this.root.dataset.state = "refused";
    this.wait(false);
  }

  fail(error) {
    const reason = error.key ? this.words.say(error.key, error.values) : error.message;
    for (const { mounted } of this.panels) mounted.fail?.(this.words.say("load_failed", { reason }));
  }

  // ---- the server

  // The one door: promises what the server answers of the maps of a run, {} if it does not. Nothing is asked before what was
  // chosen last is painted. An answer may say that the maps must not be shown, or that too many ask: then it asks again.
  // What nobody asked for, `how` "unasked", is computed when the server has nothing else to do, or {dropped: true}.
  async ask(kind, run, what = null, ...how) {
    this.asking += 1;
    const { payload } = this;
    try {
      await this.afterPaint;
      let answer = (run && (await this.door([kind, run, what, ...how]))) || {};
      for (let pause = 1000; answer.full && payload === this.payload; pause = Math.min(2 * pause, 30000)) {
        await new Promise((over) => setTimeout(over, pause * (0.75 + Math.random() / 2))); // not all at the same moment
        answer = (payload === this.payload && (await this.door([kind, run, what, ...how]))) || {};
      }
      if (answer.refused && payload === this.payload) this.refuse(answer.refused);
      return answer;
    } catch {
      return {};
    } finally {
      this.asking -= 1;
    }
  }

  // ---- painting

  changed(keys) {
    if (!this.payload) return;
    const isOnlyHover = keys.length === 1 && keys[0] === "hover";
    if (isOnlyHover && String(this.selectors.hovered(this.selectors.choice(this.state.all()))) === String(this.view.hovered))
      return;
    // The atlas has a column of rollout whatever the stage shows.
    if (this.attention.isQuick || this.state.get("method") === "rollout") this.prepareRollout(this.isStale);
    if (keys.every((key) => this.state.key(key).moves)) this.paintSoon();
    else this.paint();
  }

  paintSoon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint();
    });
  }

  paint() {
    if (!this.payload) return;
    const started = performance.now();
    this.view = { ...this.selectors.view(this.state.all()), progress: this.progress };
    for (const { mounted } of this.panels) mounted.draw?.(this.view);
    for (const { mounted } of this.panels) mounted.show?.(this.view);
    if (!this.view.map.values) this.fetchMore?.();
    this.paints += 1;
    this.paintTime = performance.now() - started;
  }

  // Make the fused matrices that rollout of any query needs, if they are not there yet.
  async prepareRollout(isStale) {
    const { payload, attention } = this;
    if (!payload?.complete || !payload.canRoll) return;
    const fusion = this.state.get("fusion") === "one" ? "mean" : this.state.get("fusion");
    let told = performance.now();
    if (!attention.hasFused(fusion)) {
      const tell = (share) => {
        this.progress = share;
        if (attention !== this.attention || this.state.get("method") !== "rollout" || performance.now() - told < TOLD) return;
        told = performance.now();
        this.paintSoon();
      };
      await attention.fuseAll(fusion, tell, isStale);
      if (attention !== this.attention) return;
      this.paintSoon();
    }
    await attention.joinAll(fusion, this.state.get("skipWeight"), isStale); // changes nothing but the time that a hover takes
  }

  // ---- keys

  key(event) {
    // On many keyboards [ and ] are typed with AltGr, which is Ctrl + Alt in Windows and Alt (Option) on a Mac.
    const typed = "[]".includes(event.key) && event.altKey;
    if (event.target.matches("input, select") || event.metaKey || ((event.ctrlKey || event.altKey) && !typed)) return;
    const mine = this.panels.filter(({ keys }) => Object.hasOwn(keys, event.key));
    if (!mine.length || ([" ", "Enter"].includes(event.key) && event.target.matches("button, summary, a, [role=button]"))) return;
    // One thing at a time: the first panel that has something to do.
    if (mine.find(({ mounted }) => mounted.press(event.key) !== false)) event.preventDefault();
  }
}

// Networks of the same shape keep the layer that is shown.
function shapeOf({ layers, layouts }) {
  return JSON.stringify([layers.length, layouts.map(({ prefix }) => prefix)]);
}

// Has the visitor told the browser so?
function sparesData() {
  return /** @type {any} */ (navigator).connection?.saveData === true;
}
