// Asks a server, through Gradio's own client: the same events as any program's. All addresses are made of the page's own.

import { textOf } from "../../../ui/viewer/numbers/base64.js";
import { same } from "../../../ui/link/address.js";
import { AS_TRAINED } from "../../../vocabulary.js";
import { Alive } from "./alive.js";
import { Line } from "./line.js";
import { Refused } from "./source.js";

/** A source: see source.js. */
export class OnServer {
  /** @param {import("../cargo.js").Cargo} cargo @param {string} language */
  constructor(cargo, language) {
    this.about = cargo.about;
    this.language = language;
    this.words = cargo.about.languages[language];
    this.makes = ["link", "film", "page", "code"];
    this.root = new URL(this.about.root, location.href.split("#")[0]).href;
    for (const one of this.about.pictures) if (one.url) one.url = this.root + one.url;
    this.line = new Line(this.root, this.words.page.ended_unheard);
    this.alive = new Alive(() => this.line.tells("alive"));
    if (this.about.searches) this.networks = () => this.line.called("networks", () => [this.language]);
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
    const isSent = shown?.bytes && this.uploads.has(shown);
    const give = async () => [shown?.bytes ? await this.sent(shown) : null, choice, this.language];
    const looked = this.line.called("look", give, far);
    const {
      file: made,
      ended,
      ...value
    } = await looked.catch((error) => {
      if (!isSent) throw error;
      this.uploads.delete(shown); // the server may have deleted it since
      return this.look(choice, shown, far);
    });
    if (ended) throw new Refused(this.words.page[`ended_${ended}`] ?? this.words.page.stopped);
    const { server } = this.line;
    return this.keep(
      choice,
      shown,
      server,
      made ? { ...value, file: { url: `${this.root}gradio_api/file=${made.path}` } } : value,
    );
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

  // The picture on the server: sent once to each.
  sent(shown) {
    const { server } = this.line;
    const before = this.uploads.get(shown);
    if (before?.server === server) return before.file;
    const file = this.upload(shown);
    this.uploads.set(shown, { server, file });
    file.catch(() => this.uploads.delete(shown)); // the next try may work
    return file;
  }

  async upload({ bytes, type, title, name }) {
    const file = new File([bytes], title || name, { type });
    return { path: await this.line.sent(file), orig_name: file.name, meta: { _type: "gradio.FileData" } };
  }

  async ask(asked) {
    const [kind, run, ...what] = asked;
    if (kind === "shares") return { shares: await this.atLength("shares", { run, lesson: what[0], target: 0 }) };
    return this.line.called("ask", async () => [[kind, await this.known(run), ...what], this.language]);
  }

  async atLength(call, { run, lesson, ...what }, far = (_share) => {}) {
    far(0);
    const asked = { ...plain(what), ...(lesson ? { lesson: packed(lesson) } : {}) };
    const give = async () => [call, await this.known(run), asked, this.language];
    const { answer = null } = await this.alive.during(this.line.called("work", give, far));
    return Array.isArray(answer) && call === "explain" ? Float32Array.from(answer) : answer;
  }

  async stop() {
    if (!this.line.isLost) await this.line.called("stop", () => []);
  }
}

/** What the visitor taught, as the server reads it. @param {{names: string[], prototypes: Float32Array[]}} lesson */
function packed({ names, prototypes }) {
  const numbers = Float32Array.from(prototypes.flatMap((row) => [...row]));
  return { names, prototypes: textOf(new Uint8Array(numbers.buffer)) };
}

/** Numbers as JSON holds them. @param {any} what */
const plain = (what) =>
  JSON.parse(JSON.stringify(what, (_, value) => (ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value)));
