// Asks a server, through Gradio's own client: the same events as any program's. The server stands one step above the page's address.

import { Client } from "@gradio/client";
import { textOf } from "../../../ui/viewer/numbers/base64.js";
import { same } from "../../../ui/link/address.js";
import { AS_TRAINED } from "../../../vocabulary.js";
import { Refused } from "./source.js";

const PAUSE = 1000; // milliseconds before a full server is asked again; twice as long each time
const LONGEST = 30_000;

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
    this.root = new URL("..", location.href.split("#")[0]).href;
    for (const one of this.about.pictures) if (one.url) one.url = this.root + one.url;
    if (this.about.searches) this.networks = () => this.called("networks", [this.language]);
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
    const isSent = shown?.bytes && this.uploads.has(shown);
    const file = shown?.bytes ? await this.sent(shown) : null;
    const looked = this.called("look", [file, choice, this.language], far);
    const {
      file: made,
      ended,
      ...value
    } = await looked.catch((error) => {
      if (!isSent) throw error;
      this.uploads.delete(shown); // the server may have deleted it since, or started anew
      return this.look(choice, shown, far);
    });
    if (ended) throw new Refused(this.words.page[`ended_${ended}`] ?? this.words.page.stopped);
    return made ? { ...value, file: { url: this.fileAt(made.path) } } : value;
  }

  // The picture on the server: sent once.
  sent(shown) {
    if (!this.uploads.has(shown)) {
      const sending = this.upload(shown);
      this.uploads.set(shown, sending);
      sending.catch(() => this.uploads.delete(shown)); // the next try may work
    }
    return this.uploads.get(shown);
  }

  async upload({ bytes, type, title, name }) {
    const client = await this.connected();
    const file = new File([bytes], title || name, { type });
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

  /** @param {string} name @param {any[]} given @param {import("./source.js").Far} [far] @returns {Promise<any>} */
  async called(name, given, far = (_share) => {}) {
    const client = await this.connected();
    for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST)) {
      const answer = await answered(client.submit(`/page_${name}`, given), far);
      if (!answer?.full) return answer;
      await new Promise((over) => setTimeout(over, pause * (0.75 + Math.random() / 2))); // waiting pages do not all ask at once
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
