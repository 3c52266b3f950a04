// Runs the networks in a Worker, so that the page stays responsive meanwhile.

import { reading } from "../engine/blobs.js";
import { Refused } from "./desk.js";

/** @typedef {{bytes: Uint8Array, labels: string[] | null}} Given a network's file; `labels` replace its own if given */

export class Engine {
  /** @param {() => Promise<string>} script address of the worker @param {Record<string, string>} words */
  constructor(script, words) {
    this.script = script;
    this.words = words;
    /** @type {Promise<Worker> | null} */
    this.worker = null;
    /** @type {Map<number, {done: (answer: any) => void, failed: (error: Error) => void, far?: (share: number) => void}>} */
    this.open = new Map();
    this.number = 0;
    /** @type {Map<string, Promise<void>>} networks that the Worker has, or is being sent */
    this.has = new Map();
  }

  /**
   * Maps of a picture, as a payload of the viewer.
   * @param {{run: string, model: string, network: () => Promise<Given>, file: Uint8Array, type: string, page: number,
   *   fit: string | null, said: any, masks: Uint8Array[], far: (share: number) => void}} asked `far` is called with the share of the layers that is done
   * @returns {Promise<Uint8Array | null>} null if another picture was requested meanwhile
   */
  async look({ model, network, far, ...asked }) {
    await this.give(model, network);
    return this.tell("look", { model, ...asked }, far);
  }

  /**
   * What the classifier's query attends to in a frame; see engine/glance.js.
   * @param {{model: string, network: () => Promise<Given>, frame: ImageData, fit: string | null}} asked the pixels of `frame`
   *   are transferred to the Worker
   * @returns {Promise<import("../engine/glance.js").Glance>}
   */
  async glance({ model, network, frame, fit }) {
    await this.give(model, network);
    return this.tell("glance", { model, frame, fit }, undefined, [frame.data.buffer]);
  }

  async give(model, network) {
    if (!this.has.has(model)) {
      const given = network().then((its) => this.tell("open", { model, ...its }));
      this.has.set(model, given);
      given.catch(() => this.has.delete(model)); // the next try may work
    }
    return this.has.get(model);
  }

  /** Answer a panel's question about maps that the engine made. */
  async ask(kind, run, what, words) {
    return this.tell("ask", { kind, run, what, words });
  }

  /** Run work of many passes (engine/explaining.js). `far` is called with the share that is done. Null if it was stopped, or if
   * other such work or a picture was requested meanwhile.
   * @param {"classes" | "explain" | "judge" | "chance"} call @param {any} what @param {(share: number) => void} [far] */
  async atLength(call, what, far = () => {}) {
    return this.tell(call, what, far);
  }

  /** Stop the work of `atLength`. */
  async stop() {
    return this.tell("stop", {});
  }

  /** @param {string} call @param {any} what @param {(share: number) => void} [far] @param {Transferable[]} [given] away */
  tell(call, what, far, given = []) {
    this.worker ??= this.begun();
    this.number += 1;
    const number = this.number;
    return new Promise((done, failed) => {
      this.open.set(number, { done, failed, far });
      this.worker.then((worker) => worker.postMessage({ number, call, ...what }, given), failed);
    });
  }

  async begun() {
    const worker = new Worker(await this.script());
    worker.addEventListener(
      "message",
      ({ data: { question, read, blob, options, number, done: share, answer, refused, error } }) => {
        if (question) return this.readFor(worker, question, read, blob, options);
        const { done, failed, far } = this.open.get(number);
        if (share !== undefined) return far(share);
        this.open.delete(number);
        if (refused) failed(new Refused(this.worded(refused)));
        else if (error) failed(new Error(error));
        else done(answer);
        return undefined;
      },
    );
    worker.addEventListener("error", (event) => {
      for (const { failed } of this.open.values()) failed(new Error(event.message));
      this.open.clear();
    });
    return worker;
  }

  // Read a Blob for the Worker, which cannot in some browsers: engine/blobs.js.
  async readFor(worker, question, read, blob, options) {
    try {
      const found = await reading[read](blob, options);
      worker.postMessage({ question, found }, [found.buffer ?? found]);
    } catch (error) {
      worker.postMessage({ question, failed: { name: error.name, message: error.message } });
    }
  }

  /** @param {{key: string, values?: Record<string, any>}} refused */
  worded({ key, values = {} }) {
    return (this.words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }
}
