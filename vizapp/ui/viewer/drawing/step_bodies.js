// What each step to a number shows when it is open, and the formula and the result that stand beside its name.

import { digits, percent } from "../numbers/format.js";
import { fold, length } from "../numbers/steps.js";
import { barsOf } from "./bars.js";

const tagged = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
const ALL = 200; // a token is shown in full up to so many numbers

/**
 * @typedef {object} About one number, and what is known of it
 * @property {import("../numbers/steps.js").Steps} found
 * @property {number} head
 * @property {number} layer from 0
 * @property {{query: string, key: string}} names of the two tokens
 * @property {{query: Node, key: Node}} pixels of their patches
 * @property {(token: number, side: "queries" | "keys") => string} nameOf
 */

/** @param {import("../words.js").Words} words */
export function stepBodies(words) {
  // The formula of a step; its symbols have the colours of the bars.
  function formulaOf(name) {
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

  function resultOf(name, { found, head }) {
    const known = found.has("scores");
    if (["factors", "product", "scale", "softmax"].includes(name) && !known) return "";
    if (name === "product") return digits(found.score(head).dot);
    if (name === "scale") return digits(found.score(head).score);
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
        i < 0 ? words.say("bar_rest", { value: digits(value) }) : words.say("bar_one", { i: i + 1, value: digits(value) }));
    line.append(tagged("span", label), barsOf(bars, { kind, label: `${label}: ${said(bars)}`, say, ...more }));
    return line;
  };
  const said = (bars) =>
    bars
      .slice(0, 6)
      .map(({ value }) => digits(value))
      .join(", ");
  const text = (key, given = {}) => tagged("p", words.say(key, given));
  const leftOut = (found, name) => tagged("p", words.say("steps_left_out", { why: found.leftOut[name] ?? "" }));

  function rowOfToken(side, letter, { names, found, pixels }) {
    const line = row(names[side], found.vector(`${side}.stream`), letter, "stream", { most: ALL });
    line.firstElementChild?.prepend(pixels[side]);
    return line;
  }

  const BODIES = {
    tokens(about) {
      const { found, layer } = about;
      if (!found.has("query.stream")) return leftOut(found, "written");
      const n = found.vector("query.stream").length;
      return [text("step_tokens_help", { n, layer: layer + 1 }), rowOfToken("query", "q", about), rowOfToken("key", "k", about)];
    },
    factors({ found, head, names }) {
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
    product({ found, head }) {
      if (!found.has("query.used")) return leftOut(found, "q");
      const q = found.vector("query.used", head);
      const k = found.vector("key.used", head);
      const say = ({ index: i, value }) =>
        i < 0
          ? words.say("bar_rest", { value: digits(value) })
          : words.say("bar_product", { i: i + 1, q: digits(q[i]), k: digits(k[i]), value: digits(value) });
      return [
        text("step_product_help", { dot: digits(found.score(head).dot) }),
        row("q", q, "q", "dimension"),
        row("k", k, "k", "dimension"),
        row("q \u00d7 k", found.products(head), "plain", "dimension", { say }),
      ];
    },
    scale({ found, head }) {
      if (!found.has("scores")) return leftOut(found, "q");
      const { dot, scale, bias, score } = found.score(head);
      const given = { dot: digits(dot), scale: digits(scale), score: digits(score), bias: bias === null ? "" : digits(bias) };
      return [
        text("step_scale_help"),
        sumOf(words.say(bias === null ? "sum_scale" : "sum_scale_bias", given)),
        ...(bias === null ? [] : [text("step_bias_help")]),
      ];
    },
    softmax({ found, head, names, nameOf }) {
      const shares = found.vector("attention", head);
      if (!found.has("scores")) return leftOut(found, "q");
      const { own, whole, share, top } = found.softmax(head);
      const say = ({ index: i, value }) =>
        i < 0 ? words.say("bar_others", { share: percent(value) }) : `${nameOf(found.keys[i], "keys")}: ${percent(value)}`;
      return [
        text("step_softmax_help", { n: shares.length }),
        sumOf(
          words.say("sum_softmax", {
            own: digits(own),
            whole: digits(whole),
            share: percent(share),
            score: digits(found.score(head).score),
            top: digits(top),
          }),
        ),
        row(words.say("row_shares", names), shares, "p", "tokens", { lit: found.at, say }),
      ];
    },
    value({ found, head, names }) {
      const share = percent(found.vector("attention", head)[found.at]);
      const v = found.vector("values", head);
      const top = Math.max(...v.map(Math.abs));
      return [
        text("step_value_help", { ...names, share }),
        row(words.say("row_v", { name: names.key }), v, "v", "value", { top }),
        row(words.say("row_brought", { share }), found.brought(head), "p", "value", { top }),
      ];
    },
    head({ found, head }) {
      const rows = [
        text("step_head_help", { head: head + 1 }),
        row(words.say("row_mixed", { head: head + 1 }), found.vector("mixed", head), "v", "value"),
      ];
      if (!found.has("written")) return [...rows, leftOut(found, "written")];
      const bars = found.lengths().map((value, i) => ({ value, index: i }));
      const say = ({ index: i, value }) => words.say("bar_head", { head: i + 1, value: digits(value) });
      return [
        ...rows,
        text("step_written_help"),
        row(words.say("row_written"), bars, "plain", "heads", { whole: true, lit: head, say }),
      ];
    },
    stream({ found }) {
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
        cell.append(bar, tagged("span", digits(Number(value))));
        list.append(tagged("dt", words.say(`length_${name}`)), cell);
      }
      return [text("step_stream_help"), list, ...(found.has("rest") ? [] : [leftOut(found, "rest")])];
    },
    class({ found, layer }) {
      if (!found.lens) return text("step_class_none");
      const bars = found.lens.map(([n, value]) => ({ value, index: n }));
      const say = ({ index: n, value }) => words.say(n ? "bar_lens" : "bar_lens_none", { n, share: percent(value) });
      return [
        text("step_class_help", { label: found.label }),
        row(words.say("row_lens", { label: found.label }), bars, "plain", "layers", {
          whole: true,
          lit: layer + 1,
          top: 1,
          say,
        }),
      ];
    },
  };

  function sumOf(said) {
    const line = tagged("p", said);
    line.className = "viz-sum";
    return line;
  }

  /** @param {string} name @param {About} about @returns {Node[]} */
  function bodyOf(name, about) {
    const parts = BODIES[name](about);
    return Array.isArray(parts) ? parts : [parts];
  }

  return { names: Object.keys(BODIES), bodyOf, formulaOf, resultOf };
}
