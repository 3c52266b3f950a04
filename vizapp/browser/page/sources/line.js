// The line to a server: it is found again when it breaks, and what was asked meanwhile is asked again.

import { Asking, Broken } from "./asking.js";
import { Refused } from "./source.js";

const PAUSE = 1000; // milliseconds before a server that is away is asked again; twice as long each time
const FULL = 2000; // the same of one that is full
const LONGEST = 30_000;
const AWAY_LONGEST = 10_000;
const LATE = 5000; // milliseconds without an answer after which the page says so
const SHORT = 10_000; // milliseconds: a line that broke sooner is not tried again at once
const MOST = 5; // times that a question is asked again because the line broke

export class Line {
  /**
   * @param {string} root the server's address
   * @param {string} broken the sentence for what breaks the line again and again
   * @param {(why: string, seconds: number, far: import("./source.js").Far) => Promise<void>} full waits while the server is full
   */
  constructor(root, broken, full) {
    this.full = full;
    this.root = root;
    this.broken = broken;
    /** @type {number | undefined} which process answers */
    this.server = undefined;
    this.since = -Infinity;
    this.pause = 0;
    /** @type {Promise<Asking> | null} */
    this.client = null;
    /** @type {Asking | null} */
    this.now = null;
    this.isLost = false;
    this.wake = () => {};
    this.changed = (_isLost) => {}; // set by the page: the server is away, or there again
    for (const kind of ["online", "offline"]) addEventListener(kind, () => this.hint());
    document.addEventListener("visibilitychange", () => document.hidden || this.hint());
    addEventListener("pagehide", () => this.now?.leave());
    addEventListener("pageshow", ({ persisted }) => persisted && this.now?.lose()); // the browser has kept the page, without its lines
  }

  /** The client, once there is a line. Rejects if the server refuses to be asked. @returns {Promise<Asking>} */
  connected() {
    if (!this.client) {
      this.client = this.connecting();
      this.client.catch(() => (this.client = null)); // the next question may be welcome
    }
    return this.client;
  }

  async connecting() {
    const isShort = performance.now() - this.since < SHORT;
    this.pause = isShort ? longer(this.pause) : 0;
    const late = this.server === undefined ? 0 : setTimeout(() => this.tell(true), LATE); // a first visit may be slow
    try {
      for (; ; this.pause = longer(this.pause)) {
        await this.awhile(this.pause);
        try {
          return this.begin(await Asking.to(this.root));
        } catch (error) {
          if (!(error instanceof Broken)) throw error;
          this.tell(true);
        }
      }
    } finally {
      clearTimeout(late);
    }
  }

  begin(client) {
    client.lost.catch(() => this.again());
    this.now = client;
    this.server = client.server;
    this.since = performance.now();
    this.tell(false);
    return client;
  }

  again() {
    this.client = null;
    this.now = null;
    this.connected().catch(() => {});
  }

  tell(isLost) {
    if (isLost === this.isLost) return;
    this.isLost = isLost;
    this.changed(isLost);
  }

  // Something may have changed: whoever waits tries now, and a line that is silent is given up.
  hint() {
    this.wake();
    this.now?.look();
  }

  awhile(pause) {
    return new Promise((over) => {
      this.wake = () => over(null);
      setTimeout(over, spread(pause));
    });
  }

  /**
   * What the server answers, when it can.
   * @param {string} name @param {() => any[] | Promise<any[]>} give what is asked for, read anew each time that it is asked
   * @param {import("./source.js").Far} [far] @returns {Promise<any>}
   */
  async called(name, give, far = (_share) => {}) {
    for (let pause = FULL, breaks = 0; ;) {
      const client = await this.connected();
      try {
        const answer = await client.answer(`/page_${name}`, await give(), far);
        if (!answer?.full) return answer;
        await this.full(answer.full, spread(pause) / 1000, far);
        pause = Math.min(2 * pause, LONGEST);
      } catch (error) {
        if (!(error instanceof Broken) && !client.isLost) throw error;
        breaks += 1;
        if (breaks > MOST) throw new Refused(this.broken);
        client.lose();
      }
    }
  }

  /** Send a file; its path on the server. @param {File} file @returns {Promise<string>} */
  async sent(file) {
    return (await this.connected()).send(file);
  }

  /** Call one that needs no answer, if there is a line. @param {string} name */
  tells(name) {
    this.now?.answer(`/page_${name}`, [], () => {}).catch(() => {});
  }
}

const longer = (pause) => Math.min(2 * pause || PAUSE, AWAY_LONGEST);

// Pages that wait for the same server do not all ask at once.
const spread = (pause) => pause * (0.75 + Math.random() / 2);
