// Keeps the page and its address in step: writes the current view into the hash, and shows what a hash says.
//
// Changes within a picture replace the address. Another picture, model or tab makes a new entry of the history, so that back and
// forward lead from picture to picture. The server names its part of the address (`link/__init__.py`). An event of the page asks
// the server to show a link; if a link has opened the page, this happens before the first map.

import { direct, parse, write, written } from "./address.js";
import { COPIES, copy } from "./clipboard.js";
import * as memory from "./memory.js";
import { Shelf } from "./shelf.js";
import { Uploads } from "./uploads.js";
import { STATE_VERSION } from "../../vocabulary.js";

const PAUSE = 350; // milliseconds between two writes: Safari allows a hundred in half a minute
const UPLOAD = "upload/";

/**
 * @typedef {object} Given
 * @property {Record<string, string>} words
 * @property {string[]} tabs their names
 * @property {string} language "" if there is only one
 * @property {() => any} value the server's latest value
 * @property {(asked: any) => void} ask the server to show a link
 * @property {(file: File) => Promise<any>} upload
 */

// The server's answer to a request; null without a connection, or where it has no such thing.
async function answerTo(path, options = {}) {
  const { root, api_prefix: prefix } = /** @type {any} */ (window).gradio_config;
  const answer = await fetch(`${root}${prefix}/${path}`, options).catch(() => null);
  return answer?.ok ? answer : null;
}

// Whether the server was restarted after this page was loaded. Gradio uses the same test when it has lost the connection.
async function isNew() {
  const answer = await answerTo("app_id");
  return answer !== null && (await answer.json()).app_id !== /** @type {any} */ (window).gradio_config.app_id;
}

// Whether the server still has an upload. It may have been restarted since, or have deleted old files.
async function isThere(path) {
  return (await answerTo(`file=${encodeURI(path)}`, { method: "HEAD" })) !== null;
}

export class Link {
  constructor() {
    this.viewer = null;
    /** @type {Given | null} */
    this.given = null;
    /** @type {Record<string, string> | null} */
    this.page = null; // the view on the stage, as a link writes it; null before the first map
    this.tab = "";
    /** @type {{state: string, page: string | null, isLost: boolean} | null} */
    this.opening = null; // a link that is being opened, and its page part as the server understood it
    /** @type {{page: Record<string, string>, byLink: boolean} | null} */
    this.arrived = null; // what has just come to the stage
    /** @type {{model: string, state: string} | null} */
    this.promised = null; // the rest of a link whose picture only another browser has
    this.looked = ""; // of the pictures that this browser keeps, the one that was chosen last
    this.wasLive = false; // whether a frame of the camera is shown, whose entry the next picture takes
    this.said = ""; // what the server said of the last link
    /** @type {string[]} */
    this.strange = []; // keys of the link that is being opened which are not understood
    this.applying = false;
    this.choosing = 0; // the number of choices that have not come to the stage, and have not failed
    this.timer = 0;
    this.shelf = new Shelf((id) => this.look(id));
    this.mounted = new Promise((mounted) => (this.mountedAs = mounted));
    addEventListener("popstate", () => this.follow());
    addEventListener("pagehide", () => this.write());
    document.addEventListener("vizapp-viewer", (/** @type {any} */ { detail }) => this.attend(detail));
    document.addEventListener("vizapp-tab", (/** @type {any} */ { detail }) => this.turned(detail));
  }

  /**
   * Connect the page's part once it exists.
   * @param {HTMLElement} root the line for messages about a link
   * @param {Given} given
   */
  mount(root, given) {
    const { words } = (this.given = given);
    this.root = root;
    this.tab ||= given.tabs[0];
    const [yes, full] = [".link-yes", ".link-full"].map((one) => root.querySelector(one));
    yes.textContent = words.yes;
    yes.addEventListener("click", () => this.allow());
    full.textContent = words.full;
    this.uploads = new Uploads((kept) => {
      document.documentElement.classList.toggle("keeps-pictures", kept.length > 0);
      this.shelf.show(kept);
    }, isThere);
    // They stand in the viewer, on tabs and in a drawer, which Gradio may build later than this.
    document.addEventListener("click", ({ target }) => {
      const pressed = /** @type {HTMLElement} */ (target);
      if (pressed.id === "forget-pictures") this.uploads.clear();
      if (pressed.matches(COPIES)) this.copy(pressed);
    });
    this.mountedAs();
  }

  // ---- from the address

  /** If a link has opened the page, ask the server to show it instead of the first picture. Returns whether it did. */
  begin() {
    const link = parse(location.hash);
    if (link) this.mounted.then(() => this.open(link));
    return Boolean(link);
  }

