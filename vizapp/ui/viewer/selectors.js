// Makes the view: everything that panels show. It is computed once per paint from state and payload, so that no two panels repeat
// the work.

import { THROUGH_LAYERS } from "../../vocabulary.js";
import { largest } from "./drawing/colour.js";
import { Truth } from "./drawing/truth.js";
import { Cross } from "./numbers/cross.js";
import { Film } from "./numbers/film.js";
import { isOfHeads, fusedAs } from "./names.js";
import { fuseHeads } from "./numbers/fuse.js";
import { measures } from "./numbers/measures.js";
import { divergence, mostTelling } from "./numbers/opening.js";
import { Queries } from "./numbers/query.js";
import { Reach } from "./numbers/reach.js";
import { Rest } from "./numbers/rest.js";
import { Scores } from "./numbers/scores.js";
import { OPENS, depthOf } from "./zoom.js";

const FEW = 0.5; // of a query's attention: if less falls on patches, sentences name the total that values are shares of

const sumOf = (values) => values.reduce((a, b) => a + b, 0);

export class Selectors {
  // `again()` requests another paint when the mouse has rested. `opens`: the layer on which the picture has opened, or null.
  /** @param {import("./numbers/payload.js").Payload} payload @param {import("./numbers/attention.js").Attention} attention */
  constructor(payload, attention, again, opens = null) {
    this.payload = payload;
    this.attention = attention;
    this.queries = new Queries(payload);
    this.cross = new Cross(payload);
    this.reaches = new Reach(payload, attention);
    this.truth = new Truth(payload);
    this.scores = new Scores(payload, again);
    this.rolling = new Rest(again);
    this.heads = Math.max(...payload.layers.map((layer) => layer.heads));
    this.columns = [...Array(this.heads).keys(), "mean", ...(payload.canRoll ? ["rollout"] : [])];
    this.sinkMasks = new Map();
    this.opens = opens ?? this.opening();
  }

  stop() {
    this.rolling.stop();
    this.scores.rest.stop();
  }

  // The state, limited to what this network has: its layers, its heads, rollout if it is defined.
  choice(state) {
    const { layers, canRoll, cross } = this.payload;
    const layer = Math.min(state.layer ?? this.opens.layer, layers.length - 1);
    const head = Math.min(state.head, layers[layer].heads - 1);
    const crossBlock = state.crossBlock === null || !cross.length ? null : Math.min(state.crossBlock, cross.length - 1);
    const crossQuery = crossBlock === null ? state.crossQuery : Math.min(state.crossQuery, cross[crossBlock].queries.length - 1);
    const method = canRoll && crossBlock === null ? state.method : "attention";
    return { ...state, layer, head, method, crossBlock, crossQuery };
  }

  // The parts of the state that this network does not have, as they are shown instead: {layer: 4} for layer 999 of five. The state
  // keeps its own, for a network that has them; a link holds what is shown.
  /** @param {Record<string, any>} state */
  fitted(state) {
    const { payload } = this;
    const choice = this.choice(state);
    const { queries } = payload.layers[choice.layer];
    const isOutside = (place) => place && !this.queries.cellAt(queries, place);
    const film = payload.film && new Film(payload.film);
    const shown = {
      layer: state.layer === null ? null : choice.layer,
      head: choice.fusion === "one" ? choice.head : Math.min(state.head, this.heads - 1),
      method: payload.canRoll ? state.method : "attention",
      crossBlock: choice.crossBlock,
      crossQuery: choice.crossQuery,
      token: state.token !== null && this.queries.has(state.token) ? state.token : null,
      direction: this.queries.hasColumns(choice.layer, choice.method) ? state.direction : "from",
      place: isOutside(state.place) ? this.queries.nearest(queries, state.place) : state.place,
      number: isOutside(state.number) ? null : state.number,
      question: state.question && Boolean(payload.lesson),
      moment: film && Number.isInteger(state.moment) ? film.steps[film.nearest(state.moment)] : null,
      ...Object.fromEntries(Object.keys(OPENS).map((key) => [key, state[key] && OPENS[key] === depthOf(state)])),
    };
    return Object.fromEntries(Object.entries(shown).filter(([key, value]) => key in state && value !== state[key]));
  }

