// "Teach it": the visitor marks a few patches of each thing, and all patches, also of later pictures, get the colour of the most
// similar thing. The network's features are requested once per picture; the rest is computed here.

import { MOST_THINGS, TEMPERATURE, THING_LETTERS } from "../../../vocabulary.js";
import { finder, intoView, put, speaker, tagged, write } from "../dom.js";
import { bytesOf } from "../numbers/base64.js";
import { percent } from "../numbers/format.js";
import { halfToFloat } from "../numbers/half.js";
import { meanOf, nearest, sharesOf } from "../numbers/prototypes.js";
import { COLOURS, begun, marksOf, nameIn } from "../numbers/teaching.js";

const KEPT = 4; // pictures whose features are held

/** @typedef {{rows: (patch: number) => Float32Array, all: Float32Array, grid: number[], normed: boolean}} Features */

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "teach",
  place: "maps",
  order: 6,
  shows: ({ depth }) => depth === "teach",
  html: `
    <section class="viz-teach" aria-label="$teach" hidden>
      <div class="viz-teach-head">
        <p class="viz-teach-said"></p>
      </div>
      <ul class="viz-teach-things"></ul>
      <p class="viz-teach-row">
        <button class="viz-teach-add">$teach_add</button><button class="viz-teach-forget">$teach_forget</button><button class="viz-teach-colours" aria-pressed="true" title="$teach_colours_help">$teach_colours</button>
      </p>
      <p class="viz-teach-explained"><span data-term="norm cosine softmax">$teach_how_label</span>: <span class="viz-teach-how"></span></p>
    </section>`,
  keys: { 1: "", 2: "", 3: "", 4: "", 5: "" },
  mount(root, { state, ask, words }) {
    const find = finder(root);
    const box = find("teach");
    const speak = speaker(find("teach-things"));
    /** @type {import("../panel.js").View | null} */
    let view = null;
    /** @type {Map<string, Features | {why: string} | null>} by run; null: on their way */
    const known = new Map();
    /** @type {{model: string, picture: string, row: Float32Array}[][]} of each thing, what was marked in earlier pictures */
    let kept = [];
    let last = { run: "", model: "", picture: "", things: "" }; // what was shown before another picture came
    let wasOpen = false;
    let labelled = ""; // what the labels were made of

    const things = () => (state.get("things").length ? state.get("things") : begun());
    const nameOf = (i) => nameIn(things(), i, words);
    const rows = Array.from({ length: MOST_THINGS }, (_, i) => rowOf(i));
    find("teach-things").append(...rows.map(({ item }) => item));

    find("teach-colours").addEventListener("click", () => state.set({ labelled: !state.get("labelled") }));
    find("teach-add").addEventListener("click", () => {
      state.set({ things: [...things(), { name: "", at: [] }], thing: things().length });
      rows[state.get("thing")].name.focus();
    });
    find("teach-forget").addEventListener("click", () => {
      kept = [];
      state.set({ things: [], thing: 0, taught: null });
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      state.set({ teach: false });
      event.stopPropagation(); // the stage has this key, too
    });

    // The row of a thing: a button that chooses it, its name, the number of marks, and its share of the picture.
    function rowOf(i) {
      const item = document.createElement("li");
      const choose = document.createElement("button");
      const name = document.createElement("input");
      const remove = tagged("button", "\u00d7");
      const [count, share] = [tagged("span", ""), tagged("output", "")];
      choose.className = "viz-teach-choose";
      choose.style.setProperty("--thing", COLOURS[i]);
      name.maxLength = THING_LETTERS;
      count.className = "viz-teach-count";
      share.className = "viz-teach-share";
      choose.addEventListener("click", () => state.set({ thing: i }));
      name.addEventListener("focus", () => state.set({ thing: i }));
      name.addEventListener("input", () =>
        state.set({ things: things().map((one, n) => (n === i ? { ...one, name: name.value } : one)) }),
      );
      name.addEventListener("keydown", (event) => {
        if (event.key === "Enter") /** @type {HTMLElement} */ (root.closest(".viz")?.querySelector(".viz-stage"))?.focus();
      });
      remove.addEventListener("click", () => {
        kept.splice(i, 1);
        const left = things().filter((_, n) => n !== i);
        state.set({ things: left, thing: Math.min(state.get("thing"), left.length - 1) });
      });
      item.append(choose, name, count, share, remove);
      return { item, choose, name, count, share, remove };
    }

    /** @param {import("../panel.js").View} next */

    function show(next) {
      view = next;
      put(box, { hidden: !view.teach });
      if (!view.teach) {
        wasOpen = false;
        return;
      }
      const { run, model, id: picture } = view.payload;
      last = { run, model, picture, things: JSON.stringify(state.get("things")) };
      const features = known.get(view.payload.run);
      if (features === undefined) bring(view.payload.run);
      const ready = features && "all" in features ? features : null;
      if (ready) label(ready);
      const cannot = Boolean(features && "why" in features);
      for (const part of ["teach-things", "teach-row", "teach-explained"]) put(find(part), { hidden: cannot });
      showThings(ready);
      write(find("teach-said"), said(features));
      write(find("teach-how"), words.say(ready && !ready.normed ? "teach_how_plain" : "teach_how", { temperature: TEMPERATURE }));
      put(find("teach-add"), { disabled: things().length >= MOST_THINGS });
      put(find("teach-colours"), { "aria-pressed": view.labelled });
      if (!wasOpen && !view.isReading) intoView(box, "nearest");
      wasOpen = true;
    }

    function showThings(ready) {
      const taught = view?.taught?.run === view?.payload.run ? view?.taught : null;
      const chosen = Math.min(view?.thing ?? 0, things().length - 1);
      rows.forEach(({ item, choose, name, count, share, remove }, i) => {
        const thing = things()[i];
        put(item, { hidden: !thing });
        if (!thing) return;
        const label = words.say("teach_thing", { n: i + 1 });
        put(choose, { "aria-pressed": i === chosen, "aria-label": words.say("teach_choose", { name: nameOf(i) }) });
        if (document.activeElement !== name) put(name, { value: thing.name });
        put(name, { placeholder: label, "aria-label": words.say("teach_name", { n: i + 1 }) });
        const n = ready ? rowsOf(i, ready).length : thing.at.length;
        write(count, words.say(n === 1 ? "teach_count_1" : "teach_count", { n }));
        write(share, taught ? shareOf(i, taught.labels) : "");
        put(remove, { hidden: things().length <= 2, "aria-label": words.say("teach_remove", { name: nameOf(i) }) });
      });
    }

    // "34 % of the picture"
    function shareOf(i, labels) {
      const share = labels.filter(([thing]) => thing === i).length / labels.length;
      return words.say("teach_share", { share: percent(share) });
    }

    // What is to be done next, or why nothing can be.
    function said(features) {
      if (features === null || features === undefined) return words.say("teach_wait");
      if ("why" in features) return features.why;
      const counts = things().map((_, i) => rowsOf(i, features).length);
      const others = kept.flat().find(({ model }) => model !== view?.payload.model);
      if (counts.filter(Boolean).length >= 2) return words.say("teach_done");
      if (others && !counts.some(Boolean)) return words.say("teach_other_model", { model: others.model });
      return words.say("teach_hint");
    }

    async function bring(run) {
      known.set(run, null);
      const answer = await ask("features", run);
      known.set(
        run,
        answer.features ? unpacked(answer) : { why: answer.why ?? words.say(answer.large ? "teach_too_many" : "asked_lost") },
      );
      if (known.size > KEPT) known.delete(known.keys().next().value);
      if (view?.teach && view.payload.run === run) show(view);
    }

    // The features of what was marked of a thing, here and in earlier pictures of this network.
    function rowsOf(i, features) {
      const earlier = (kept[i] ?? []).filter(({ model, row }) => model === view?.payload.model && row.length === features.width);
      return [...markedOf(i, features), ...earlier.map(({ row }) => row)];
    }

    function markedOf(i, features) {
      const cells = (things()[i]?.at ?? []).map((place) => view?.patchAt(place)).filter(Boolean);
      return cells.map(([row, col]) => features.rows(row * features.grid[1] + col));
    }

    // Label all patches, once for each set of marks. It runs after the current paint, because it causes another.
    async function label(features) {
      const { run, model } = view?.payload ?? { run: "", model: "" };
      const made = JSON.stringify([run, things().map(({ at }) => at), kept.map((some) => some.length)]);
      if (made === labelled) return;
      labelled = made;
      const marks = marksOf(things());
      const marked = things().map((_, i) => rowsOf(i, features));
      const these = [...marked.keys()].filter((i) => marked[i].length);
      await null;
      if (these.length < 2) return state.set({ taught: null });
      const prototypes = these.map((i) => meanOf(marked[i]));
      const shares = sharesOf(features.all, prototypes);
      const labels = nearest(shares, these.length).map(({ thing, share }) => [these[thing], share]);
      state.set({ taught: { run, model, grid: features.grid, things: these.length, labels, marks, these, prototypes } });
      speak(() => words.list(these.map((i) => `${nameOf(i)} ${shareOf(i, labels)}`)));
    }

    // Another picture: keep the marks of the last one as features. A link, for example by the browser's back button, brings its
    // own marks, so the kept features of this picture are dropped, or they would count twice.
    /** @param {import("../numbers/payload.js").Payload} payload */
    function reset({ id }) {
      const before = known.get(last.run);
      const isOurs = last.run && last.things === JSON.stringify(state.get("things"));
      if (isOurs && before && "all" in before && view) {
        const { model, picture } = last;
        const rows = (i) => markedOf(i, before).map((row) => ({ model, picture, row: row.slice() }));
        kept = things().map((_, i) => [...(kept[i] ?? []), ...rows(i)]);
      }
      if (isOurs) state.set({ things: state.get("things").map(({ name }) => ({ name, at: [] })) });
      else kept = kept.map((some) => some.filter(({ picture }) => picture !== id));
      last = { run: "", model: "", picture: "", things: "" };
      labelled = "";
    }

    function press(key) {
      if (!state.get("teach") || Number(key) > things().length) return false;
      state.set({ thing: Number(key) - 1 });
      speak(() => words.say("teach_choose", { name: nameOf(Number(key) - 1) }));
    }

    return { reset, show, press };
  },
};

function unpacked({ features, grid, normed }) {
  const all = halfToFloat(new Uint16Array(bytesOf(features).buffer));
  const width = all.length / (grid[0] * grid[1]);
  return { all, grid, normed, width, rows: (patch) => all.subarray(patch * width, (patch + 1) * width) };
}
