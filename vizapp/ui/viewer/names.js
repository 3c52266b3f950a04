// The names of tokens and maps in sentences.

import { TOKENS } from "../../vocabulary.js";
import { percent, times } from "./numbers/format.js";
import { MOST, spread } from "./numbers/spread.js";

const REGISTER = /^reg(\d+)$/;
const WEIGHTED = ["mean", "pool"]; // queries that are weighted sums of tokens
const QUERY = /^query (\d+)$/;
const PATCH = /^(\d+),(\d+)$/; // what a classifier reads, if it is one patch
const READ_HIDDEN = {
  window: { from: "read_window_from", to: "read_window_to" },
  mask: { from: "read_mask_from", to: "read_mask_to" },
};
export const LONGEST = 0.00095; // the share that is longest in words
const SEVERAL = /\d,\d/; // or patches and other tokens together, "cls+0,0..0,3"

/**
 * Of a prefix token, a weighted query or one that is no patch, as a key of the table and its values: "chip_cls", or "chip_reg"
 * with its number. A token whose name its owner chose, or which has none, goes by it.
 * @param {"name" | "chip"} kind @param {string} name @param {"" | "_help"} [suffix] @returns {[string, Record<string, number | string>]}
 */
export function nameKey(kind, name, suffix = "") {
  const [token, given] = tokenOf(name);
  return [`${kind}_${token}${suffix}`, given];
}

/** @param {string} name @returns {[import("../../vocabulary.js").Token | "query" | "reg" | "patch" | "several" | "other", Record<string, number | string>]} */
function tokenOf(name) {
  const register = REGISTER.exec(name);
  const query = QUERY.exec(name);
  if (query) return ["query", { n: Number(query[1]) + 1 }];
  if (register) return ["reg", { n: Number(register[1]) + 1 }];
  const patch = PATCH.exec(name);
  if (patch) return ["patch", { row: Number(patch[1]) + 1, col: Number(patch[2]) + 1 }];
  if (SEVERAL.test(name)) return ["several", {}];
  const known = TOKENS.find((one) => one === name);
  return known ? [known, {}] : ["other", { name }];
}

/** The name of a token of a layout. A patch of another grid than the query's also names its grid. */
export function tokenName(words, view, query, layout = view.here.queries) {
  if (layout.cellOf(query)) return plainName(words, query, layout, view.here.queries);
  const { readout, top } = view.payload;
  const name = typeof query === "string" ? query : layout.prefix[query];
  const isHere = (part) => WEIGHTED.includes(part) || SEVERAL.test(part) || layout.prefix.includes(part);
  if (!view.crossed && view.payload.named.includes(query) && !query.split("+").every(isHere)) {
    return words.say("name_later", { name: words.say(...nameKey("name", name)) });
  }
  if (name === "cls" && name === readout && top.length) return words.say("name_readout");
  return plainName(words, query, layout);
}

/** The same without what the token is for: "CLS", "patch (3, 4)". A patch of another grid than that of `other` names its own. */
export function plainName(words, query, layout, other = layout) {
  const cell = layout.cellOf(query);
  if (!cell) return words.say(...nameKey("name", typeof query === "string" ? query : layout.prefix[query]));
  const place = { row: cell[0] + 1, col: cell[1] + 1, rows: layout.grid[0], cols: layout.grid[1] };
  return words.say(String(layout.grid) === String(other.grid) ? "patch_name" : "patch_name_of", place);
}

/** The name of a small map in the atlas. */
export function mapName(words, view, { row, column }) {
  const name = view.columns[column];
  if (typeof name === "number") return words.say("where_head", { layer: row + 1, head: name + 1 });
  if (name === "rollout") return words.say("where_rollout", { layer: row + 1 });
  return words.say(`where_${fusedAs(view)}`, { layer: row + 1 });
}

/** The fusion of the atlas's column for all heads. */
export const fusedAs = ({ fusion }) => (fusion === "one" ? "mean" : fusion);

/** Whether the fusion needs each head alone. Its values are then no shares of one query's attention; only the mean's are. */
export const isOfHeads = (view) => fusedAs(view) !== "mean";

/** The name of the map on the stage. */
function shownName(words, view) {
  if (!view.crossed) return mapName(words, view, view.selected);
  const how = view.fusion === "one" ? "head" : view.fusion;
  return words.say(`cross_where_${how}`, { block: view.crossBlock + 1, head: view.crossed.head + 1 });
}

/** Tells the value of the patch under the mouse, if that is not the query itself; else of the patch with the largest value. */
export function mapSentence(words, view) {
  const { values, layout } = view.map;
  const cell = (view.pinned || view.crossed) && view.hovered;
  const sinks = view.sinksNow.map((sink) => layout.tokenOf(sink));
  // A sink takes attention whatever it shows, so the sentence must not say that the query looks at it.
  const isSink = sinks.includes(cell ? layout.tokenOf(cell) : strongest(values, layout, []));
  const token = cell ? layout.tokenOf(cell) : strongest(values, layout, sinks);
  const hidden = cell && view.hiddenBy(token);
  const kind = hidden
    ? READ_HIDDEN[hidden][view.direction]
    : cell
      ? `read_${view.phrase}`
      : values[token] > 0
        ? `status_${view.phrase}`
        : "status_none";
  const said = words.say(kind, {
    where: shownName(words, view),
    among: words.say(isSink ? "among_no_sinks" : "among_all"),
    name: tokenName(words, view, view.query),
    other: tokenName(words, view, token, layout),
    share: percent(values[token]),
    times: times(values[token] * view.evenOf(token)),
    patches: percent(view.onPatches),
    part: percent(values[token] / view.onPatches),
  });
  return cell && isSink ? `${said} ${words.say("read_sink")}` : said;
}

/** The longest that `mapSentence` says of any patch that is pointed at: its room is kept. */
export function longestSentence(words, view) {
  const { queries } = view.here;
  const { layout } = view.map;
  const isHeld = view.pinned || view.crossed;
  const share = percent(LONGEST);
  const values = {
    where: shownName(words, view),
    among: words.say(view.sinksNow.length ? "among_no_sinks" : "among_all"),
    name: tokenName(words, view, isHeld ? view.query : queries.tokens - 1),
    other: tokenName(words, view, layout.tokens - 1, layout),
    share,
    times: "0.00",
    patches: share,
    part: share,
  };
  const phrases = view.kind === "from" && view.isWhole ? ["from", "from_few"] : [view.phrase];
  const all = phrases.map((phrase) => words.say(isHeld ? `read_${phrase}` : `status_${phrase}`, values));
  const longest = all.reduce((most, one) => (one.length > most.length ? one : most));
  return words.told([longest, isHeld && view.sinksNow.length ? words.say("read_sink") : ""]);
}

/** Tells in how few patches most of the map lies, and in which part of the picture. */
export function spreadSentence(words, { map }) {
  const found = spread(map.values, map.layout);
  if (!found) return "";
  const { patches, all } = found;
  const part = words.say(`part_${found.part}`);
  return words.say(patches === 1 ? "spread_1" : "spread_n", { share: percent(MOST), patches, all, part });
}

function strongest(values, { onPicture }, but) {
  let best = -1;
  for (let i = 0; i < values.length; i++) {
    if (onPicture[i] && !but.includes(i) && (best < 0 || values[i] > values[best])) best = i;
  }
  return best < 0 ? onPicture.indexOf(1) : best;
}