  // The patch under the mouse, [row, col]: the query, or, if another one is pinned, the patch whose value is read out.
  hovered(choice) {
    if (!choice.hover) return null;
    if (choice.crossBlock !== null) return this.queries.cellAt(this.payload.cross[choice.crossBlock].keys, choice.hover);
    const { queries } = this.payload.layers[choice.layer];
    if (!choice.pinned) return this.queries.cellAt(queries, choice.hover);
    return this.queries.cellAt(this.layoutOf(this.queries.in(choice.layer, this.queries.chosen(choice)), choice), choice.hover);
  }

  // The layout of a map's values: the keys', or the queries' if the map shows who looks at the token.
  layoutOf(query, choice) {
    const { queries, keys } = this.payload.layers[choice.layer];
    if (THROUGH_LAYERS[choice.method]) return this.payload.finest;
    return this.queries.direction(query, choice) === "to" ? queries : keys;
  }

  // One map, a value per token of `layoutOf`, prefix tokens first; null while its numbers have not arrived. The heads are fused
  // unless `fusion` is "one".
  values(query, choice) {
    const { attention } = this;
    const { layer, head, fusion, method, skipWeight } = choice;
    const direction = this.queries.direction(query, choice);
    if (method === "rollout") {
      return attention.rollout(layer, query, direction, fusedAs(choice), skipWeight);
    }
    if (!attention.knows(layer, query)) return null;
    if (fusion !== "one") return attention.fuse(layer, query, direction, fusion);
    if (!attention.ready(layer, query, direction)) return null;
    return direction === "to" ? attention.column(layer, head, query) : attention.row(layer, head, query);
  }

  // The layer on which this picture opens, {layer, nats: see numbers/opening.js, isEven: compared with a uniform spread, mark}.
  // If a lesson has put a tell-tale mark into the picture, it is the layer that looks at it most, and `mark` is the mark's name.
  opening() {
    const { payload, attention } = this;
    const isEven = payload.readout === "mean";
    const rows = payload.layers.map((_, layer) => {
      const query = this.queries.in(layer, { name: payload.readout });
      if (!attention.knows(layer, query) || !attention.ready(layer, query)) return null;
      return fuseHeads(attention.maps(layer, query, "from"), "mean");
    });
    const nats = rows.map(
      (row, layer) => row && divergence(row, attention.rowOfMeanPatch(layer), payload.layers[layer].keys.onPicture),
    );
    const mark = this.truth.things.find(({ object }) => !object);
    const on = mark && this.truth.targets(mark.mask);
    const onMark = on && rows.map((row, layer) => row && shareOn(row, payload.layers[layer].keys, on));
    const layer = mostTelling(onMark ?? nats, payload.layers);
    return { layer, nats: nats[layer] ?? 0, isEven, mark: mark?.name ?? "" };
  }

