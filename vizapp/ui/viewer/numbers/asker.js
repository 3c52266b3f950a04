// Fetches maps of layers that are too large to be sent: one query per request, for all such layers together.

import { bytesOf } from "./base64.js";
import { halfToFloat } from "./half.js";

const ROWS_KEPT = 16e6; // values: 64 MB

export class Asker {
  // `ask("maps", run, [direction, [[layer, token], ...]])` promises {rows: base64 of half precision, one after the other}.
  // An answer without rows means that the server no longer has the maps.
  constructor(payload, ask, arrived) {
    this.payload = payload;
    this.ask = ask;
    this.arrived = arrived;
    this.known = new Map();
    this.size = 0;
    this.wanted = new Map();
    this.underway = new Map();
    this.asked = "";
    this.isLost = false;
  }

  // Whether an answer is on its way, or will be asked for.
  get isBusy() {
    return this.underway.size > 0 || (this.wanted.size > 0 && !this.isLost);
  }

  // Whether the maps are here. If not, asks for them. While an answer is on its way, only the latest wish is remembered: a mouse
  // passes over many patches in that time.
  has(layer, query, direction) {
    const name = `${direction} ${query} ${layer}`;
    if (this.known.has(name)) return true;
    if (typeof query === "string" || this.isLost) return false;
    const asked = `${direction} ${query}`;
    if (this.asked !== asked) this.wanted.clear();
    this.asked = asked;
    if (this.underway.has(name)) return false;
    if (!this.wanted.size) setTimeout(() => this.send());
    this.wanted.set(name, [layer, query, direction]);
    return false;
  }

  get(layer, query, direction, head, tokens) {
    return this.known.get(`${direction} ${query} ${layer}`).subarray(head * tokens, (head + 1) * tokens);
  }

  async send() {
    if (this.underway.size || !this.wanted.size) return;
    this.underway = this.wanted;
    this.wanted = new Map();
    const wanted = [...this.underway];
    const tokens = wanted.map(([, [layer, query]]) => [layer, query]);
    const answer = await this.ask("maps", this.payload.run, [wanted[0][1][2], tokens]);
    this.underway = new Map();
    if (answer.rows) this.keep(wanted, answer.rows);
    else this.isLost = true;
    this.arrived();
    if (!this.isLost) this.send(); // the wish that came meanwhile: nothing else would send it
  }

  keep(wanted, rows) {
    const bytes = bytesOf(rows);
    const values = halfToFloat(new Uint16Array(bytes.buffer));
    if (this.size + values.length > ROWS_KEPT) {
      this.known.clear();
      this.size = 0;
    }
    this.size += values.length;
    let from = 0;
    for (const [name, [layer, , direction]] of wanted) {
      const { heads, queries, keys } = this.payload.layers[layer];
      const count = heads * (direction === "to" ? queries : keys).tokens;
      this.known.set(name, values.subarray(from, from + count));
      from += count;
    }
  }
}
