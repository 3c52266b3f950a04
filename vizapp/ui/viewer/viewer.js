// The viewer: loads what the server sends, and passes it to its panels. It knows no panel by name, and no panel knows the viewer.
//
// A panel is {name, place, order, html, keys, words, state, mount}, see panels/README.md.

import { intoView } from "./dom.js";
import { Asker } from "./numbers/asker.js";
import { Attention } from "./numbers/attention.js";
import { Payload } from "./numbers/payload.js";
import { lessonOf } from "./numbers/teaching.js";
import { later } from "./numbers/timers.js";
import { atRest, inOrder, spared, sparesData } from "./numbers/wanted.js";
import { frame, legend } from "./frame.js";
import { idle, pending } from "./idle.js";
import { OF_FRAME, OF_PICTURE } from "./keys.js";
import { listen } from "./keyboard.js";
import { Slices } from "./slices.js";
import { Selectors } from "./selectors.js";
import { choosePanels } from "./shown_panels.js";
import { strangeSaid } from "./strange.js";
import { Words } from "./words.js";

const TOLD = 100; // milliseconds between two paints that only show rollout's progress

export class Viewer {
  /**
   * @param {HTMLElement} root what the viewer fills
   * @param {import("./panel.js").Panel[]} panels
   * @param {import("./panel.js").Given} given
   */
  constructor(root, panels, { words, colours, metrics, ask, state, book, exercises, makes, named, turn }) {
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
    this.opened = null; // the layer that this viewer last chose by itself, not the visitor
    this.view = null;
    this.loading = null;
    this.fetching = null; // the payload whose rest is being fetched
    this.fetchMore = null;
    this.waiting = 0;
    this.asking = 0; // the number of questions that the server has not answered
    this.working = 0; // the number of payloads and rollouts that are being fetched or computed
    this.isSparing = false; // only what is on the stage is fetched, to save data
    this.isUsed = false; // somebody has pointed at the viewer, pressed a key in it, or asked for a picture
    for (const kind of ["pointermove", "pointerdown", "keydown", "focusin"])
      root.addEventListener(kind, () => this.use(), { once: true, passive: true });
    this.progress = 0;
    this.slices = new Slices((view) => this.drawLater(view)); // what the stage does not wait for
    this.isFirst = true; // nobody has chosen what is shown, by hand or by a link
    this.paints = 0;
    this.paintTime = 0;
    this.afterPaint = Promise.resolve();
    this.door = ask;
    this.arrives = () => false; // set by the page, called when other maps have come; true if a link says how to show them
    const places = (this.places = frame(root, this.words));
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
        box,
        place: panel.place,
        shows: panel.shows,
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
          named,
          turn,
          change: (payload) => this.change(payload),
        }),
      };
    });
    // Before the first maps only what will be there with them keeps its room: nothing moves when they come.
    const nothing = { ...state.all(), depth: "picture", isReading: false, lights: [], needs: [], payload: {} };
    choosePanels(root, places, this.panels, nothing);
    legend(root.querySelector(".viz-keys"), this.panels, this.words);
    listen(this);
    state.subscribe((changed) => this.changed(changed));
    const sizes = new ResizeObserver(() => this.paintSoon()); // a paint may change sizes, which an observer must not do at once
    for (const one of [root, places.stage, places.explore]) sizes.observe(one); // at another depth, maps have another size
    new MutationObserver(() => this.paint()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  /** What the visitor has taught the current network: {names, prototypes}, or null. */
  get lesson() {
    return this.payload && lessonOf(this.state, this.payload.model, this.words);
  }

  // ---- a new picture

  // `value` is the component's value from the server: {file: {url}, bytes, first, run}, or {refused}. The first maps of a visit
  // are requested before Gradio has started (ui/early); `answer` is the promise of that request.
  async show(value) {
    if (value?.refused?.length) this.refuse(value.refused);
    if (!value?.file) return;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    const isStale = () => loading.signal.aborted;
    let begun = null;
    this.working += 1;
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
    } finally {
      this.working -= 1;
    }
  }

  /** Show maps that are here already, without a request. @param {Uint8Array} bytes @param {string} run */
  showHere(bytes, run) {
    const answer = new Response(/** @type {any} */ (bytes));
    return this.show({ file: { url: "" }, answer, bytes: bytes.byteLength, run });
  }

  // Fetch the rest of the maps on the stage, starting with what is looked at. To save data, fetch only what the stage waits for.
  async fetchRest(signal) {
    const { payload } = this;
    if (!payload || this.fetching === payload) return;
    this.fetching = payload; // it stays set after an error, so that not every paint tries again
    const wanted = () => {
      if (payload !== this.payload) return [];
      if (this.isSparing || sparesData()) return spared(payload, this.view);
      return this.isFirst && !this.isUsed ? atRest(payload, this.view) : inOrder(payload, this.view);
    };
    await payload.fetchRest(wanted, { signal, onMore: () => payload === this.payload && this.paintSoon() });
    this.fetching = null;
    this.fetchMore = payload.complete ? null : () => this.fetchMissing(signal);
    this.paintSoon();
    if (payload === this.payload && this.attention?.isQuick) this.prepareRollout(this.isStale);
  }

  fetchMissing(signal) {
    return this.during(this.fetchRest(signal).catch((error) => signal.aborted || this.fail(error)));
  }

  /** Fetch all maps from now on: somebody uses this viewer. */
  use() {
    if (this.isUsed) return;
    this.isUsed = true;
    this.fetchMore?.();
  }

  // Show other maps of the same picture, which a panel has fetched: the same network at another step of its training. The state
  // stays.
  async change(payload) {
    if (payload === this.payload || payload.id !== this.payload?.id || this.root.dataset.waiting === "true") return;
    const { signal } = this.loading;
    await this.during(this.begin(payload, () => signal.aborted, this.selectors.opens));
    if (signal.aborted || payload !== this.payload) return;
    if (!payload.complete) await this.fetchMissing(signal);
    else if (this.attention.isQuick) this.prepareRollout(this.isStale);
  }

  // Put a payload on the stage, unless another picture was chosen while this one was decoded. `opens`: if these maps replace
  // others, the layer on which those opened.
  async begin(payload, isStale, opens = null) {
    await payload.decodePicture();
    if (isStale()) return;
    const before = this.payload;
    const same = before?.id === payload.id ? "swap" : "reset";
    this.selectors?.stop();
    this.slices.stop();
    this.payload = null; // so that the state changes below do not paint the old maps
    const isNextFrame = document.documentElement.classList.contains("next-frame"); // of the same film, as the page knows
    if (before && same === "reset") this.state.set(isNextFrame ? OF_FRAME : OF_PICTURE);
    const asker = new Asker(
      payload,
      (...asked) => this.ask(...asked),
      () => payload === this.payload && this.paintSoon(),
    );
    this.attention = new Attention(payload, asker);
    this.selectors = new Selectors(payload, this.attention, () => payload === this.payload && this.paint(), opens);
    const byLink = !opens && this.arrives();
    this.state.set({ layer: this.layerFor(before, payload, isNextFrame ? "swap" : same, byLink) });
    this.payload = payload;
    this.isStale = isStale;
    this.fetchMore = null;
    this.root.dataset.plain = String(payload.isPlain);
    this.root.dataset.state = "ready";
    this.wait(false);
    this.afterPaint = new Promise((painted) => requestAnimationFrame(() => painted()));
    if (same === "reset") this.isFirst = !before && !byLink;
    for (const { mounted } of this.panels) mounted[same]?.(payload);
    this.paint();
    this.root.dispatchEvent(new CustomEvent("vizapp-maps", { bubbles: true })); // for what stands beside the viewer
  }

  // The layer to begin with. A layer that the visitor chose stays, and another network of the same shape keeps the layer, so that
  // the two can be compared. Otherwise the picture opens on its own layer. The state holds the number, so a link contains it.
  layerFor(before, payload, same, byLink) {
    const shown = this.state.get("layer");
    const isOther = before && before.shape !== payload.shape;
    const isByHand = byLink || (!isOther && (same === "swap" || shown !== this.opened));
    if (shown !== null && isByHand) return shown;
    return (this.opened = this.selectors.opens.layer);
  }

  // ---- links

  /**
   * Show what the viewer's part of a link says.
   * @param {string} text
   * @param {string[]} [unread] keys of the page's part that are not understood
   * @returns {string} a sentence about what is not understood; "" if all is
   */
  follow(text, unread = []) {
    const all = [...unread, ...this.state.fromHash(text)];
    const state = this.state.all();
    return strangeSaid(this.words, all, this.fitted(), this.selectors?.choice(state) ?? state);
  }

  /** The viewer's part of a link to what is shown. */
  toHash() {
    return this.state.toHash(this.fitted());
  }

  fitted() {
    return this.selectors?.fitted(this.state.all()) ?? {};
  }

  // Another picture or model was chosen: the maps shown are the old ones until the new ones arrive or fail. A choice that is
  // taken back changes nothing.
  choose(choice) {
    this.wait(choice !== this.settled);
  }

  settle(choice) {
    this.settled = choice;
    this.wait(false);
    const stage = this.root.querySelector(".viz-stage").getBoundingClientRect();
    // On a phone the picture is chosen far below the stage. The delay lets the page write the address first, which would stop the
    // scrolling.
    if (stage.height && stage.bottom < 0) later(() => intoView(this.root), 100);
  }

  wait(isWaiting) {
    this.root.dataset.waiting = String(Boolean(isWaiting));
    this.root.setAttribute("aria-busy", String(Boolean(isWaiting)));
  }

  // Show a sentence in place of maps that would not be what the network computed.
  refuse([what, hint]) {
    this.loading?.abort();
    this.selectors?.stop();
    this.slices.stop();
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

  // Ask the server about the maps of a run; resolves to {} if it does not answer. All questions go through here. It first waits
  // until the latest choice is painted. If the answer says that the maps must not be shown, they are removed; if the server is
  // busy, it asks again later. With `how` "unasked" the server computes only when idle, or answers {dropped: true}.
  async ask(kind, run, what = null, ...how) {
    this.asking += 1;
    const { payload } = this;
    try {
      await this.afterPaint;
      let answer = (run && (await this.door([kind, run, what, ...how]))) || {};
      for (let pause = 1000; answer.full && payload === this.payload; pause = Math.min(2 * pause, 30000)) {
        await new Promise((over) => setTimeout(over, pause * (0.75 + Math.random() / 2))); // spread, so that waiting pages do not all ask at once
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

  // ---- what is still to be done

  // Count work until it is done.
  async during(work) {
    this.working += 1;
    return work.finally(() => (this.working -= 1));
  }

  /** What is still to be done, in words. */
  pending = () => pending(this);

  /** Resolves when nothing is to be done, and nothing moves. */
  idle = () => idle(this);

  // ---- painting

  changed(keys) {
    if (!this.payload) return;
    const isOnlyHover = keys.length === 1 && keys[0] === "hover";
    if (isOnlyHover && String(this.selectors.hovered(this.selectors.choice(this.state.all()))) === String(this.view.hovered))
      return;
    // The atlas shows a column of rollout in any case, so it is prepared early if that is cheap.
    if (this.attention.isQuick || this.state.get("method") === "rollout") this.prepareRollout(this.isStale);
    if (keys.every((key) => this.state.key(key).moves)) this.paintSoon(isOnlyHover);
    else this.paint();
  }

  paintSoon(isPointing = false) {
    this.isPointing = isPointing && (this.isPointing || !this.waiting);
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint(this.isPointing);
    });
  }

  /** @param {boolean} isPointing nothing has changed since the last time but what is pointed at */
  paint(isPointing = false) {
    if (!this.payload) return;
    const started = performance.now();
    const chapter = this.book.chapters[this.book.at(this.state.get("chapter"))];
    const { lights = [], shows = [] } = chapter ?? {};
    const own = {
      progress: this.progress,
      lights,
      needs: [...lights, ...shows],
      isReading: Boolean(chapter),
      isPointing,
    };
    this.view = { ...this.selectors.view(this.state.all()), ...own };
    choosePanels(this.root, this.places, this.panels, this.view);
    for (const { mounted } of this.panels) mounted.draw?.(this.view);
    for (const { mounted } of this.panels) mounted.show?.(this.view);
    if (!this.view.map.values) this.fetchMore?.();
    this.paints += 1;
    this.paintTime = performance.now() - started;
    this.slices.draw(this.view);
  }

  *drawLater(view) {
    for (const { mounted, box } of this.panels) if (!box.hidden && mounted.drawLater) yield* mounted.drawLater(view);
  }

  // Make the fused matrices that any rollout needs, unless they exist.
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
      await this.during(attention.fuseAll(fusion, tell, isStale));
      if (attention !== this.attention) return;
      this.paintSoon();
    }
    await attention.joinAll(fusion, this.state.get("skipWeight"), isStale); // only makes later hovers faster
  }
}