  // panels/README.md has a table of what panels ask for most.
  /** @param {Record<string, any>} state */
  view(state) {
    const { payload } = this;
    const choice = this.choice(state);
    const { layer, method, pinned } = choice;
    const here = payload.layers[layer];
    const hovered = this.hovered(choice);
    const chosen = this.queries.in(layer, this.queries.chosen(choice));
    const isHovered = !pinned && hovered && choice.crossBlock === null;
    const query = isHovered ? here.queries.tokenOf(hovered) : chosen;
    const asked = isHovered ? this.queries.asked(layer, query) : this.queries.chosen(choice);
    const layout = this.layoutOf(query, choice);
    const sinksFound = payload.sinks ?? state.sinksFound[payload.run] ?? null;
    const sinks = (state.sinks && sinksFound) || [];
    const cells = this.cells(asked, query, choice, sinks);
    const isOne = !THROUGH_LAYERS[method] && choice.fusion === "one";
    const column = method === "rollout" ? this.heads + 1 : isOne ? choice.head : this.heads;
    const cell = cells[layer][column];
    const reach = cell?.reach ?? null;
    const direction = this.queries.direction(query, choice);
    const kind = method === "attention" ? direction : direction === "to" ? "rollout_to" : "rollout";
    const known = this.truth.of(state.shapes);
    const now = sinks.filter(([, , , first, last]) => first <= layer && (THROUGH_LAYERS[method] || layer <= last));
    const view = {
      ...choice, // every key of the state, as far as this network has it
      payload,
      depth: depthOf(state), // "picture", or what is shown beside it
      heads: this.heads, // the most of any layer
      columns: this.columns, // of the atlas: the heads, "mean", "rollout"
      column, // of the map on the stage
      here, // the layer on the stage
      query, // on the stage: a token of that layer, or the name of a weighted query
      chosen, // the query to which the stage returns when the mouse leaves
      cell: here.queries.cellOf(query), // the query's patch, or null
      hovered,
      handCell: state.hand && this.queries.cellAt(payload.finest, state.hand.at), // [row, col] under the hand that draws by keys
      asksNumber: choice.number && this.queries.cellAt(layout, choice.number), // [row, col] of the patch whose number is explained
      direction,
      kind, // what the numbers are: shares of the query's attention ("from"), of the others' ("to"), or rollout's results
      hasColumns: this.queries.hasColumns(layer, method),
      isKnown: (name) => this.attention.knows(layer, this.queries.in(layer, { name })),
      knows: this.attention.knows(layer, query),
      isLost: this.attention.asker.isLost,
      cells, // of the atlas: [row][column] -> {values, layout, high, reach}, null (not here yet), undefined (there is none)
      selected: { row: layer, column },
      isOne, // whether the map is of `head` alone
      pointed: this.peeked(state.peek, cells),
      map: { values: cell ? cell.values : null, layout, high: cell ? cell.high : 1 }, // values: one per token of layout, see `values`
      reach, // where windows or a mask hide some tokens from the query: 1 for those that it can see; else null
      hiddenBy: (token) => this.reaches.hiddenBy(reach, layer, query, token, direction), // "window" or "mask"; "" for a token within reach
      even: this.reaches.even(kind, layer, query, reach, layout), // the number of tokens that share uniform attention, so that each gets 1 / even; null if it differs
      evenOf: (token) => this.reaches.even(kind, layer, query, reach, layout, token), // the same for the value of one token
      isMean: !isOfHeads(choice), // whether the column of fused maps shows the mean of the heads
      rollsLater: payload.canRoll && method !== "rollout" && isOfHeads(choice) && !this.attention.isQuick,
      opens: this.opens, // the layer on which this picture opens
      sinksFound, // the picture's sinks, see keys.js; null while they are unknown
      sinksHere: sinksOn(layout, payload, sinks), // their cells
      sinksNow: sinksOn(layout, payload, now), // the cells that are sinks in the layer shown, or for rollout up to it
      truth: known, // see truth.js
      scores: this.scores.of(cells, known, state.metric, this.heads), // see scores.js
      measured: ({ row, column }) => this.measured(cells[row][column], row, asked, direction, sinksFound),
      placeOf: (cell) => this.queries.toPicture(here.queries.centreOf(cell)), // the place of a patch of the queries
      cellAt: (place) => place && this.queries.cellAt(here.queries, place), // the inverse
      patchAt: (place) => this.queries.cellAt(payload.layers[payload.layers.length - 1].queries, place), // the last layer's patch at a place, [row, col]
      placeOfPatch: (cell) => this.queries.toPicture(payload.layers[payload.layers.length - 1].queries.centreOf(cell)),
      tokenIn: (name) => this.queries.in(layer, { name }),
      crossed: null, // {head, cells: its heads together and each alone} if the stage shows a query that is not a patch, in place of a layer
    };
    const shown = choice.crossBlock === null ? view : { ...view, ...this.crossed(choice, state, sinks) };
    return { ...shown, ...tellingOf(shown) };
  }