  /** Show a link, for the textbook. @param {string} link with or without its "#" */
  show(link) {
    const found = parse(link);
    if (found) this.mounted.then(() => this.open(found));
  }

  /** The link of the current view; "" before the first map. */
  here() {
    return this.page ? this.hash() : "";
  }

  // Follow the address after back, forward, or an edit of the hash.
  follow() {
    const link = parse(location.hash);
    if (link) this.mounted.then(() => this.open(link));
  }

  open(link) {
    const { page, state } = this.whole(link);
    this.turn(this.given.tabs.includes(page.tab) ? page.tab : this.given.tabs[0]);
    this.strange = page.tab && !this.given.tabs.includes(page.tab) ? ["tab"] : [];
    if (this.page && written(page) === written(this.page)) {
      this.opening = this.arrived = null;
      this.apply(state);
    } else {
      this.go(page, state);
    }
  }

  /** Choose a picture that this browser keeps: it opens as any other that is chosen, not as a link says. @param {string} id */
  async look(id) {
    if (!this.page) return;
    this.looked = id;
    this.choosing += 1; // until the server has been asked, which counts it itself
    const sent = await this.uploads.send(id, this.given.upload).catch(() => null);
    this.chosen();
    if (!sent || this.looked !== id) return;
    this.opening = this.promised = null;
    const { model, fit, edits } = this.page;
    this.given.ask({ v: String(STATE_VERSION), picture: UPLOAD + id, model, fit, edits, own: true, path: sent.path });
  }

  // Complete a link to a chapter of the textbook: if it names no picture, it gets the chapter's.
  whole({ page, state }) {
    const { book } = this.viewer ?? {};
    const chapter = book?.chapters[book.at(new URLSearchParams(state).get("chapter"))];
    if (page.picture || !chapter) return { page, state };
    const own = parse(book.linkOf(chapter));
    const said = new URLSearchParams(state);
    const rest = own.state.split("&").filter((part) => !said.has(part.split("=", 1)[0]));
    return { page: { ...own.page, ...page }, state: [...rest, state].join("&") };
  }

  /** Show another page of the picture's file. The server has the file, so it is not sent again. @param {number} number */
  toPage(number) {
    if (!this.page) return;
    const path = this.uploads?.pathOf(this.page.picture.slice(UPLOAD.length));
    this.go({ ...this.page, page: number > 1 ? String(number) : "" }, this.viewer.toHash(), path ? { path } : null);
  }

  /**
   * @param {Record<string, string>} page
   * @param {string} state
   * @param {{path: string} | null} [here] where the server has the picture
   */
  async go(page, state, here = null) {
    const opening = (this.opening = { state, page: null, isLost: false });
    const { v, picture = "", page: number, model, fit, edits } = page;
    const isUpload = picture.startsWith(UPLOAD);
    const send = () => this.uploads.send(picture.slice(UPLOAD.length), this.given.upload).catch(() => null);
    const sent = here ?? (isUpload ? await send() : null);
    if (opening !== this.opening) return;
    this.wanted = { page, state };
    this.promised = isUpload && !sent ? { model, state } : null; // when the visitor uploads the picture, it is shown as the link says
    this.given.ask({ v, picture, page: number, model, fit, edits, own: memory.models().includes(model), path: sent?.path ?? null });
  }

  // The visitor agrees to the link's model, which is not in the list. It is shown in the link's view, not in that of the model
  // which was shown meanwhile.
  allow() {
    memory.keepModel(this.asked);
    this.go({ ...this.wanted.page, model: this.asked }, this.wanted.state);
  }

  apply(state) {
    this.applying = true;
    const strange = this.viewer.follow(state, this.strange);
    this.applying = false;
    this.strange = [];
    this.tell(this.viewer.words.told([this.said, strange]));
    this.later();
  }

  // ---- from the page

  /** Connect the viewer once it exists. */
  attend(viewer) {
    this.viewer = viewer;
    const colours = memory.colours();
    if (!parse(location.hash) && viewer.state.key("colours").fits(colours)) viewer.state.set({ colours }); // a link wins
    viewer.arrives = () => {
      if (!this.opening?.page) return false; // no link, or these maps were on their way before the server knew of it
      this.apply(this.opening.state);
      this.opening = null;
      return true;
    };
    viewer.state.subscribe((changed) => {
      if (changed.includes("colours") && !this.applying) memory.keepColours(viewer.state.get("colours"));
      this.later();
    });
  }

  turned(tab) {
    if (tab === this.tab) return;
    this.write();
    this.tab = tab;
    this.write("push");
  }

