// What each step to a number shows when it is open, and the formula and the result that stand beside its name.

import { digits, percent } from "../numbers/format.js";
import { ALL, fold, length } from "../numbers/steps.js";
import { barsOf } from "./bars.js";
import { squaresOf } from "./patch.js";

export const MOST_STEPS = 12; // as many as BODIES has; a link cannot open another

const tagged = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

/**
 * @typedef {object} About one number, and what is known of it
 * @property {import("../numbers/steps.js").Steps} found
 * @property {number} head
 * @property {number} layer from 0
 * @property {{query: string, key: string}} names of the two tokens
 * @property {{query: Node, key: Node}} pixels of their patches
 * @property {{found?: import("../numbers/embedding.js").Embedding, why?: string} | null} patch how its token began; null: on its way
 * @property {string} patchName of the patch whose number is told
 * @property {number | null} dimension the number of its token that was chosen
 * @property {(token: number, side: "queries" | "keys") => string} nameOf
 * @property {import("../numbers/layout.js").Layout} keys where the tokens stand that are looked at
 */

/** @param {import("../words.js").Words} words */
export function stepBodies(words) {
  // The formula of a step; its symbols have the colours of the bars.
  function formulaOf(name, { patch }) {
    const key = name === "pixels" && patch?.found && !patch.found.hasPlace ? "pixels_bare" : name;
    const box = document.createElement("span");
    box.className = "viz-formula";
    for (const part of words.say(`formula_${key}`).split(/(\b[qkvp]\b(?:[\u1d62\u2c7c])?)/)) {
      const symbol = /^[qkvp]/.exec(part) && part.length <= 2;
      const one = tagged("span", part);
      if (symbol) one.className = `viz-of-${part[0]}`;
      box.append(one);
    }
    return box;
  }

  function resultOf(name, { found, head, patch, dimension }) {
    if (name === "pixels" && patch?.found) return digits(patch.found.explained[patch.found.chosen(dimension)]);
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

  // The numbers of a token, or its largest, a bar each to be clicked.
  function rowOfPatch(label, embedding, values, dimension) {
    const bars = embedding.bars(values);
    const line = row(label, bars, "plain", "patch", { whole: true, lit: dimension });
    if (bars.length < values.length) {
      line.firstElementChild?.append(", ", words.say("row_largest", { n: bars.length, all: values.length }));
    }
    return line;
  }

  function walkOf(embedding, dimension) {
    const walk = document.createElement("span");
    walk.className = "viz-steps-walk";
    const dimensions = embedding.bars(embedding.token).map(({ index }) => index);
    const at = dimensions.indexOf(dimension);
    const button = (sign, name, to) => {
      const one = Object.assign(tagged("button", sign), { disabled: to === undefined, className: `viz-patch-${name}` });
      one.setAttribute("aria-label", words.say(`patch_${name}`));
      if (to !== undefined) one.dataset.dimension = String(to);
      return one;
    };
    walk.append(
      button("\u2039", "back", dimensions[at - 1]),
      tagged("span", words.say("patch_number", { i: dimension + 1 })),
      button("\u203a", "on", dimensions[at + 1]),
    );
    return walk;
  }

  /** @type {Record<import("../../../vocabulary.js").Step, (about: any) => Node | Node[]>} */
  const BODIES = {
    pixels({ patch, patchName, dimension: wanted }) {
      if (!patch) return Object.assign(text("steps_wait"), { className: "viz-patch-wait" });
      if (!patch.found) return tagged("p", patch.why ?? "");
      const one = patch.found;
      const dimension = one.chosen(wanted);
      const { dot, bias, position, made, token } = one.sumOf(dimension);
      const size = { height: one.height, width: one.width, n: one.pixels.length, all: one.token.length };
      const given = { dot: digits(dot), bias: digits(bias), made: digits(made), token: digits(token) };
      const summed = one.hasPlace ? "sum_pixels_place" : "sum_pixels";
      const name = words.say("row_patch", { name: patchName });
      return [
        text("step_pixels_help", { ...size, name: patchName }),
        walkOf(one, dimension),
        squaresOf(one, dimension, words),
        sumOf(words.say(summed, { ...given, position: digits(position ?? 0) })),
        ...(position !== null && !one.hasPlace ? [text("step_pixels_nowhere")] : []),
        ...(position === null
          ? [
              text("step_pixels_turned", given),
              rowOfPatch(words.say("row_before", { name }), one, one.made, dimension),
              rowOfPatch(words.say("row_after", { name }), one, one.token, dimension),
            ]
          : [rowOfPatch(name, one, one.token, dimension)]),
      ];
    },
    tokens(about) {
      const { found, layer } = about;
      if (!found.has("query.stream")) return leftOut(found, "written");
      const n = found.vector("query.stream").length;
      return [text("step_tokens_help", { n, layer: layer + 1 }), rowOfToken("query", "q", about), rowOfToken("key", "k", about)];
    },
    window({ found, keys, names }) {
      const seen = found.keys.filter((token) => token >= 0).length;
      return [text("step_window_help", { ...names, n: seen, all: keys.tokens })];
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
    scale({ found, head, names }) {
      if (!found.has("scores")) return leftOut(found, "q");
      const { dot, scale, bias, score } = found.score(head);
      const given = { dot: digits(dot), scale: digits(scale), score: digits(score), bias: bias === null ? "" : digits(bias) };
      return [
        text("step_scale_help"),
        sumOf(words.say(bias === null ? "sum_scale" : "sum_scale_bias", given)),
        ...(bias === null ? [] : [found.hides(head) ? text("step_hidden_help", names) : text("step_bias_help")]),
      ];
    },
    softmax({ found, head, names, nameOf }) {
      const shares = found.vector("attention", head);
      if (!found.has("scores")) return leftOut(found, "q");
      const { own, whole, share, top } = found.softmax(head);
      const say = ({ index: i, value }) => {
        if (i < 0) return words.say("bar_others", { share: percent(value) });
        const name = nameOf(found.keys[i], "keys");
        return found.hides(head, i) ? words.say("bar_hidden", { name }) : `${name}: ${percent(value)}`;
      };
      const sum = {
        own: digits(own),
        whole: digits(whole),
        share: percent(share),
        score: digits(found.score(head).score),
        top: digits(top),
      };
      return [
        text("step_softmax_help", { n: shares.length }),
        found.hides(head) ? text("step_hidden_share", names) : sumOf(words.say("sum_softmax", sum)),
        row(words.say("row_shares", names), shares, "p", "tokens", { lit: found.at, say }),
      ];
    },
    registers({ found, head, keys, nameOf }) {
      const parts = placeless(found, head, keys).map(({ token, share }) => [nameOf(token, "keys"), share]);
      const registers = placeless(found, head, keys).filter(({ name }) => name.startsWith("reg"));
      const rest = 1 - parts.reduce((sum, [, share]) => sum + Number(share), 0);
      const share = percent(registers.reduce((sum, one) => sum + one.share, 0));
      return [text("step_registers_help", { share }), lengths([...parts, [words.say("chip_mean"), rest]], percent)];
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
      const list = lengths(
        parts.map(([name, value]) => [words.say(`length_${name}`), value]),
        digits,
      );
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

  // Names, each with a bar and its number.
  function lengths(parts, said) {
    const top = Math.max(...parts.map(([, value]) => Number(value)));
    const list = document.createElement("dl");
    list.className = "viz-lengths";
    for (const [name, value] of parts) {
      const bar = document.createElement("i");
      bar.style.width = `${(100 * Number(value)) / top}%`;
      const cell = tagged("dd", "");
      cell.append(bar, tagged("span", said(Number(value))));
      list.append(tagged("dt", name), cell);
    }
    return list;
  }

  // What goes to tokens that have no place in the picture.
  function placeless(found, head, keys) {
    const shares = found.vector("attention", head);
    return found.keys
      .map((token, column) => ({ token, name: keys.prefix[token] ?? "", share: shares[column] }))
      .filter(({ token }) => token >= 0 && token < keys.prefix.length);
  }

  // Steps that only some networks have.
  const ONLY = {
    window: ({ found, keys }) => found.keys.filter((token) => token >= 0).length < keys.tokens,
    registers: ({ keys }) => keys.prefix.some((name) => name.startsWith("reg")),
  };

  /** The steps of this number, in their order. @param {{found: import("../numbers/steps.js").Steps, keys: any}} about */
  const namesOf = (about) => Object.keys(BODIES).filter((name) => !ONLY[name] || ONLY[name](about));

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

  return { namesOf, bodyOf, formulaOf, resultOf };
}
