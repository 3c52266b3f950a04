// Runs the networks in a Worker, so that the page stays responsive meanwhile. Maps and answers that were made beforehand come from the page.

import { textOf } from "../../../ui/viewer/numbers/base64.js";
import { AS_TRAINED } from "../../../vocabulary.js";
import { reading } from "../../engine/blobs.js";
import { inTab } from "../kept.js";
import { withHeader, withPicture } from "./header.js";
import { Refused } from "./source.js";

/** @typedef {{bytes: Uint8Array, labels: string[] | null}} Given a network's file; `labels` replace its own if given */

/** A source: see source.js. */
export class InWorker {
  /** @param {import("../cargo.js").Cargo} cargo @param {string} language */
  constructor(cargo, language) {
    this.cargo = cargo;
    this.about = cargo.about;
    this.language = language;
    this.words = cargo.about.languages[language];
    this.makes = ["link"]; // there is no server
    /** @type {import("./source.js").Source["compares"]} */
    this.compares = [];
    this.keeper = inTab;
    /** @type {Promise<Worker> | null} */
    this.worker = null;
    /** @type {Map<number, {done: (answer: any) => void, failed: (error: Error) => void, far?: (share: number) => void}>} */
    this.open = new Map();
    this.number = 0;
    /** @type {Map<string, Promise<void>>} networks that the Worker has, or is being sent */
    this.has = new Map();
  }

  runs(model) {
    return Boolean(this.modelOf(model)?.blob);
  }

  can(model, picture) {
    return this.runs(model) || Boolean(this.about.maps[model]?.[picture]);
  }

  modelFor(picture, now) {
    const able = this.about.models.map(({ name }) => name).filter((name) => this.can(name, picture));
    const own = able.find((name) => !this.runs(name) && picture.startsWith(`lesson/${name}/`)); // made for this lesson
    return own ?? (able.includes(now) ? now : able[0]) ?? now;
  }

  modelOf(name) {
    return this.about.models.find((one) => one.name === name);
  }

  // ---- maps

  async look(choice, shown, far) {
    const { picture, page, model, fit } = choice;
    const run = JSON.stringify(choice);
    const ready = fit === AS_TRAINED && !page ? this.about.maps[model]?.[picture] : null;
    if (ready) return { payload: withHeader(await this.cargo.get(ready.payload), ready.headers[this.language] ?? {}), run };
    if (!this.runs(model)) throw new Refused(this.words.export.mapsOnly);
    const network = this.modelOf(model);
    const caution = network.subject === "scenes" && !shown.drawn ? this.words.page.caution_scenes : "";
    const said = {
      words: this.words.export,
      // The caution says the same as the network's own, and at the labels.
      notes: [...(caution ? [] : (network.notes[this.language] ?? [])), ...(shown.notes[this.language] ?? [])],
      lesson: shown.asked?.[this.language] ?? null,
      caution,
      truth: shown.truth.map(({ names, object }) => ({ name: names[this.language], object })),
    };
    const masks = await Promise.all(shown.truth.map(({ mask }) => this.cargo.get(mask)));
    await this.give(model);
    const file = shown.blob ? new Uint8Array(await shown.blob.arrayBuffer()) : await this.cargo.get(shown.file);
    const asked = { run, model, file, type: shown.type, page: Number(page || 1), fit: ownFit(fit), said, masks };
    const payload = await this.tell("look", asked, far);
    return payload && { payload, run };
  }

  async glance({ model, fit }, canvas) {
    await this.give(model);
    const frame = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return this.tell("glance", { model, frame, fit: ownFit(fit) }, undefined, [frame.data.buffer]);
  }

  // Give the Worker a network's file, and its labels in the visitor's language if that has its own.
  async give(model) {
    if (!this.has.has(model)) {
      const { blob, labels } = this.modelOf(model);
      const given = this.cargo
        .get(blob)
        .then((bytes) => this.tell("open", { model, bytes, labels: labels[this.language] ?? null }));
      this.has.set(model, given);
      given.catch(() => this.has.delete(model)); // the next try may work
    }
    return this.has.get(model);
  }

  // ---- questions

  /** @param {any[]} asked */
  async ask([kind, run, what]) {
    const { picture, model } = JSON.parse(run);
    if (kind === "saving") return this.origin(run, picture, model);
    const answer = this.about.answers[model]?.[picture]?.[this.language]?.[`${kind} ${JSON.stringify(what)}`];
    if (answer) return answer;
    const moment = kind === "moments" && this.about.moments[model]?.[picture]?.[what];
    if (moment) return this.moment(moment, this.about.maps[model][picture]);
    if (this.runs(model)) return this.tell("ask", { kind, run, what, words: this.words.export });
    return kind === "maps" ? {} : { why: this.words.export.needsServer };
  }

  // The provenance for a saved file: the stored one for maps that were made beforehand, or what the page knows.
  async origin(run, picture, model) {
    const known = this.about.maps[model]?.[picture];
    if (known && !this.runs(model)) return { about: known.about };
    const made = { ...this.modelOf(model).about, program: "vizapp, in the browser", date: new Date().toISOString() };
    const { about } = await this.tell("ask", { kind: "saving", run, what: null, words: this.words.export });
    return { about: { ...made, ...about } };
  }

  // Maps of the same picture at another step of a film, as the server sends them.
  async moment({ payload, headers, sinks }, start) {
    const whole = withPicture(await this.cargo.get(payload), await this.cargo.get(start.payload));
    const said = withHeader(whole, headers[this.language] ?? {});
    return { maps: textOf(said), run: "", sinks };
  }

  async atLength(call, what, far = (_share) => {}) {
    const answer = await this.tell(call, what, far);
    return call === "explain" && answer ? { values: answer } : answer;
  }

  async stop() {
    return this.tell("stop", {});
  }

  // ---- the Worker

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

  // The address of the Worker's script, which is in the page or beside it.
  async script() {
    if (!this.about.engine) return this.about.worker;
    const script = /** @type {any} */ (await this.cargo.get(this.about.engine));
    return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
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
    return (this.words.export[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }
}

const ownFit = (fit) => (fit === AS_TRAINED ? null : fit);