  turn(tab) {
    if (tab === this.tab) return;
    this.tab = tab;
    /** @type {HTMLElement} */ (document.querySelector(`#tabs [role=tab][data-tab-id="${tab}"]`))?.click();
  }

  /** Take the server's new value: what a link means here, or what is on the stage. */
  told() {
    const { opened, said, strange, asks, page } = this.given.value() ?? {};
    if (opened && this.opening) {
      this.opening.page = written(opened);
      this.strange.push(...strange);
      this.say(said, asks);
    }
    if (!page) return;
    const isPromised = page.picture === "upload" && this.promised;
    if (isPromised && isPromised.model === page.model) {
      this.opening = { state: isPromised.state, page: written(page), isLost: false };
      this.promised = null;
      this.say("");
    }
    const byLink = this.opening?.page === written(page);
    this.write(); // the old view, so that "back" leads to it
    if (!byLink) {
      this.opening = null;
      if (this.page && !isPromised) this.say(""); // otherwise keep the offer to open the link's model
    }
    this.arrived = { page, byLink };
  }

  /** Something was chosen, which comes to the stage or fails. */
  choose() {
    this.choosing += 1;
  }

  chosen() {
    this.choosing = Math.max(0, this.choosing - 1); // the load of a page that a link has opened chooses nothing
  }

  /** A choice has come to the stage. @param {string} choice picture, model and fit, as Gradio has them */
  settle(choice) {
    this.chosen();
    if (!this.arrived || !choice) return;
    const { page, byLink } = this.arrived;
    const [picture, model] = JSON.parse(choice);
    this.arrived = null;
    memory.keepModel(model);
    const isUpload = page.picture === "upload" && picture?.path;
    const isLive = Boolean(isUpload && /** @type {any} */ (window).vizappIncoming?.passes(picture.path)); // a frame of the camera
    const before = this.page;
    this.page = { ...page, picture: isUpload ? UPLOAD + this.uploads[isLive ? "name" : "keep"](picture) : page.picture };
    this.shelf.mark(isUpload ? this.page.picture.slice(UPLOAD.length) : "");
    const isOther = before && !byLink && written(before) !== written(this.page);
    this.write(isOther && !this.wasLive ? "push" : "replace");
    this.wasLive = isLive;
  }

  /** A choice has failed, and the earlier view stays. If the server was restarted, ask it for everything in the address. */
  async wait() {
    this.chosen();
    if (this.opening) this.opening.isLost = true;
    if (this.page && (await isNew())) location.reload();
  }

  // ---- to the address

  hash() {
    const tab = this.tab === this.given.tabs[0] ? "" : this.tab;
    return write({ v: String(STATE_VERSION), ...this.page, tab }, this.viewer.toHash());
  }

  // Whether the address is not yet that of what is shown.
  get isBehind() {
    return Boolean(this.choosing || this.timer || this.arrived || (this.opening && !this.opening.isLost));
  }

  /** Resolves when the address names what is shown: nothing is being opened, and nothing is to be written. */
  async idle() {
    while (this.isBehind) await new Promise(requestAnimationFrame);
  }

  later() {
    this.timer ||= setTimeout(() => this.write(), PAUSE);
  }

  // Write the address, unless something else is being loaded: then the address already names that.
  /** @param {"replace" | "push"} how */
  write(how = "replace") {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.page || this.arrived || (this.opening && !this.opening.isLost)) return;
    const hash = this.hash();
    /** @type {HTMLAnchorElement} */ (this.root.querySelector(".link-full")).href = direct(location, hash, this.given.language);
    if (hash === location.hash) return;
    try {
      // A complete address, because the page's <base> would change a relative one.
      history[`${how}State`](null, "", location.pathname + location.search + hash);
    } catch {
      this.later(); // the browser limits how often the address may change
    }
  }

  async copy(button) {
    this.write();
    const isUpload = this.page?.picture.startsWith(UPLOAD);
    const { words, language } = this.given;
    await copy(button, direct(location, this.page ? this.hash() : location.hash, language), isUpload, words);
  }

  // The line stands in the page while it says something, else in the heading.
  tell(said) {
    this.root.querySelector("p").textContent = said;
    this.root.closest("#link-line").toggleAttribute("data-said", Boolean(said));
  }

  /** Show a message. @param {string} said @param {string} [asks] a model that the visitor may agree to open */
  say(said, asks = "") {
    this.asked = asks;
    this.said = said;
    this.tell(said);
    /** @type {HTMLElement} */ (this.root.querySelector(".link-yes")).hidden = !asks;
  }
}
