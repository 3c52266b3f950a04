// The view: everything that panels show, made once per paint from state and payload, so that nothing is computed twice.

import { largest } from "./drawing/colour.js";
import { Truth } from "./drawing/truth.js";
import { Cross } from "./numbers/cross.js";
import { fuseHeads } from "./numbers/fuse.js";
import { measures } from "./numbers/measures.js";
import { divergence, mostTelling } from "./numbers/opening.js";
import { Queries } from "./numbers/query.js";
import { Rest } from "./numbers/rest.js";
import { Scores } from "./numbers/scores.js";

const FUSED = ["max", "min"];
const FEW = 0.5; // of a query's attention: if less falls on patches, it is said of how much they are shares

const sumOf = (values) => values.reduce((a, b) => a + b, 0);

export class Selectors {
  // `again()` asks for another paint, when the hand has rested. `opens`: on which layer the picture has opened, if it has.
  /** @param {import("./numbers/payload.js").Payload} payload @param {import("./numbers/attention.js").Attention} attention */
  constructor(payload, attention, again, opens = null) {
    this.payload = payload;
    this.attention = attention;
    this.queries = new Queries(payload);
    this.cross = new Cross(payload);
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

  // What of the state this network has: its layers, its heads, rollout if it is defined.
  choice(state) {
    const { layers, canRoll, cross } = this.payload;
    const layer = Math.min(state.layer ?? this.opens.layer, layers.length - 1);
    const head = Math.min(state.head, layers[layer].heads - 1);
    const crossBlock = state.crossBlock === null || !cross.length ? null : Math.min(state.crossBlock, cross.length - 1);
    const crossQuery = crossBlock === null ? state.crossQuery : Math.min(state.crossQuery, cross[crossBlock].queries.length - 1);
    const method = canRoll && crossBlock === null ? state.method : "attention";
    return { ...state, layer, head, method, crossBlock, crossQuery };
  }

  // [row, col] under the mouse: a patch to ask, or, if one is pinned, a patch of its map to read.
  hovered(choice) {
    if (!choice.hover) return null;
    if (choice.crossBlock !== null) return this.queries.cellAt(this.payload.cross[choice.crossBlock].keys, choice.hover);
    const { queries } = this.payload.layers[choice.layer];
    if (!choice.pinned) return this.queries.cellAt(queries, choice.hover);
    return this.queries.cellAt(this.layoutOf(this.queries.in(choice.layer, this.queries.chosen(choice)), choice), choice.hover);
  }

  // What the values of a map stand for: keys, or queries where one asks who looks.
  layoutOf(query, choice) {
    const { queries, keys } = this.payload.layers[choice.layer];
    if (choice.method === "rollout") return this.payload.finest;
    return this.queries.direction(query, choice) === "to" ? queries : keys;
  }

  // One map, a value per token of `layoutOf`, prefix tokens first; null while its numbers have not arrived. Without one head
  // alone (`fusion` "one") the heads are fused.
  values(query, choice) {
    const { attention } = this;
    const { layer, head, fusion, method, skipWeight } = choice;
    const direction = this.queries.direction(query, choice);
    if (method === "rollout") {
      return attention.rollout(layer, query, direction, fusion === "one" ? "mean" : fusion, skipWeight);
    }
    if (!attention.knows(layer, query)) return null;
    if (fusion !== "one") return attention.fuse(layer, query, direction, fusion);
    if (!attention.ready(layer, query, direction)) return null;
    return direction === "to" ? attention.column(layer, head, query) : attention.row(layer, head, query);
  }

  // On which layer this picture opens, {layer, nats: see numbers/opening.js, isEven: compared with an even spread, mark}: where a
  // lesson hides a tell-tale mark, the layer that looks at it most, and `mark` is its name.
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
    const { layer, method, fusion, pinned } = choice;
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
    const column = method === "rollout" ? this.heads + 1 : fusion === "one" ? choice.head : this.heads;
    const cell = cells[layer][column];
    const reach = this.reach(query, choice, cells[layer]);
    const direction = this.queries.direction(query, choice);
    const kind = method === "attention" ? direction : direction === "to" ? "rollout_to" : "rollout";
    const known = this.truth.of(state.shapes);
    const now = sinks.filter(([, , , first, last]) => first <= layer && (method === "rollout" || layer <= last));
    const view = {
      ...choice, // every key of the state, as far as this network has it
      payload,
      heads: this.heads, // the most of any layer
      columns: this.columns, // of the atlas: the heads, "mean", "rollout"
      here, // the layer shown
      query, // on the stage: a token of that layer, or the name of a weighted query
      chosen, // the query to which the stage returns when the mouse leaves
      cell: here.queries.cellOf(query), // of the query; null for what is no patch
      hovered,
      handCell: state.hand && this.queries.cellAt(payload.finest, state.hand.at), // [row, col] under the hand that draws by keys
      asksNumber: choice.number && this.queries.cellAt(layout, choice.number), // [row, col] of the patch whose number is told
      direction,
      kind, // what the numbers are: shares of the query's attention ("from"), of the others' ("to"), or what rollout makes of them
      hasColumns: this.queries.hasColumns(layer, method),
      isKnown: (name) => this.attention.knows(layer, this.queries.in(layer, { name })),
      knows: this.attention.knows(layer, query),
      isLost: this.attention.asker.isLost,
      cells, // of the atlas: [row][column] -> {values, layout, high}, null (not there yet), undefined (there is none)
      selected: { row: layer, column },
      pointed: this.peeked(state.peek, cells),
      map: { values: cell ? cell.values : null, layout, high: cell ? cell.high : 1 }, // values: one per token of layout, see `values`
      reach, // for a patch in a layer that looks in windows: 1 for the tokens that it can see; else null
      even: reach && kind === "from" ? reach.reduce((sum, one) => sum + one, 0) : layout.tokens, // a count: of how many tokens each gets 1 / even where attention is spread evenly
      isMean: !FUSED.includes(fusion), // of what the column of fused maps shows
      rollsLater: payload.canRoll && method !== "rollout" && FUSED.includes(fusion) && !this.attention.isQuick,
      opens: this.opens, // the layer on which this picture opens
      sinksFound, // of this picture, see keys.js; null while they are not known
      sinksHere: sinksOn(layout, payload, sinks), // cells
      sinksNow: sinksOn(layout, payload, now), // those that are sinks in the layer shown, or below it in rollout
      truth: known, // see truth.js
      scores: this.scores.of(cells, known, state.metric, this.heads), // see scores.js
      measured: ({ row, column }) => this.measured(cells[row][column], row, asked, direction, sinksFound),
      placeOf: (cell) => this.queries.toPicture(here.queries.centreOf(cell)), // of a patch that can be asked
      cellAt: (place) => place && this.queries.cellAt(here.queries, place), // and the patch at a place
      patchAt: (place) => this.queries.cellAt(payload.layers[payload.layers.length - 1].queries, place), // of the last layer, [row, col]
      placeOfPatch: (cell) => this.queries.toPicture(payload.layers[payload.layers.length - 1].queries.centreOf(cell)),
      tokenIn: (name) => this.queries.in(layer, { name }),
      crossed: null, // {head} where the stage shows a query that is no patch, in place of a layer
    };
    const shown = choice.crossBlock === null ? view : { ...view, ...this.crossed(choice, state, sinks) };
    return { ...shown, ...tellingOf(shown) };
  }

