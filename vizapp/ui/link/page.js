// The page and its address: what is shown is written into the hash, and what the hash says is shown.
//
// While one looks around in a picture, the address is replaced; another picture, model or tab is a new entry of the history,
// so that back and forward lead from picture to picture. The server says what its part of the address is (`link/__init__.py`)
// and is asked to show what a link says, by an event of the page's own: before the first map if the page was opened by one.

import { direct, parse, write, written } from "./address.js";
import { copied } from "./clipboard.js";
import * as memory from "./memory.js";
import { Uploads } from "./uploads.js";
import { VERSION } from "../viewer/version.js";

const PAUSE = 350; // milliseconds between two writes: Safari allows a hundred in half a minute
const UPLOAD = "upload/";

/**
 * @typedef {object} Given
 * @property {Record<string, string>} words
 * @property {string[]} tabs their names
 * @property {string} language "" where there is one only
 * @property {() => any} value what the server says last
 * @property {(asked: any) => void} ask it for what a link says
 * @property {(file: File) => Promise<any>} upload
 */

// Was the server started after this page was made? As Gradio finds out when it has lost the line.
async function isNew() {
  const { root, api_prefix: prefix, app_id: known } = /** @type {any} */ (window).gradio_config;
  const answer = await fetch(`${root}${prefix}/app_id`).catch(() => null);
  return Boolean(answer?.ok) && (await answer.json()).app_id !== known;
}

export class Link {
  constructor() {
    this.viewer = null;
    /** @type {Given | null} */
    this.given = null;
    /** @type {Record<string, string> | null} */
    this.page = null; // what is on the stage, in the words of a link; null before the first map
    this.tab = "";
    /** @type {{state: string, page: string | null, isLost: boolean} | null} */
    this.opening = null; // a link that is on its way to the stage, and its page as the server understood it
    /** @type {{page: Record<string, string>, byLink: boolean} | null} */
    this.arrived = null; // what has come to the stage just now
    /** @type {{model: string, state: string} | null} */
    this.promised = null; // what a link says of a picture that is in another browser
    this.applying = false;
    this.timer = 0;
    this.mounted = new Promise((mounted) => (this.mountedAs = mounted));
    addEventListener("popstate", () => this.follow());
    addEventListener("pagehide", () => this.write());
    document.addEventListener("vizapp-viewer", (/** @type {any} */ { detail }) => this.attend(detail));
    document.addEventListener("vizapp-tab", (/** @type {any} */ { detail }) => this.turned(detail));
  }

  /**
   * The page's part of it is there.
   * @param {HTMLElement} root the line that says what there is to say of a link
   * @param {Given} given
   */
  mount(root, given) {
    const { words } = (this.given = given);
    this.root = root;
    this.tab ||= given.tabs[0];
    const [copy, yes, full] = ["#copy-link", ".link-yes", ".link-full"].map((one) => root.querySelector(one));
    const keeps = document.getElementById("keeps-pictures");
    Object.assign(copy, { textContent: words.copy, title: words.copy_help });
    copy.addEventListener("click", () => this.copy(copy));
    yes.textContent = words.yes;
    yes.addEventListener("click", () => this.allow());
    full.textContent = words.full;
    this.uploads = new Uploads((count) => (keeps.hidden = !count));
    keeps.querySelector("button").addEventListener("click", () => this.uploads.clear());
    this.mountedAs();
  }

  // ---- from the address

  /** Does a link say what is to be shown first? Then it is asked for, in place of what the page begins with. */
  begin() {
    const link = parse(location.hash);
    if (link) this.mounted.then(() => this.open(link));
    return Boolean(link);
  }

  /** Show what a link says, as the textbook asks. @param {string} link with or without its "#" */
  show(link) {
    const found = parse(link);
    if (found) this.mounted.then(() => this.open(found));
  }

  /** The link of what is shown; "" before the first map. */
  here() {
    return this.page ? this.hash() : "";
  }

  // Back, forward, or another hash in the address.
  follow() {
    const link = parse(location.hash);
    if (link) this.mounted.then(() => this.open(link));
  }

  open(link) {
    const { page, state } = this.whole(link);
    this.turn(this.given.tabs.includes(page.tab) ? page.tab : this.given.tabs[0]);
    this.isStrange = Boolean(page.tab) && !this.given.tabs.includes(page.tab);
    if (this.page && written(page) === written(this.page)) {
      this.opening = this.arrived = null;
      this.apply(state);
    } else {
      this.go(page, state);
    }
  }

