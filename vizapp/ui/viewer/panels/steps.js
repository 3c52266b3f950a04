// Explains one number of the map: from two tokens by q and k to a score, by softmax to a share, and what the layer does with it.
// Each step opens in place. The symbols of its formula have the colours of its bars, and pointing at a number lights it
// everywhere.

import { finder, intoView, put, tagged, write } from "../dom.js";
import { MOST_STEPS, stepBodies } from "../drawing/step_bodies.js";
import { nameKey, tokenName } from "../names.js";
import { Embedding } from "../numbers/embedding.js";
import { percent } from "../numbers/format.js";
import { Steps } from "../numbers/steps.js";
import { index } from "../state.js";

const CROP = 44; // css pixels

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "steps",
  place: "maps",
  order: 5,
  shows: ({ depth }) => depth === "number",
  html: `
    <section class="viz-steps" aria-label="$number" hidden>
      <div class="viz-steps-head">
        <h2 class="viz-steps-said"></h2>
        <span class="viz-steps-walk"><button class="viz-steps-back" aria-label="$steps_back">\u2039</button><output class="viz-steps-at"></output><button class="viz-steps-on" aria-label="$steps_on">\u203a</button></span>
      </div>
      <p class="viz-steps-hint">$steps_hint</p>
      <p class="viz-steps-heads"></p>
      <ol class="viz-steps-list"></ol>
    </section>`,
  state: { step: index(0, MOST_STEPS - 1), dimension: index(null) }, // which step is open, and which number of the token it shows
  mount(root, { state, ask, words }) {
    const find = finder(root);
    const bodies = stepBodies(words);
    const box = find("steps");
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let asked = ""; // what the server was asked last
    /** @type {Steps | null} */
    let steps = null;
    let why = ""; // the server has no steps
    let patchAsked = { key: "", number: /** @type {number | null} */ (null) };
    /** @type {{found?: Embedding, why?: string} | null} */
    let patch = null; // how the patch became a token
    let patchLate = false; // another number of it is being fetched; until then the old one stays
    let drawn = ""; // what the list shows
    let reached = -1; // the step that was brought into view last; -1: the steps are closed

    let names = /** @type {string[]} */ ([]); // of the steps of this number
    const go = (step) => state.set({ step: Math.max(0, Math.min(names.length - 1, step)) });
    find("steps-back").addEventListener("click", () => go(state.get("step") - 1));
    find("steps-on").addEventListener("click", () => go(state.get("step") + 1));
    box.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
      if (event.key === "Escape") state.set({ steps: false });
      else if (by) go(state.get("step") + by);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the stage has these keys, too
    });
    find("steps-list").addEventListener("pointerover", ({ target }) => light(target));
    find("steps-list").addEventListener("click", ({ target }) => {
      const key = target.closest("[data-of=tokens] [data-index]")?.dataset.index;
      if (key !== undefined && Number(key) >= 0 && steps) choose(steps.keys[Number(key)]);
      const number = target.closest("[data-of=patch] [data-index]")?.dataset.index ?? target.closest("[data-dimension]")?.dataset.dimension; // prettier-ignore
      if (number !== undefined && Number(number) >= 0) state.set({ dimension: Number(number) });
    });

    // Light up the bar or symbol under the mouse wherever it occurs.
    function light(target) {
      const bar = target.closest?.(".viz-bars [data-index]");
      const symbol = target.closest?.(".viz-formula [class^=viz-of-]");
      const of = bar?.closest("[data-of]")?.dataset.of;
      const step = target.closest?.("details");
      const lit = /** @type {Element[]} */ ([]);
      if (of) lit.push(...root.querySelectorAll(`[data-of="${of}"] rect[data-index="${bar.dataset.index}"]`));
      const kind = /viz-of-[qkvp]/.exec((symbol ?? bar?.closest(".viz-bars"))?.getAttribute("class") ?? "")?.[0];
      if (kind) lit.push(...step.querySelectorAll(`.viz-formula .${kind}`));
      if (symbol) lit.push(...step.querySelectorAll(`.viz-bars.${kind}`));
      for (const one of root.querySelectorAll(".viz-pointed")) one.classList.remove("viz-pointed");
      for (const one of lit) one.classList.add("viz-pointed");
      const said = bar?.closest(".viz-step-body")?.querySelector(".viz-step-pointed");
      if (said) write(said, bar.querySelector("title")?.textContent ?? "");
    }

    // Explain the number of another token's patch.
    function choose(token) {
      const cell = view?.map.layout.cellOf(token);
      if (cell) state.set({ number: view?.placeOf(cell) });
    }

    /** @param {import("../panel.js").View} next */

    function show(next) {
      view = next;
      put(box, { hidden: !view.steps });
      if (!view.steps) {
        reached = -1;
        return;
      }
      const reason = whyNot(view);
      if (reason) return tell(reason);
      const [query, key] = pairOf(view);
      const wanted = JSON.stringify([view.payload.run, view.layer, query, key]);
      if (wanted !== asked) bring(wanted, view.payload.run, [view.layer, query, key]);
      if (!steps) return tell(why || words.say("steps_wait"));
      drawSteps(steps, query, key);
    }

    async function bring(wanted, run, what) {
      asked = wanted;
      why = "";
      const answer = await ask("steps", run, what);
      if (asked !== wanted) return;
      steps = answer.vectors ? new Steps(answer) : null;
      why = answer.why ?? (steps ? "" : words.say("asked_lost"));
      drawn = "";
      if (view?.steps) show(view);
    }

    // How the patch of the number became a token: asked where it is shown.
    function bringPatch({ payload, here, direction }, token) {
      const layout = direction === "to" ? here.queries : here.keys;
      const cell = layout.cellOf(token);
      const number = state.get("dimension");
      const known = patch?.found?.dimensions.includes(number ?? -1) ?? false;
      const key = JSON.stringify([payload.run, layout.grid, cell]);
      if (key === patchAsked.key && (number === null || known || number === patchAsked.number)) return;
      patchLate = key === patchAsked.key && Boolean(patch?.found);
      if (!patchLate) patch = null;
      patchAsked = { key, number };
      if (!cell || String(layout.grid) !== String(payload.layers[0].queries.grid)) patch = { why: words.say("steps_merged") };
      else askPatch(payload.run, [cell[0], cell[1], number], patchAsked);
    }

    async function askPatch(run, [row, col, number], about) {
      let answer = await ask("embedding", run, [row, col, number]);
      // The number was chosen of a longer token, of another network.
      if (!answer.vectors && number !== null) answer = await ask("embedding", run, [row, col, null]);
      if (patchAsked !== about) return;
      patchLate = false;
      patch = answer.vectors ? { found: new Embedding(answer) } : { why: answer.why ?? words.say("asked_lost") };
      drawn = "";
      if (view?.steps) show(view);
    }

    function tell(text) {
      drawn = "";
      write(find("steps-said"), text);
      find("steps-heads").replaceChildren();
      find("steps-list").replaceChildren();
    }

    function whyNot({ method, crossed, query, map }) {
      if (crossed) return words.say("steps_no_cross");
      if (method === "rollout") return words.say("steps_no_rollout");
      if (typeof query !== "number") return words.say("steps_no_mean");
      return map.values ? "" : words.say("arriving");
    }

    function drawSteps(found, query, key) {
      const head = view?.fusion === "one" ? view.head : found.strongest();
      const keys = view?.here.keys;
      names = bodies.namesOf({ found, keys });
      const at = Math.min(state.get("step"), names.length - 1);
      const ofPatch = view?.direction === "to" ? query : key;
      if (view && names[at] === "pixels") {
        bringPatch(view, ofPatch);
        if (patchLate) return;
      }
      const shown = JSON.stringify([
        asked,
        head,
        view?.fusion,
        at,
        names[at] === "pixels" && [patchAsked.key, state.get("dimension"), patch === null],
      ]);
      if (shown === drawn) return;
      drawn = shown;
      const share = found.vector("attention", head)[found.at];
      const tokens = { query: nameOf(query, "queries"), key: nameOf(key, "keys") };
      write(
        find("steps-said"),
        words.say("steps_said", { layer: (view?.layer ?? 0) + 1, head: head + 1, ...tokens, share: percent(share) }),
      );
      find("steps-heads").replaceChildren(...headsOf(found, head));
      write(find("steps-at"), words.say("steps_at", { n: at + 1, all: names.length }));
      put(find("steps-back"), { disabled: at === 0 });
      put(find("steps-on"), { disabled: at === names.length - 1 });
      const pixels = { query: pixelsOf(query, "queries"), key: pixelsOf(key, "keys") };
      const patchName = view?.direction === "to" ? tokens.query : tokens.key;
      const dimension = state.get("dimension");
      const about = { found, head, layer: view?.layer ?? 0, names: tokens, pixels, nameOf, keys, patch, patchName, dimension };
      const every = names.map((name, i) => stepOf(name, i, i === at, about));
      const held = /viz-patch-(back|on)/.exec(
        box.contains(document.activeElement) ? (document.activeElement?.className ?? "") : "",
      );
      find("steps-list").replaceChildren(...every);
      if (held) box.querySelector(`.${held[0]}`)?.focus();
      // Beside a chapter the book keeps in view what it asks and says.
      if (at !== reached && !view?.isReading) bringIntoView(at ? every[at] : box);
      reached = at;
    }

    // A step begins below what leads through the steps, which stays where it is; the first one with all that is said before it.
    function bringIntoView(part) {
      box.style.setProperty("--steps-head", `${find("steps-head").offsetHeight}px`);
      intoView(part);
    }

    // "patch (3, 4)", "CLS": shorter than in the sentences about maps.
    function nameOf(token, side) {
      const layout = view?.here[side];
      return layout?.cellOf(token)
        ? tokenName(words, view, token, layout)
        : words.say(...nameKey("name", layout?.prefix[token] ?? ""));
    }

    // The pixels of a patch, as the network was given them in the picture.
    function pixelsOf(token, side) {
      const canvas = document.createElement("canvas");
      const layout = view?.here[side];
      const cell = layout?.cellOf(token);
      if (!view || !cell) return document.createTextNode(""); // CLS has no place in the picture
      const { bitmap, window: seen } = view.payload;
      const [left, top, right, bottom] = seen;
      const [rows, cols] = layout.grid;
      const [width, height] = [((right - left) / cols) * bitmap.width, ((bottom - top) / rows) * bitmap.height];
      const [x, y] = [left * bitmap.width + cell[1] * width, top * bitmap.height + cell[0] * height];
      canvas.className = "viz-crop";
      canvas.width = canvas.height = CROP;
      canvas.getContext("2d")?.drawImage(bitmap, x, y, width, height, 0, 0, CROP, CROP);
      return canvas;
    }

    // The map of several heads is their mean: what each says.
    function headsOf(found, head) {
      const shares = found.shares();
      const buttons = shares.map((share, i) => {
        const button = tagged("button", words.say("steps_head", { head: i + 1, share: percent(share) }));
        button.addEventListener("click", () => state.set({ head: i, fusion: "one" }));
        put(button, { "aria-pressed": i === head });
        return button;
      });
      const mean = percent(shares.reduce((a, b) => a + b, 0) / shares.length);
      const said = view?.fusion === "one" ? words.say("steps_of_heads") : words.say("steps_of_mean", { n: shares.length, mean });
      return [tagged("span", said), ...buttons];
    }

    function stepOf(name, at, isOpen, about) {
      const item = document.createElement("li");
      const details = document.createElement("details");
      const summary = document.createElement("summary");
      details.open = isOpen;
      details.dataset.step = name;
      summary.append(tagged("b", words.say(`step_${name}`)), " ", bodies.formulaOf(name, about), tagged("span", ""));
      /** @type {HTMLElement} */ (summary.lastElementChild).className = "viz-step-result";
      details.append(summary);
      summary.addEventListener("click", (event) => {
        event.preventDefault(); // the state says which is open
        if (isOpen) details.open = !details.open;
        else go(at);
      });
      item.append(details);
      if (isOpen) {
        const body = document.createElement("div");
        body.className = "viz-step-body";
        body.append(...bodies.bodyOf(name, about));
        const pointed = tagged("output", "");
        pointed.className = "viz-step-pointed";
        body.append(pointed);
        details.append(body);
      }
      write(/** @type {HTMLElement} */ (summary.lastElementChild), bodies.resultOf(name, about));
      return item;
    }

    const forget = () => {
      asked = "";
      steps = null;
      patchAsked = { key: "", number: null };
      patchLate = false;
      patch = null;
    };
    return { reset: forget, swap: forget, show };
  },
};

// Query and key of the explained number: the chosen patch's, or the strongest one's.
function pairOf({ map, query, asksNumber, direction }) {
  const token = asksNumber ? map.layout.tokenOf(asksNumber) : strongest(map);
  return direction === "to" ? [token, query] : [query, token];
}

function strongest({ values, layout }) {
  let best = layout.first;
  for (let token = layout.first; token < layout.tokens; token++) if (values[token] > values[best]) best = token;
  return best;
}
