// How one number of the map came about: from two tokens by q and k to a score, by softmax to a share, and what the layer makes of
// it. Each step opens where it stands; its formula has the colours of its bars, and a number is pointed at in all of them.

import { finder, put, tagged, write } from "../dom.js";
import { barsOf } from "../drawing/bars.js";
import { nameKey, tokenName } from "../names.js";
import { percent } from "../numbers/format.js";
import { Steps, fold, length } from "../numbers/steps.js";
import { index } from "../state.js";

const CROP = 44; // css pixels
const ALL = 200; // a token is shown in full up to so many numbers
const NAMES = ["tokens", "factors", "product", "scale", "softmax", "value", "head", "stream", "class"];

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "steps",
  place: "maps",
  order: 5,
  html: `
    <section class="viz-steps" aria-label="$number" hidden>
      <div class="viz-steps-head">
        <h3 class="viz-steps-said" tabindex="-1"></h3>
        <span class="viz-steps-walk"><button class="viz-steps-back" aria-label="$steps_back">\u2039</button><output class="viz-steps-at"></output><button class="viz-steps-on" aria-label="$steps_on">\u203a</button><button class="viz-steps-close" aria-label="$steps_close">\u00d7</button></span>
      </div>
      <p class="viz-steps-hint">$steps_hint</p>
      <p class="viz-steps-heads"></p>
      <ol class="viz-steps-list"></ol>
    </section>`,
  state: { step: index(0) },
  mount(root, { state, ask, words }) {
    const find = finder(root);
    const box = find("steps");
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let asked = ""; // what the server was asked last
    /** @type {Steps | null} */
    let steps = null;
    let why = ""; // the server has no steps
    let drawn = ""; // what the list shows
    let wasOpen = false;

    const go = (step) => state.set({ step: Math.max(0, Math.min(NAMES.length - 1, step)) });
    find("steps-back").addEventListener("click", () => go(state.get("step") - 1));
    find("steps-on").addEventListener("click", () => go(state.get("step") + 1));
    find("steps-close").addEventListener("click", () => state.set({ steps: false }));
    box.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
      if (event.key === "Escape") state.set({ steps: false });
      else if (by) go(state.get("step") + by);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the stage has these keys, too
    });
    // A dimension that is pointed at in one row of bars is lit in all of them.
    find("steps-list").addEventListener("pointerover", ({ target }) => light(target));
    find("steps-list").addEventListener("click", ({ target }) => {
      const head = target.closest("[data-head]")?.dataset.head;
      if (head !== undefined) state.set({ head: Number(head), fusion: "one" });
      const key = target.closest("[data-of=tokens] [data-index]")?.dataset.index;
      if (key !== undefined && Number(key) >= 0 && steps) choose(steps.keys[Number(key)]);
    });

    function light(target) {
      const bar = target.closest?.(".viz-bars [data-index]");
      const of = bar?.closest("[data-of]")?.dataset.of;
      for (const one of root.querySelectorAll(".viz-pointed")) one.classList.remove("viz-pointed");
      if (!of) return;
      for (const one of root.querySelectorAll(`[data-of="${of}"] rect[data-index="${bar.dataset.index}"]`))
        one.classList.add("viz-pointed");
      const said = bar.closest(".viz-step-body")?.querySelector(".viz-step-pointed");
      if (said) write(said, bar.querySelector("title")?.textContent ?? "");
    }

    // The patch of a token becomes the one whose number is told.
    function choose(token) {
      const cell = view?.map.layout.cellOf(token);
      if (cell) state.set({ number: view?.placeOf(cell) });
    }

    /** @param {import("../panel.js").View} next */

    function show(next) {
      view = next;
      put(box, { hidden: !view.steps });
      if (!view.steps) {
        wasOpen = false;
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
      const at = Math.min(state.get("step"), NAMES.length - 1);
      const shown = JSON.stringify([asked, head, view?.fusion, at]);
      if (shown === drawn) return;
      drawn = shown;
      const share = found.vector("attention", head)[found.at];
      const names = { query: nameOf(query, "queries"), key: nameOf(key, "keys") };
      write(
        find("steps-said"),
        words.say("steps_said", { layer: (view?.layer ?? 0) + 1, head: head + 1, ...names, share: percent(share) }),
      );
      find("steps-heads").replaceChildren(...headsOf(found, head));
      write(find("steps-at"), words.say("steps_at", { n: at + 1, all: NAMES.length }));
      put(find("steps-back"), { disabled: at === 0 });
      put(find("steps-on"), { disabled: at === NAMES.length - 1 });
      const every = NAMES.map((name, i) => stepOf(name, i, i === at, found, head, names));
      find("steps-list").replaceChildren(...every);
      if (!wasOpen) box.scrollIntoView({ block: "nearest", behavior: "smooth" });
      wasOpen = true;
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
      if (!view || !cell) return canvas;
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

    function stepOf(name, at, isOpen, found, head, names) {
      const item = document.createElement("li");
      const details = document.createElement("details");
      const summary = document.createElement("summary");
      details.open = isOpen;
      details.dataset.step = name;
      summary.append(tagged("b", words.say(`step_${name}`)), " ", formula(name), tagged("span", ""));
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
        const parts = BODIES[name](found, head, names);
        body.append(...(Array.isArray(parts) ? parts : [parts]));
        const pointed = tagged("output", "");
        pointed.className = "viz-step-pointed";
        body.append(pointed);
        details.append(body);
      }
      write(/** @type {HTMLElement} */ (summary.lastElementChild), resultOf(name, found, head));
      return item;
    }

    // The formula of a step; its symbols have the colours of the bars.
    function formula(name) {
      const box = document.createElement("span");
      box.className = "viz-formula";
      for (const part of words.say(`formula_${name}`).split(/(\b[qkvp]\b(?:[\u1d62\u2c7c])?)/)) {
        const symbol = /^[qkvp]/.exec(part) && part.length <= 2;
        const one = tagged("span", part);
        if (symbol) one.className = `viz-of-${part[0]}`;
        box.append(one);
      }
      return box;
    }

    function resultOf(name, found, head) {
      const known = found.has("scores");
      if (["factors", "product", "scale", "softmax"].includes(name) && !known) return "";
      if (name === "product") return short(found.score(head).dot);
      if (name === "scale") return short(found.score(head).score);
      if (name === "softmax") return percent(found.softmax(head).share);
      if (name === "class" && found.lens) return percent(found.lens.at(-1)[1]);
      return "";
    }

    const row = (label, values, kind, of, more = {}) => {
      const line = document.createElement("div");
      line.className = "viz-bar-row";
      line.dataset.of = of;
      const bars = more.whole ? values : fold(values, { always: more.lit, most: more.most });
      const say =
        more.say ??
        (({ index: i, value }) =>
          i < 0 ? words.say("bar_rest", { value: short(value) }) : words.say("bar_one", { i: i + 1, value: short(value) }));
      line.append(tagged("span", label), barsOf(bars, { kind, label: `${label}: ${said(bars)}`, say, ...more }));
      return line;
    };
    const said = (bars) =>
      bars
        .slice(0, 6)
        .map(({ value }) => short(value))
        .join(", ");
    const text = (key, given = {}) => tagged("p", words.say(key, given));
    const leftOut = (found, name) => tagged("p", words.say("steps_left_out", { why: found.leftOut[name] ?? "" }));

    function rowOfToken(side, letter, names, found) {
      const line = row(names[side], found.vector(`${side}.stream`), letter, "stream", { most: ALL });
      const [query, key] = JSON.parse(asked).slice(2);
      line.firstElementChild?.prepend(pixelsOf(side === "query" ? query : key, side === "query" ? "queries" : "keys"));
      return line;
    }

    const BODIES = {
      tokens(found, head, names) {
        if (!found.has("query.stream")) return leftOut(found, "written");
        const n = found.vector("query.stream").length;
        return [
          text("step_tokens_help", { n, layer: (view?.layer ?? 0) + 1 }),
          rowOfToken("query", "q", names, found),
          rowOfToken("key", "k", names, found),
        ];
      },
      factors(found, head, names) {
        if (!found.has("query.used")) return leftOut(found, "q");
        const rows = [text("step_factors_help", { ...names, n: found.vector("query.used", head).length })];
        for (const [side, letter] of [
          ["query", "q"],
          ["key", "k"],
        ]) {
          const name = words.say(`row_${letter}`, { name: names[side] });
          if (found.turned[side])
            rows.push(row(words.say("row_before", { name }), found.vector(`${side}.made`, head), letter, "dimension"));
          rows.push(
            row(
              found.turned[side] ? words.say("row_after", { name }) : name,
              found.vector(`${side}.used`, head),
              letter,
              "dimension",
            ),
          );
        }
        if (found.turned.query || found.turned.key) rows.push(text("step_turned_help"));
        return rows;
      },
      product(found, head) {
        if (!found.has("query.used")) return leftOut(found, "q");
        const q = found.vector("query.used", head);
        const k = found.vector("key.used", head);
        const say = ({ index: i, value }) =>
          i < 0
            ? words.say("bar_rest", { value: short(value) })
            : words.say("bar_product", { i: i + 1, q: short(q[i]), k: short(k[i]), value: short(value) });
        return [
          text("step_product_help", { dot: short(found.score(head).dot) }),
          row("q", q, "q", "dimension"),
          row("k", k, "k", "dimension"),
          row("q \u00d7 k", found.products(head), "plain", "dimension", { say }),
        ];
      },
      scale(found, head) {
        if (!found.has("scores")) return leftOut(found, "q");
        const { dot, scale, bias, score } = found.score(head);
        const given = { dot: short(dot), scale: short(scale), score: short(score), bias: bias === null ? "" : short(bias) };
        return [
          text("step_scale_help"),
          sum_(words.say(bias === null ? "sum_scale" : "sum_scale_bias", given)),
          ...(bias === null ? [] : [text("step_bias_help")]),
        ];
      },
      softmax(found, head, names) {
        const shares = found.vector("attention", head);
        if (!found.has("scores")) return leftOut(found, "q");
        const { own, whole, share, top } = found.softmax(head);
        const say = ({ index: i, value }) =>
          i < 0 ? words.say("bar_others", { share: percent(value) }) : `${nameOf(found.keys[i], "keys")}: ${percent(value)}`;
        return [
          text("step_softmax_help", { n: shares.length }),
          sum_(
            words.say("sum_softmax", {
              own: short(own),
              whole: short(whole),
              share: percent(share),
              score: short(found.score(head).score),
              top: short(top),
            }),
          ),
          row(words.say("row_shares", names), shares, "p", "tokens", { lit: found.at, say }),
        ];
      },
      value(found, head, names) {
        const share = percent(found.vector("attention", head)[found.at]);
        const v = found.vector("values", head);
        const top = Math.max(...v.map(Math.abs));
        return [
          text("step_value_help", { ...names, share }),
          row(words.say("row_v", { name: names.key }), v, "v", "value", { top }),
          row(words.say("row_brought", { share }), found.brought(head), "p", "value", { top }),
        ];
      },
      head(found, head) {
        const rows = [
          text("step_head_help", { head: head + 1 }),
          row(words.say("row_mixed", { head: head + 1 }), found.vector("mixed", head), "v", "value"),
        ];
        if (!found.has("written")) return [...rows, leftOut(found, "written")];
        const bars = found.lengths().map((value, i) => ({ value, index: i }));
        const say = ({ index: i, value }) => words.say("bar_head", { head: i + 1, value: short(value) });
        return [
          ...rows,
          text("step_written_help"),
          row(words.say("row_written"), bars, "plain", "heads", { whole: true, lit: head, say }),
        ];
      },
      stream(found) {
        if (!found.has("written")) return leftOut(found, "written");
        const parts = [
          ["before", length(found.vector("query.stream"))],
          ["attention", found.writtenLength()],
          ["between", length(found.vector("between"))],
          ...(found.has("rest")
            ? [
                ["rest", length(found.vector("rest"))],
                ["after", length(found.vector("after"))],
              ]
            : []),
        ];
        const top = Math.max(...parts.map(([, value]) => Number(value)));
        const list = document.createElement("dl");
        list.className = "viz-lengths";
        for (const [name, value] of parts) {
          const bar = document.createElement("i");
          bar.style.width = `${(100 * Number(value)) / top}%`;
          const cell = tagged("dd", "");
          cell.append(bar, tagged("span", short(Number(value))));
          list.append(tagged("dt", words.say(`length_${name}`)), cell);
        }
        return [text("step_stream_help"), list, ...(found.has("rest") ? [] : [leftOut(found, "rest")])];
      },
      class(found) {
        if (!found.lens) return text("step_class_none");
        const bars = found.lens.map(([n, value]) => ({ value, index: n }));
        const say = ({ index: n, value }) => words.say(n ? "bar_lens" : "bar_lens_none", { n, share: percent(value) });
        return [
          text("step_class_help", { label: found.label }),
          row(words.say("row_lens", { label: found.label }), bars, "plain", "layers", {
            whole: true,
            lit: (view?.layer ?? 0) + 1,
            top: 1,
            say,
          }),
        ];
      },
    };

    function sum_(said) {
      const line = tagged("p", said);
      line.className = "viz-sum";
      return line;
    }

    const forget = () => {
      asked = "";
      steps = null;
    };
    return { reset: forget, swap: forget, show };
  },
};

// Query and key of the number that is told: that of the patch that was chosen, or of the strongest.
function pairOf({ map, query, asksNumber, direction }) {
  const token = asksNumber ? map.layout.tokenOf(asksNumber) : strongest(map);
  return direction === "to" ? [token, query] : [query, token];
}

function strongest({ values, layout }) {
  let best = layout.first;
  for (let token = layout.first; token < layout.tokens; token++) if (values[token] > values[best]) best = token;
  return best;
}

// Three digits that count, with a real minus.
function short(value) {
  const size = Math.abs(value);
  const said = size !== 0 && (size < 0.001 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  return said.replace("-", "\u2212");
}
