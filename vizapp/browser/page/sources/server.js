// Asks a server, through Gradio's own client: the same events as any program's. All addresses are made of the page's own.

import { jpegOf } from "../../../ui/incoming/frames.js";
import { readable } from "../../../ui/incoming/readable.js";
import { bytesOf, textOf } from "../../../ui/viewer/numbers/base64.js";
import { halfToFloat } from "../../../ui/viewer/numbers/half.js";
import { Words } from "../../../ui/viewer/words.js";
import { same } from "../../../ui/link/address.js";
import { AS_TRAINED } from "../../../vocabulary.js";
import { inBrowser } from "../kept.js";
import { Alive } from "./alive.js";
import { Line } from "./line.js";
import { Refused } from "./source.js";

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
    this.root = new URL(this.about.root, location.href.split("#")[0]).href;
    for (const one of this.about.pictures) if (one.url) one.url = this.root + one.url;
    const line = (this.line = new Line(this.root, this.words.page.ended_unheard, (...full) => this.later(...full)));
    this.alive = new Alive(() => line.tells("alive"));
    if (this.about.searches) {
      this.networks = () => line.called("networks", () => [this.language]);
      this.fetch = (chosen, far) => line.called("fetch", () => [chosen, this.language], far);
      this.stopFetching = () => line.called("stop_fetching", () => []);
      this.weights = (file) => line.called("weights", async () => [await this.upload(file, "large_weights"), this.language]);
    }
    /** @type {WeakMap<object, {server: number | undefined, file: Promise<any>}>} the visitor's pictures that are on a server, or on
     *   their way */
    this.uploads = new WeakMap();
    /** @type {Map<string, {choice: any, shown: any, server: number | undefined, run: string}>} the maps that were made here, by the name
     *   of their run; `run`: what `server` calls them, which is another one after it was started anew */
    this.made = new Map();
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
    const { opening, start, app } = this.about;
    const isFirst = opening && same({ ...start, page: "", fit: AS_TRAINED }, choice);
    if (isFirst && (this.line.server ?? app) === app)
      return this.keep(choice, shown, app, { ...opening, file: { url: this.root + opening.file.url } });
    const isSent = shown?.blob && this.uploads.has(shown);
    const give = async () => [shown?.blob ? await this.sent(shown) : null, choice, this.language];
    const {
      file: made,
      why,
      ...value
    } = await this.maps("look", give, far).catch((error) => {
      if (!isSent) throw error;
      this.uploads.delete(shown); // the server may have deleted it since
      return this.maps("look", give, far);
    });
    if (why) throw Object.assign(new Refused(why), value);
    const whole = made ? { ...value, file: { url: this.fileAt(made.path) } } : value;
    return this.keep(choice, shown, this.line.server, whole);
  }

  keep(choice, shown, server, value) {
    const { run } = value;
    if (run) this.made.set(run, { choice, shown, server, run });
    return value;
  }

  // What the server calls the maps of a run. One that was started anew does not know them, and makes them again.
  async known(run) {
    const maps = this.made.get(run);
    if (maps && maps.server !== this.line.server) {
      const { server } = this.line;
      const again = await this.look(maps.choice, maps.shown, (_share) => {});
      Object.assign(maps, { server, run: again.run });
    }
    return maps?.run ?? run;
  }

  async glance(choice, frame) {
    const begun = performance.now();
    const sent = await jpegOf(frame);
    const text = textOf(new Uint8Array(await sent.arrayBuffer()));
    const give = () => [`data:image/jpeg;base64,${text}`, choice, this.language];
    const { rows, ...found } = await this.maps("glance", give);
    const halves = new Uint16Array(bytesOf(rows).buffer);
    return { ...found, rows: halfToFloat(halves), sent, took: performance.now() - begun };
  }

  // Maps, unless their making was ended.
  async maps(name, give, far = (_share) => {}) {
    const { ended, ...found } = await this.line.called(name, give, far);
    if (ended) throw new Refused(this.words.page[`ended_${ended}`] ?? this.words.page.stopped);
    return found;
  }

  async giveUp() {
    await this.line.called("give_up", () => []);
  }

  // The picture on the server: sent once to each.
  sent(shown) {
    const { server } = this.line;
    const before = this.uploads.get(shown);
    if (before?.server === server) return before.file;
    const readable = this.readable(new File([shown.blob], shown.title || shown.name, { type: shown.type }));
    const file = readable.then((one) => this.upload(one));
    this.uploads.set(shown, { server, file });
    file.catch(() => this.uploads.delete(shown)); // the next try may work
    return file;
  }

  // At home a picture is sent as it is: a TIFF of 16 bits, say. @param {File} file
  async readable(file) {
    return this.about.searches ? file : readable(file, await this.limit());
  }

  // The most bytes of one file that the server accepts.
  async limit() {
    return /** @type {any} */ ((await this.line.connected()).config)?.max_file_size ?? Infinity;
  }

  /** @param {File} file @param {"large" | "large_weights"} [large] what is said of one that is too large */
  async upload(file, large = "large") {
    const most = await this.limit();
    const values = { name: file.name, size: Math.ceil(file.size / MB), most: Math.floor(most / MB) };
    if (file.size > most) throw new Refused(new Words(this.words.incoming).say(large, values));
    return { path: await this.line.sent(file), orig_name: file.name, meta: { _type: "gradio.FileData" } };
  }

  async ask(asked) {
    const [kind, run, ...what] = asked;
    if (kind === "shares") return { shares: (await this.atLength("shares", { run, lesson: what[0], target: 0 })) ?? [] };
    return this.line.called("ask", async () => [[kind, await this.known(run), ...what], this.language]);
  }

  async atLength(call, what, far = (_share) => {}) {
    far(0);
    const { run, other, ...rest } = what;
    delete rest.scores; // of a map that the server has made itself
    const asked = { ...said(rest), ...(other ? { other: said(other) } : {}) };
    const give = async () => [call, await this.known(run), asked, this.language];
    const { answer = null } = await this.alive.during(this.line.called("work", give, far));
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
    return this.line.called("settings", () => [method, written, this.language]);
  }

  fileAt(path) {
    return `${this.root}gradio_api/file=${path}`;
  }

  async stop() {
    if (!this.line.isLost) await this.line.called("stop", () => []);
  }

  // Counts down to the next question. @param {string} why
  async later(why, seconds, far) {
    const words = new Words(this.words.page);
    for (let left = Math.ceil(seconds); left > 0; left--) {
      far(0, words.say("again_later", { why, seconds: left }));
      await new Promise((over) => setTimeout(over, 1000));
    }
    far(0, words.say("again_now"));
  }
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