  // What is other than in a layer where the stage shows a query that is no patch: `crossQuery` of `crossBlock`.
  crossed({ crossBlock, crossQuery, fusion, scale, fixed }, state, sinks) {
    const block = this.payload.cross[crossBlock];
    const { keys } = block;
    const head = Math.min(state.head, block.heads - 1);
    const mapsOf = (one) => this.cross.maps(one, crossQuery);
    const shown = (maps) => (fusion === "one" ? [maps[head]] : [fuseHeads(maps, fusion)]);
    const compared = (maps) => (fusion === "one" ? maps : shown(maps));
    // Like with like, as in the atlas: heads with heads, fused with fused, on the same patches with the same queries.
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
    return {
      crossed: { head },
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
      reach: null,
      even: keys.tokens,
      sinksHere: sinksOn(keys, this.payload, sinks),
      sinksNow: [],
      placeOf: (cell) => this.queries.toPicture(keys.centreOf(cell)),
      cellAt: (place) => place && this.queries.cellAt(keys, place),
    };
  }

  peeked(peek, cells) {
    return peek && cells[peek[0]] && peek[1] < this.columns.length ? { row: peek[0], column: peek[1] } : null;
  }

  // What a map of the atlas is like, see numbers/measures.js; null before it has arrived, and of what others give to a token.
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
    const fusion = FUSED.includes(choice.fusion) ? choice.fusion : "mean";
    const rolled = payload.canRoll ? this.rolledCells(asked, direction, fusion, choice) : [];
    const cells = payload.layers.map(({ kind, queries, keys }, layer) => {
      const own = this.queries.in(layer, asked);
      const isThere = attention.knows(layer, own) && (direction === "from" || queries === keys);
      const ready = isThere && attention.ready(layer, own, direction);
      // Of a query whose heads are not sent there is the mean alone, and none of other fusions.
      const nothing = isThere && kind !== "mean" ? null : undefined;
      const maps = ready ? attention.maps(layer, own, direction) : Array(attention.heads(layer)).fill(nothing);
      const fused = isThere ? attention.fuse(layer, own, direction, fusion) : null;
      const layout = direction === "to" ? queries : keys;
      const row = maps.map((values) => values && { values, layout, high: 0 });
      while (row.length < this.heads) row.push(undefined);
      row.push(fused ? { values: fused, layout, high: 0 } : nothing);
      if (payload.canRoll) row.push(rolled[layer]);
      const leftOut = choice.sinksApart ? sinks : [];
      for (const cell of row) if (cell) cell.high = largest(cell.values, this.counts(cell.layout, leftOut)) || 1e-12;
      return row;
    });
    this.shareScale(cells, choice);
    return cells;
  }

  // Rollout through each layer. Where it costs too much for each move of the hand, only what the stage shows is made then.
  rolledCells(asked, direction, fusion, { method, layer: shown, skipWeight }) {
    const { payload, attention } = this;
    if (payload.isMean && fusion !== "mean") return payload.layers.map(() => undefined); // of heads that are not here
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

  // Give the maps that are to be compared the same top value: heads with heads, fused with fused, rollout with rollout, and
  // only those of layers with the same patches: a share of 49 patches is no share of 3136.
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

  // What a mask hides in a shifted window is not seen, though it stands in it.
  reach(query, { layer, method }, cells) {
    const { windowed, heads, queries } = this.payload.layers[layer];
    if (!windowed || method === "rollout" || !queries.cellOf(query)) return null;
    const maps = cells.slice(0, heads).filter(Boolean);
    if (!maps.length) return null;
    const seen = new Uint8Array(maps[0].values.length);
    for (const { values } of maps) for (let i = 0; i < seen.length; i++) if (values[i] !== 0) seen[i] = 1;
    return seen;
  }

  // The tokens whose values count for the top colour of a map: patches of the picture without these sinks.
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

// How much of a query's attention lies on a thing.
function shareOn(row, { first, grid }, on) {
  const { cover } = on(grid);
  return cover.reduce((sum, share, i) => sum + share * row[first + i], 0);
}

// What sentences need to know of the map shown. `isWhole`: its values are shares of one thing, and sum to 1 with those of
// tokens that are no patch; not so columns, nor the largest or the smallest of all heads. `onPatches`: the sum of its patches.
// `phrase`: which sentence says what a value is: as `kind`, "_max" and "_min" of heads, "_few" if most falls on no patch.
function tellingOf({ kind, method, fusion, map }) {
  const isFused = method === "attention" && FUSED.includes(fusion);
  const isWhole = !kind.endsWith("to") && !isFused;
  const onPatches = map.values ? sumOf(map.values.subarray(map.layout.first)) : 1;
  const isFew = kind === "from" && isWhole && onPatches < FEW;
  const phrase = isFused ? `${kind}_${fusion}` : isFew ? "from_few" : kind;
  return { isWhole, onPatches, phrase };
}

/** The cells of sinks on a map of this layout: they are known on the finest grid. @returns {[number, number][]} */
function sinksOn(layout, payload, sinks) {
  return layout.grid.join() === payload.finest.grid.join() ? sinks.map(([row, col]) => [row, col]) : [];
}
