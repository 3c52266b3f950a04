// The pieces in which a payload arrives: what a first map needs, the ready rows of named queries, each layer, and attention whose
// queries are not patches. They may arrive in any order.

/** @typedef {{name: string, from: number, to: number, arrived: number}} Piece `arrived`: the end, in the file, of what has arrived of it */

const SMALL = 64e3; // bytes that a slow line brings sooner than the answer to another request
const OF_LAYER = /^(?:q|k|lse|dense|mean|queries|keys)\.(\d+)$/;

// The name of the piece of a block that is not among the first.
function nameOf(block) {
  const layer = OF_LAYER.exec(block);
  if (layer) return nameOfLayer(layer[1]);
  return block.startsWith("cross.") ? "cross" : "named";
}

/** @param {number | string} layer */
export const nameOfLayer = (layer) => `layer ${layer}`;

export class Pieces {
  /**
   * @param {Record<string, [number, string, number[]]>} blocks by the header's table
   * @param {number} start the offset of the blocks in the file
   * @param {number} first the bytes of the blocks that a first map needs
   * @param {number} end the length of the file
   */
  constructor(blocks, start, first, end) {
    /** @type {Piece[]} in the order of the file, without gaps */
    this.all = [{ name: "first", from: 0, to: start + first, arrived: 0 }];
    for (const [block, [offset]] of Object.entries(blocks)) {
      if (offset < first) continue;
      const from = start + offset;
      const last = this.all[this.all.length - 1];
      if (last.name === nameOf(block)) continue;
      last.to = from;
      this.all.push({ name: nameOf(block), from, to: end, arrived: from });
    }
    this.all[this.all.length - 1].to = end;
  }

  /** Note that a stream which began at `from` has arrived up to `end`. */
  note(from, end) {
    for (const piece of this.all) {
      const isNext = from <= piece.arrived && piece.arrived < end;
      if (isNext) piece.arrived = Math.min(end, piece.to);
    }
  }

  /** Whether the bytes of a block, which lies within one piece, are here. */
  has(from, to) {
    const piece = this.all.find((one) => from < one.to);
    return piece ? to <= piece.arrived : to <= from;
  }

  /** @param {string} name */
  hasPiece(name) {
    return this.all.every((one) => one.name !== name || one.arrived >= one.to);
  }

  get isComplete() {
    return this.all.every(({ arrived, to }) => arrived >= to);
  }

  /**
   * The part of the file to request next, [from, to]: the first wanted piece that is missing, together with the wanted pieces
   * that follow it, up to `most` bytes, and a small one before it. null if all are here.
   * @param {string[]} wanted @param {number} most
   */
  next(wanted, most) {
    const missing = (one) => wanted.includes(one.name) && one.arrived < one.to;
    const untouched = (one) => missing(one) && one.arrived === one.from;
    const name = wanted.find((one) => this.all.some((piece) => piece.name === one && missing(piece)));
    const at = this.all.findIndex((piece) => piece.name === name && missing(piece));
    if (at < 0) return null;
    const before = this.all[at - 1];
    const isBeforeToo = untouched(this.all[at]) && before && untouched(before) && before.to - before.from <= SMALL;
    const from = isBeforeToo ? before.from : this.all[at].arrived;
    let { to } = this.all[at];
    for (const piece of this.all.slice(at + 1)) {
      if (!untouched(piece) || piece.to - from > most) break;
      to = piece.to;
    }
    return [from, to];
  }

  /** Forget what has arrived after `end`. */
  cut(end) {
    for (const piece of this.all) piece.arrived = Math.max(piece.from, Math.min(end, piece.to));
  }
}
