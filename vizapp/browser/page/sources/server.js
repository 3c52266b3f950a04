// Asks a server, through Gradio's own client: the same events as any program's. The server stands one step above the page's address.

import { Client } from "@gradio/client";
import { jpegOf } from "../../../ui/incoming/frames.js";
import { readable } from "../../../ui/incoming/readable.js";
import { bytesOf, textOf } from "../../../ui/viewer/numbers/base64.js";
import { halfToFloat } from "../../../ui/viewer/numbers/half.js";
import { same } from "../../../ui/link/address.js";
import { AS_TRAINED } from "../../../vocabulary.js";
import { inBrowser } from "../kept.js";
import { Refused } from "./source.js";

const PAUSE = 2000; // milliseconds before a full server is asked again; twice as long each time
const LONGEST = 30_000;
const MB = 2 ** 20;

/** A source: see source.js. */
export class OnServer {
  /** @param {import("../cargo.js").Cargo} cargo @param {string} language */
  constructor(cargo, language) {
    this.about = cargo.about;
    this.language = language;
    this.words = cargo.about.languages[language];
    this.makes = ["link", "film", "page", "code"];
    /** @type {import("./source.js").Source["compares"]} */
    this.compares = ["here", "settings", "fill", "forget", "files"];
    this.keeper = inBrowser;
    this.root = new URL("..", location.href.split("#")[0]).href;
    for (const one of this.about.pictures) if (one.url) one.url = this.root + one.url;
    if (this.about.searches) {
      this.networks = () => this.called("networks", [this.language]);
      this.fetch = (chosen, far) => this.called("fetch", [chosen, this.language], far);
      this.stopFetching = () => this.called("stop_fetching", []);
      this.weights = async (file) => this.called("weights", [await this.upload(file, "large_weights"), this.language]);
    }
    /** @type {Promise<Client> | null} */
    this.client = null;
    /** @type {WeakMap<object, Promise<any>>} the visitor's pictures that are on the server, or on their way */
    this.uploads = new WeakMap();
  }

  runs() {
    return true;
  }

  can() {
    return true;
  }

