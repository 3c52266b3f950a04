// What tokens and maps are called in sentences.

import { percent, times } from "./numbers/format.js";
import { MOST, spread } from "./numbers/spread.js";

const REGISTER = /^reg(\d+)$/;
const WEIGHTED = ["mean", "pool"]; // of these queries any layer has the tokens
const QUERY = /^query (\d+)$/;

/**
 * Of a prefix token, a weighted query or one that is no patch, as a key of the table and its values: "chip_cls", or "chip_reg"
 * with its number.
 * @param {string} kind @param {string} name @param {string} [suffix] @returns {[string, Record<string, number>]}
 */
export function nameKey(kind, name, suffix = "") {
  const register = REGISTER.exec(name);
  const query = QUERY.exec(name);
  if (query) return [`${kind}_query${suffix}`, { n: Number(query[1]) + 1 }];
  return register ? [`${kind}_reg${suffix}`, { n: Number(register[1]) + 1 }] : [`${kind}_${name}${suffix}`, {}];
}

/** Of a token of a layout; a patch of another grid than the one that is asked tells of which. */
export function tokenName(words, view, query, layout = view.here.queries) {
  const cell = layout.cellOf(query);
  if (cell) {
    const place = { row: cell[0] + 1, col: cell[1] + 1, rows: layout.grid[0], cols: layout.grid[1] };
    return words.say(String(layout.grid) === String(view.here.queries.grid) ? "patch_name" : "patch_name_of", place);
  }
  const { readout, top } = view.payload;
  const name = typeof query === "string" ? query : layout.prefix[query];
  const isHere = (part) => WEIGHTED.includes(part) || layout.prefix.includes(part);
  if (!view.crossed && view.payload.named.includes(query) && !query.split("+").every(isHere)) {
    return words.say("name_later", { name: words.say(...nameKey("name", name)) });
  }
  if (name === "cls" && name === readout && top.length) return words.say("name_readout");
  return words.say(...nameKey("name", name));
}

/** Of a small map in the atlas. */
export function mapName(words, view, { row, column }) {
  const name = view.columns[column];
  if (typeof name === "number") return words.say("where_head", { layer: row + 1, head: name + 1 });
  if (name === "rollout") return words.say("where_rollout", { layer: row + 1 });
  return words.say(`where_${view.fusion === "one" ? "mean" : view.fusion}`, { layer: row + 1 });
}

/** How the column of all heads together is fused. */
export const fusedAs = ({ fusion }) => (fusion === "one" ? "mean" : fusion);

/** Of what the stage shows. */
function shownName(words, view) {
  if (!view.crossed) return mapName(words, view, view.selected);
  const how = view.fusion === "one" ? "head" : view.fusion;
  return words.say(`cross_where_${how}`, { block: view.crossBlock + 1, head: view.crossed.head + 1 });
}

/** What the map says of the patch under the mouse, if one is pinned or no patch asks; else of the patch with the largest value. */
export function mapSentence(words, view) {
  const { values, layout } = view.map;
  const cell = (view.pinned || view.crossed) && view.hovered;
  const sinks = view.sinksNow.map((sink) => layout.tokenOf(sink));
  // A sink takes attention whatever it shows: it is not what the query looks at.
  const isSink = sinks.includes(cell ? layout.tokenOf(cell) : strongest(values, layout, []));
  const token = cell ? layout.tokenOf(cell) : strongest(values, layout, sinks);
  const kind = cell ? `read_${view.phrase}` : values[token] > 0 ? `status_${view.phrase}` : "status_none";
  const said = words.say(kind, {
    where: shownName(words, view),
    among: words.say(isSink ? "among_no_sinks" : "among_all"),
    name: tokenName(words, view, view.query),
    other: tokenName(words, view, token, layout),
    share: percent(values[token]),
    times: times(values[token] * view.even),
    patches: percent(view.onPatches),
    part: percent(values[token] / view.onPatches),
  });
  return cell && isSink ? `${said} ${words.say("read_sink")}` : said;
}

/** Where the map lies: in how few patches, and in which part of the picture. */
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