  // The parts of the view that change when the stage shows a query that is not a patch: `crossQuery` of `crossBlock`.
  crossed({ crossBlock, crossQuery, fusion, scale, fixed }, state, sinks) {
    const block = this.payload.cross[crossBlock];
    const { keys } = block;
    const head = Math.min(state.head, block.heads - 1);
    const mapsOf = (one) => this.cross.maps(one, crossQuery);
    const shown = (maps) => (fusion === "one" ? [maps[head]] : [fuseHeads(maps, fusion)]);
    const compared = (maps) => (fusion === "one" ? maps : shown(maps));
    // Only like maps share a scale, as in the atlas: heads with heads, fused with fused, with the same patches and queries.
    const alike = ({ queries, keys: others }) =>
      String(others.grid) === String(keys.grid) && queries.length === block.queries.length;
    const maps = mapsOf(crossBlock);
    const values = maps && shown(maps)[0];
    let high = fixed;
    if (maps && scale !== "fixed") {
      const blocks = [...this.payload.cross.keys()].filter((one) => alike(this.payload.cross[one]));
      const all = () => blocks.map(mapsOf).filter(Boolean).flatMap(compared);
      const among = { map: () => [values], layer: () => compared(maps), all }[scale]();
      high = Math.max(...among.map((one) => largest(one, this.counts(keys, state.sinksApart ? sinks : [])))) || 1e-12;
    }
    const reach = this.reaches.ofCross(crossBlock, crossQuery);
    const cellOf = (one) => ({
      values: one,
      layout: keys,
      reach,
      high: scale === "map" ? largest(one, keys.onPicture) || 1e-12 : high,
    });
    const cells = maps ? [fuseHeads(maps, fusedAs({ fusion })), ...maps].map(cellOf) : Array(block.heads + 1).fill(null);
    return {
      crossed: { head, cells },
      here: { ...this.payload.layers[0], ...block, queries: keys, windowed: false },
      head,
      query: block.queries[crossQuery],
      cell: null,
      pinned: false,
      direction: "from",
      kind: "from",
      hasColumns: false,
      knows: true,
      selected: null,
      map: { values, layout: keys, high: maps ? high : 1 },
      reach,
      hiddenBy: (token) => (reach && !reach[token] ? "mask" : ""),
      even: reach ? sumOf(reach) : keys.tokens,
      evenOf: () => (reach ? sumOf(reach) : keys.tokens),
      sinksHere: sinksOn(keys, this.payload, sinks),
      sinksNow: [],
      placeOf: (cell) => this.queries.toPicture(keys.centreOf(cell)),
      cellAt: (place) => place && this.queries.cellAt(keys, place),
    };
  }

  peeked(peek, cells) {
    return peek && cells[peek[0]] && peek[1] < this.columns.length ? { row: peek[0], column: peek[1] } : null;
  }

  // The measures of a map of the atlas, see numbers/measures.js; null until it has arrived, and for maps of who looks at a token.
  measured(cell, row, asked, direction, sinks) {
    if (!cell || direction === "to") return null;
    const { grid } = this.payload.layers[row].queries;
    return measures(cell.values, cell.layout, {
      cell: this.payload.layers[row].queries.cellOf(this.queries.in(row, asked)),
      grid,
      input: this.payload.input,
      sinks: sinksOn(cell.layout, this.payload, sinks ?? []),
    });
  }

  // Every map of the atlas. `high` is the value of the top colour.
  cells(asked, query, choice, sinks) {
    const { payload, attention } = this;
    const direction = this.queries.direction(query, choice);
    const fusion = fusedAs(choice);
    const rolled = payload.canRoll ? this.rolledCells(asked, direction, fusion, choice) : [];
    const rowOf = ({ kind, queries, keys }, layer) => {
      const own = this.queries.in(layer, asked);
      const isThere = attention.knows(layer, own) && (direction === "from" || queries === keys);
      const ready = isThere && attention.ready(layer, own, direction);
      // If the heads of a query are not sent, only their mean exists, and no other fusion.
      const nothing = isThere && kind !== "mean" ? null : undefined;
      const maps = ready ? attention.maps(layer, own, direction) : Array(attention.heads(layer)).fill(nothing);
      const fused = isThere ? attention.fuse(layer, own, direction, fusion) : null;
      const layout = direction === "to" ? queries : keys;
      const reach = isThere ? this.reach(layer, own, direction, maps) : null;
      const row = maps.map((values) => values && { values, layout, high: 0, reach });
      while (row.length < this.heads) row.push(undefined);
      row.push(fused ? { values: fused, layout, high: 0, reach } : nothing);
      if (payload.canRoll) row.push(rolled[layer]);
      const leftOut = choice.sinksApart ? sinks : [];
      for (const cell of row) if (cell) cell.high = largest(cell.values, this.counts(cell.layout, leftOut)) || 1e-12;
      return row;
    };
    const cells = onDemand(payload.layers.map((layer, i) => () => rowOf(layer, i)));
    this.shareScale(cells, choice);
    return cells;
  }

  // Rollout through each layer. If that is too slow for each move of the mouse, only the map on the stage is made meanwhile.
  rolledCells(asked, direction, fusion, { method, layer: shown, skipWeight }) {
    const { payload, attention } = this;
    if (payload.isMean && fusion !== "mean") return payload.layers.map(() => undefined); // it needs single heads, which were not sent
    const waits = this.rolling.waits();
    const roll = () =>
      payload.layers.map((_, layer) => {
        const own = this.queries.in(layer, asked);
        if (!attention.knows(layer, own)) return undefined;
        if (waits && !(method === "rollout" && layer === shown)) return null;
        const values = attention.rollout(layer, own, direction, fusion, skipWeight);
        return values && { values, layout: payload.finest, high: 0 };
      });
    return waits || payload.isPlain ? roll() : this.rolling.time(roll);
  }