  // A chapter of the textbook has its own picture, where a link to it says none.
  whole({ page, state }) {
    const { book } = this.viewer ?? {};
    const chapter = book?.chapters[book.at(new URLSearchParams(state).get("chapter"))];
    if (page.picture || !chapter) return { page, state };
    const own = parse(book.linkOf(chapter));
    const said = new URLSearchParams(state);
    const rest = own.state.split("&").filter((part) => !said.has(part.split("=", 1)[0]));
    return { page: { ...own.page, ...page }, state: [...rest, state].join("&") };
  }

  async go(page, state) {
    const opening = (this.opening = { state, page: null, isLost: false });
    const { v, picture = "", model, fit, edits } = page;
    const sent = picture.startsWith(UPLOAD) ? await this.uploads.send(picture.slice(UPLOAD.length), this.given.upload).catch(() => null) : null;
    if (opening !== this.opening) return;
    this.wanted = { page, state };
    this.promised = picture.startsWith(UPLOAD) && !sent ? { model, state } : null; // once the picture is here, it is shown as the link says
    this.given.ask({ v, picture, model, fit, edits, own: memory.models().includes(model), path: sent?.path ?? null });
  }

  // The visitor wants the model that a link names, though it is not in the list: shown as the link says, and not as the model
  // that took its place meanwhile was.
  allow() {
    memory.keepModel(this.asked);
    this.go({ ...this.wanted.page, model: this.asked }, this.wanted.state);
  }

  apply(state) {
    this.applying = true;
    this.isStrange = this.viewer.state.fromHash(state).length > 0 || this.isStrange;
    this.applying = false;
    const said = this.root.querySelector("p");
    if (this.isStrange && !said.textContent.includes(this.given.words.partly)) said.textContent += ` ${this.given.words.partly}`;
    this.isStrange = false;
    this.later();
  }

  // ---- from the page

  /** The viewer is there. */
  attend(viewer) {
    this.viewer = viewer;
    const colours = memory.colours();
    if (!parse(location.hash) && viewer.state.key("colours").fits(colours)) viewer.state.set({ colours }); // a link wins
    viewer.arrives = () => {
      if (!this.opening) return false;
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

  /** The server has said something: what a link means here, or what is on the stage. */
  told() {
    const { opened, said, asks, page } = this.given.value() ?? {};
    if (opened && this.opening) {
      this.opening.page = written(opened);
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
    this.write(); // what was on the stage, for the way back
    if (!byLink) {
      this.opening = null;
      if (this.page && !isPromised) this.say(""); // else the link's model can still be opened
    }
    this.arrived = { page, byLink };
  }

  /** It is on the stage. @param {string} choice picture, model and fit, as Gradio has them */
  settle(choice) {
    if (!this.arrived || !choice) return;
    const { page, byLink } = this.arrived;
    const [picture, model] = JSON.parse(choice);
    this.arrived = null;
    memory.keepModel(model);
    const name = page.picture === "upload" && picture?.path ? UPLOAD + this.uploads.keep(picture) : page.picture;
    const before = this.page;
    this.page = { ...page, picture: name };
    this.write(before && !byLink && written(before) !== written(this.page) ? "push" : "replace");
  }

  /** It has failed: what was there before is still there. If the server is a new one, it is asked for all that the address says. */
  async wait() {
    if (this.opening) this.opening.isLost = true;
    if (this.page && (await isNew())) location.reload();
  }

  // ---- to the address

  hash() {
    const tab = this.tab === this.given.tabs[0] ? "" : this.tab;
    return write({ v: String(VERSION), ...this.page, tab }, this.viewer.state.toHash());
  }

  later() {
    this.timer ||= setTimeout(() => this.write(), PAUSE);
  }

  // Not while something else is on its way: the address is that of what will be there.
  /** @param {"replace" | "push"} how */
  write(how = "replace") {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.page || this.arrived || (this.opening && !this.opening.isLost)) return;
    const hash = this.hash();
    /** @type {HTMLAnchorElement} */ (this.root.querySelector(".link-full")).href = direct(location, hash, this.given.language);
    if (hash === location.hash) return;
    try {
      // Whole, as the page has a <base>.
      history[`${how}State`](null, "", location.pathname + location.search + hash);
    } catch {
      this.later(); // too often
    }
  }

  async copy(button) {
    this.write();
    const isUpload = this.page?.picture.startsWith(UPLOAD);
    await copied(direct(location, this.page ? this.hash() : location.hash, this.given.language), this.given.words.by_hand);
    button.textContent = this.given.words[isUpload ? "copied_upload" : "copied"];
    clearTimeout(this.copying);
    this.copying = setTimeout(() => (button.textContent = this.given.words.copy), 2500);
  }

  /** One calm line. @param {string} said @param {string} [asks] a model that is opened if the visitor wants it */
  say(said, asks = "") {
    this.asked = asks;
    this.root.querySelector("p").textContent = said;
    /** @type {HTMLElement} */ (this.root.querySelector(".link-yes")).hidden = !asks;
  }
}