  // The network for a picture: the chosen one, unless the picture is of a lesson that this one does not know.
  modelFor(picture, now) {
    const suits = this.about.suits[/^lesson\/([a-z]+)\//.exec(picture)?.[1]] ?? [now];
    return suits.includes(now) ? now : suits[0];
  }

  async look(choice, shown, far) {
    const opening = this.about.opening[this.language];
    if (opening && same({ ...this.about.start, page: "", fit: AS_TRAINED }, choice))
      return { ...opening, file: { url: this.root + opening.file.url } };
    const isSent = shown?.blob && this.uploads.has(shown);
    const file = shown?.blob ? await this.sent(shown) : null;
    const looked = this.called("look", [file, choice, this.language], far);
    const {
      file: made,
      ended,
      why,
      ...value
    } = await looked.catch((error) => {
      if (!isSent) throw error;
      this.uploads.delete(shown); // the server may have deleted it since, or started anew
      return this.look(choice, shown, far);
    });
    if (ended) throw new Refused(this.words.page[`ended_${ended}`] ?? this.words.page.stopped);
    if (why) throw Object.assign(new Refused(why), value);
    return made ? { ...value, file: { url: this.fileAt(made.path) } } : value;
  }

  async glance(choice, frame) {
    const begun = performance.now();
    const canvas = Object.assign(document.createElement("canvas"), { width: frame.width, height: frame.height });
    canvas.getContext("2d").putImageData(frame, 0, 0);
    const sent = await jpegOf(canvas);
    const text = textOf(new Uint8Array(await sent.arrayBuffer()));
    const { rows, ended, ...found } = await this.called("glance", [`data:image/jpeg;base64,${text}`, choice, this.language]);
    if (ended) throw new Refused(this.words.page[`ended_${ended}`] ?? this.words.page.stopped);
    const halves = new Uint16Array(bytesOf(rows).buffer);
    return { ...found, rows: halfToFloat(halves), sent, took: performance.now() - begun };
  }

  async giveUp() {
    await this.called("give_up", []);
  }

  // The picture on the server: sent once.
  sent(shown) {
    if (!this.uploads.has(shown)) {
      const sending = this.readable(new File([shown.blob], shown.title || shown.name, { type: shown.type })).then((file) =>
        this.upload(file),
      );
      this.uploads.set(shown, sending);
      sending.catch(() => this.uploads.delete(shown)); // the next try may work
    }
    return this.uploads.get(shown);
  }

  // At home a picture is sent as it is: a TIFF of 16 bits, say. @param {File} file
  async readable(file) {
    return this.about.searches ? file : readable(file, await this.limit());
  }

  // The most bytes of one file that the server accepts.
  async limit() {
    return /** @type {any} */ ((await this.connected()).config)?.max_file_size ?? Infinity;
  }

  /** @param {File} file @param {"large" | "large_weights"} [large] what is said of one that is too large */
  async upload(file, large = "large") {
    const [client, most] = [await this.connected(), await this.limit()];
    const values = { name: file.name, size: Math.ceil(file.size / MB), most: Math.floor(most / MB) };
    if (file.size > most) throw new Refused(this.words.incoming[large].replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`));
    const { files, error } = await client.upload_files(this.root.replace(/\/$/, ""), [file]);
    if (!files?.length) throw new Error(error ?? this.words.export.failed);
    return { path: files[0], orig_name: file.name, meta: { _type: "gradio.FileData" } };
  }

  async ask(asked) {
    const [kind, run, lesson] = asked;
    if (kind === "shares") return { shares: (await this.atLength("shares", { run, lesson, target: 0 })) ?? [] };
    return this.called("ask", [asked, this.language]);
  }

  async atLength(call, what, far = (_share) => {}) {
    far(0);
    const { run, other, ...rest } = what;
    delete rest.scores; // of a map that the server has made itself
    const asked = { ...said(rest), ...(other ? { other: said(other) } : {}) };
    const { answer = null } = await this.called("work", [call, run, asked, this.language], far);
    if (call === "explain" && answer?.values) answer.values = Float32Array.from(answer.values);
    if (call === "files" && answer) answer.file = await this.fileOf(answer.path);
    return answer;
  }

  /** @param {string} path of a file that the server has made */
  async fileOf(path) {
    const answer = await fetch(this.fileAt(path));
    if (!answer.ok) throw new Error(this.words.export.failed);
    return answer.blob();
  }

  settings(method, written) {
    return this.called("settings", [method, written, this.language]);
  }

  fileAt(path) {
    return `${this.root}gradio_api/file=${path}`;
  }

  async stop() {
    await this.called("stop", []);
  }

  // ---- the client

  connected() {
    this.client ??= Client.connect(this.root, { events: ["data", "status"] });
    this.client.catch(() => (this.client = null));
    return this.client;
  }

  // Counts down to the next question. @param {string} why
  async later(why, seconds, far) {
    const { again_later: later, again_now: now } = this.words.page;
    for (let left = Math.ceil(seconds); left > 0; left--) {
      far(0, later.replace("{why}", () => why).replace("{seconds}", `${left}`));
      await new Promise((over) => setTimeout(over, 1000));
    }
    far(0, now);
  }

  /** @param {string} name @param {any[]} given @param {import("./source.js").Far} [far] @returns {Promise<any>} */
  async called(name, given, far = (_share) => {}) {
    const client = await this.connected();
    for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST)) {
      const answer = await answered(client.submit(`/page_${name}`, given), far);
      if (!answer?.full) return answer;
      await this.later(answer.full, (pause * (0.75 + Math.random() / 2)) / 1000, far); // waiting pages do not all ask at once
    }
  }
}

async function answered(job, far) {
  for await (const event of job) {
    if (event.type === "data") return event.data[0];
    const { progress, desc } = event.progress_data?.at(-1) ?? {};
    if (desc) far(progress ?? 0, desc);
    if (event.type === "status" && event.stage === "error") throw new Refused(event.message);
  }
  throw new Refused("");
}

/** A question as JSON holds it. @param {any} what */
const said = ({ lesson, ...what }) => ({ ...plain(what), ...(lesson ? { lesson: packed(lesson) } : {}) });

/** What the visitor taught, as the server reads it. @param {{names: string[], prototypes: Float32Array[]}} lesson */
function packed({ names, prototypes }) {
  const numbers = Float32Array.from(prototypes.flatMap((row) => [...row]));
  return { names, prototypes: textOf(new Uint8Array(numbers.buffer)) };
}

/** Numbers as JSON holds them. @param {any} what */
const plain = (what) =>
  JSON.parse(JSON.stringify(what, (_, value) => (ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value)));