  // Give comparable maps the same top value: heads with heads, fused with fused, rollout with rollout, each among layers with the
  // same patches. Shares of 49 patches cannot be compared with shares of 3136.
  shareScale(cells, { scale, fixed }) {
    if (scale === "map") return;
    const { heads } = this;
    const { layers } = this.payload;
    const rowsLike = (one) => [...layers.keys()].filter((row) => layers[row].like === one);
    const alike = [...new Set(layers.map(({ like }) => like))].map(rowsLike);
    const kinds = [(row) => row.slice(0, heads), (row) => [row[heads]], (row) => [row[heads + 1]]];
    for (const kind of kinds) {
      const groups = scale === "layer" ? cells.map(kind) : alike.map((rows) => rows.flatMap((row) => kind(cells[row])));
      for (const group of groups) {
        const present = group.filter(Boolean);
        const high = scale === "fixed" ? fixed : Math.max(...present.map((cell) => cell.high));
        for (const cell of present) cell.high = high;
      }
    }
  }

  // 1 for each token that the query can see in a layer, or that can see it; null if that are all. In a shifted window a mask hides
  // some tokens of the same window: they are not within reach.
  reach(layer, query, direction, maps) {
    const { windowed, kind, queries } = this.payload.layers[layer];
    if (!windowed || kind !== "asked") return this.reaches.of(layer, query, direction);
    // Which windows a layer has that was too large to be sent is told by its numbers alone.
    const here = maps.filter(Boolean);
    if (!queries.cellOf(query) || !here.length) return null;
    return Uint8Array.from(here[0], (_, token) => Number(here.some((values) => values[token] !== 0)));
  }

  // The tokens that decide the top colour of a map: patches of the picture, except these sinks.
  counts(layout, sinks) {
    if (!sinks.length) return layout.onPicture;
    if (this.sinkMasks.get("of") !== sinks) this.sinkMasks = new Map([["of", sinks]]);
    if (!this.sinkMasks.has(layout)) {
      const mask = layout.onPicture.slice();
      for (const cell of sinksOn(layout, this.payload, sinks)) mask[layout.tokenOf(cell)] = 0;
      this.sinkMasks.set(layout, mask);
    }
    return this.sinkMasks.get(layout);
  }
}

// The share of a query's attention that lies on a thing.
function shareOn(row, { first, grid }, on) {
  const { cover } = on(grid);
  return cover.reduce((sum, share, i) => sum + share * row[first + i], 0);
}

// What sentences need to know about the map on the stage. `isWhole`: its values, with those of prefix tokens, are shares that sum
// to 1; this does not hold for columns, or for the maximum or minimum of the heads. `onPatches`: the sum over patches.
// `phrase`: the sentence for a value: `kind`, with "_max", "_min" ... for such a fusion, "_few" if most falls on prefix tokens.
function tellingOf({ kind, method, fusion, map }) {
  const isFused = !THROUGH_LAYERS[method] && isOfHeads({ fusion });
  const isWhole = !kind.endsWith("to") && !isFused;
  const onPatches = map.values ? sumOf(map.values.subarray(map.layout.first)) : 1;
  const isFew = kind === "from" && isWhole && onPatches < FEW;
  const phrase = isFused ? `${kind}_${fusion}` : isFew ? "from_few" : kind;
  return { isWhole, onPatches, phrase };
}

// An array whose elements are made when they are first read: the stage needs one layer, and need not wait for the others.
function onDemand(makers) {
  const all = [];
  makers.forEach((make, i) => {
    const keep = (value) => Object.defineProperty(all, i, { value, enumerable: true })[i];
    Object.defineProperty(all, i, { get: () => keep(make()), enumerable: true, configurable: true });
  });
  return all;
}

/** The cells of sinks on a map of this layout, converted from the finest grid. @returns {[number, number][]} */
function sinksOn(layout, payload, sinks) {
  return layout.grid.join() === payload.finest.grid.join() ? sinks.map(([row, col]) => [row, col]) : [];
}
