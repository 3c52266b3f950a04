// Gradio's client, with streams that tell when they end, so that no question waits for an answer that cannot come any more.

import { Client } from "@gradio/client";
import { Refused } from "./source.js";

const GONE = [502, 503, 504]; // what a proxy answers in the place of a server that is away
const SILENCE = 60_000; // milliseconds: a server says every 15 s that it is there
const LOOK = 15_000;
const PATIENCE = 60_000; // milliseconds for a server to answer at all

/** The connection broke: the same question may be answered later. */
export class Broken extends Error {}

/** @type {new (...given: any[]) => any} its own types name a part of it only */
const Gradio = /** @type {any} */ (Client);

export class Asking extends Gradio {
  /** @param {string} root the server's address as the page has it, whatever the server believes: a proxy may have changed it */
  constructor(root) {
    const address = root.replace(/\/$/, "");
    super(address, { events: ["data", "status"] });
    const own = /** @type {any} */ (this);
    const resolve = own.resolve_config;
    own.resolve_config = async (...asked) => ({ ...(await resolve(...asked)), root: address });
    this.isLost = false;
    this.heard = Date.now();
    /** @type {Set<AbortController>} */
    this.open = new Set();
    /** @type {Promise<never>} rejects when the connection breaks */
    this.lost = new Promise((_, broken) => (this.breaks = broken));
    this.lost.catch(() => {});
    this.timer = setInterval(() => this.look(), LOOK);
  }

  /** @param {string} root @returns {Promise<Asking>} */
  static async to(root) {
    const client = new Asking(root);
    const late = setTimeout(() => client.lose(), PATIENCE);
    try {
      await Promise.race([client.init(), client.lost]);
      if (client.isLost) await client.lost; // the client itself goes on without some of what it asks for
      return client;
    } catch (error) {
      client.lose();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Which process answers: another one after it was started anew. */
  get server() {
    return this.config.app_id;
  }

  /**
   * What the server answers. Rejects with `Broken` if the connection breaks before.
   * @param {string} name @param {any[]} given @param {import("./source.js").Far} far
   */
  async answer(name, given, far) {
    const job = this.submit(name, given);
    try {
      return await Promise.race([answered(job, far), this.lost]);
    } finally {
      this.unclosed_events.delete(job.event_id());
    }
  }

  /** Send a file; its path on the server. @param {File} file @returns {Promise<string>} */
  async send(file) {
    const { files, error } = await Promise.race([this.upload_files(this.app_reference, [file]), this.lost]);
    if (!files?.length) throw new Error(error);
    return files[0];
  }

  /** Give the connection up: whoever waits for it learns so. */
  lose() {
    if (this.isLost) return;
    this.isLost = true;
    this.leave();
    this.breaks(new Broken("the connection is lost"));
  }

  /** End all streams, by which the server learns that the visitor is gone. */
  leave() {
    clearInterval(this.timer);
    for (const one of this.open) one.abort();
    this.open.clear();
  }

  // A stream may stand still without an end: the network changed, or the machine slept.
  look() {
    if (this.open.size && Date.now() - this.heard > SILENCE) this.lose();
  }

  // ---- what Gradio's client asks by

  /** @param {RequestInfo | URL} what @param {RequestInit} [how] */
  async fetch(what, how) {
    try {
      const answer = await super.fetch(what, how);
      const isOurs = (answer.headers.get("content-type") ?? "").includes("json"); // a full queue is 503, too
      if (GONE.includes(answer.status) && !isOurs) throw new Broken(String(answer.status));
      return answer;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.lose();
      throw error instanceof Broken ? error : new Broken(error.message);
    }
  }

  /** @param {URL} url @returns {any} what Gradio's client uses of an EventSource */
  stream(url) {
    const reading = new AbortController();
    const isOfAnswers = url.pathname.endsWith("/queue/data");
    if (isOfAnswers) this.abort_controller = reading; // by which the client itself ends it
    const stream = { onmessage: (_event) => {}, onerror: (_error) => {}, close: () => reading.abort() };
    this.open.add(reading);
    this.read(url, reading, (data) => isOfAnswers && this.pass(stream, data)).finally(() => this.open.delete(reading));
    return stream;
  }

  async read(url, { signal }, take) {
    try {
      const answer = await this.fetch(url, { signal });
      if (!answer.ok) throw new Broken(String(answer.status));
      for await (const data of messagesOf(answer.body)) {
        this.heard = Date.now();
        take(data);
      }
    } catch {
      // it has broken, or was ended by us
    }
    if (!signal.aborted) this.lose();
  }

  // The server ends the stream of answers when it knows of no more questions. Gradio's client would wait for ever for the answer to
  // one that was received meanwhile; and it would not see that the server has forgotten this visitor.
  pass(stream, data) {
    const { msg } = JSON.parse(data);
    if (msg === "unexpected_error") return this.lose();
    stream.onmessage({ data });
    if (msg === "close_stream" && this.unclosed_events.size && !this.isLost) this.open_stream();
    return null;
  }
}

async function answered(job, far) {
  for await (const event of job) {
    if (event.type === "data") return event.data[0];
    const { progress, desc } = event.progress_data?.at(-1) ?? {};
    if (desc) far(progress ?? 0, desc);
    if (event.type === "status" && event.stage === "error")
      throw event.broken ? new Broken(event.message) : new Refused(event.message);
  }
  throw new Refused("");
}

/** The messages of a stream of events. @param {ReadableStream<any>} body */
async function* messagesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    yield* parts.map((one) => one.replace(/^data: ?/, ""));
  }
}
