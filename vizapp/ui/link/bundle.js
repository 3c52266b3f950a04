(() => {
  // vizapp/vocabulary.js
  var ATLAS_ORDERS = ["layers", "entropy", "distance", "cls", "sinks", "score"];
  var STATE_VERSION = 1;

  // vizapp/ui/viewer/version.js
  var PAGE_KEYS = ["v", "picture", "page", "model", "fit", "edits", "tab"];

  // vizapp/ui/viewer/zoom.js
  var OPENS = { steps: "number", teach: "teach", atlas: "wide", score: "score" };

  // vizapp/ui/link/address.js
  var ORDERS = ATLAS_ORDERS.filter((one) => one !== "layers").map((one) => `order=${one}`);
  function withAtlas(parts, isOpen) {
    const isOrdered = parts.some((part) => ORDERS.includes(part));
    const isDeep = parts.some((part) => Object.hasOwn(OPENS, part.split("=", 1)[0]));
    return isOrdered && !isDeep ? [...parts, `atlas=${isOpen ? 1 : 0}`] : parts;
  }
  function parse(hash) {
    const page = (
      /** @type {Record<string, string>} */
      {}
    );
    const state = [];
    const parts = hash.replace(/^#/, "").split("&");
    for (const part of parts.filter(Boolean)) {
      const key = part.split("=", 1)[0];
      if (PAGE_KEYS.includes(key)) page[key] = new URLSearchParams(part.replaceAll("+", "%2B")).get(key);
      else state.push(part);
    }
    return hash.includes("=") ? { page, state: withAtlas(state, true).join("&") } : null;
  }
  function write(page, state) {
    const parts = PAGE_KEYS.filter((key) => page[key]).map((key) => `${key}=${encodeURIComponent(page[key])}`);
    const text = [...parts, ...withAtlas(state ? state.split("&") : [], false)].join("&");
    return `#${text.replace(/%(?:2C|2F|3A|3F|40)/g, decodeURIComponent)}`;
  }
  var written = ({ picture = "", page = "", model = "", fit = "", edits = "" }) => write({ picture, page, model, fit, edits }, "");
  function framed(link, title) {
    const address = new URL(link);
    address.searchParams.set("embed", "1");
    const [src, name] = [address.href, title].map((one) => one.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
    return `<iframe src="${src}" width="480" height="560" style="border: 0" title="${name}"></iframe>`;
  }
  function direct({ origin, pathname }, hash, language) {
    return `${origin}${pathname}${language ? `?lang=${encodeURIComponent(language)}` : ""}${hash}`;
  }

  // vizapp/ui/link/clipboard.js
  var COPIES = ".copy-link, .copy-frame";
  var FOR = 2500;
  async function copy(button, link, isUpload, words) {
    await copied(button.matches(".copy-frame") ? framed(link, document.title) : link, words.by_hand);
    const label = button.dataset.words ??= button.textContent;
    button.textContent = words[isUpload ? "copied_upload" : "copied"];
    setTimeout(() => button.textContent = label, FOR);
  }
  async function copied(text, byHand) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
      document.body.append(field);
      field.select();
      const isDone = document.execCommand("copy");
      field.remove();
      if (!isDone) prompt(byHand, text);
    }
  }

  // vizapp/ui/link/memory.js
  var COLOURS = "vizapp-colours";
  var MODELS = "vizapp-models";
  var MOST = 20;
  function read(key) {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "null");
    } catch {
      return null;
    }
  }
  function keep(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
    }
  }
  var colours = () => read(COLOURS);
  var keepColours = (name) => keep(COLOURS, name);
  function models() {
    const found = read(MODELS);
    return Array.isArray(found) ? found : [];
  }
  function keepModel(name) {
    keep(MODELS, [name, ...models().filter((one) => one !== name)].slice(0, MOST));
  }

  // vizapp/ui/incoming/thumbnail.js
  var SIDE = 112;
  async function paint(canvas, file) {
    canvas.width = canvas.height = SIDE;
    const pen = canvas.getContext("2d");
    try {
      const bitmap = await createImageBitmap(file, { resizeHeight: SIDE * 2, resizeQuality: "medium" });
      const side = Math.min(bitmap.width, bitmap.height);
      pen.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE, SIDE);
      bitmap.close();
    } catch {
      pen.font = "600 26px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.fillStyle = "#667";
      const kind = /\.(\w{1,5})$/.exec(file.name)?.[1] ?? "?";
      pen.fillText(kind.toUpperCase(), SIDE / 2, SIDE / 2 + 9, SIDE - 8);
    }
  }

  // vizapp/ui/link/shelf.js
  var Shelf = class {
    /** @param {(id: string) => void} look called with the picture that was pressed */
    constructor(look) {
      this.look = look;
      this.root = null;
      this.buttons = /* @__PURE__ */ new Map();
      this.current = "";
    }
    /** Connect the place in the tray once it exists. @param {HTMLElement} root */
    mount(root) {
      this.root = root;
      root.append(...this.buttons.values());
    }
    /** @param {Upload[]} kept the newest first */
    show(kept) {
      const ids = kept.map(({ id }) => id);
      for (const [id, button] of this.buttons) {
        if (ids.includes(id)) continue;
        button.remove();
        this.buttons.delete(id);
      }
      for (const one of kept.toReversed()) {
        if (this.buttons.has(one.id)) continue;
        const button = this.made(one);
        this.buttons.set(one.id, button);
        this.root?.append(button);
      }
      this.mark(this.current);
    }
    /** @param {Upload} upload */
    made({ id, name, blob }) {
      const button = document.createElement("button");
      const canvas = document.createElement("canvas");
      Object.assign(button, { type: "button", title: name, ariaLabel: name });
      button.append(canvas);
      button.addEventListener("click", () => this.look(id));
      paint(canvas, new File([blob], name, { type: blob.type }));
      return button;
    }
    /** Mark the picture on the stage. @param {string} id "" for none of these */
    mark(id) {
      this.current = id;
      for (const [one, button] of this.buttons) button.setAttribute("aria-pressed", String(one === id));
    }
  };

  // vizapp/ui/link/uploads.js
  var NAME = "vizapp";
  var STORE = "uploads";
  var MOST2 = 5;
  var done = (asked) => new Promise((found, failed) => {
    asked.onsuccess = () => found(asked.result);
    asked.onerror = () => failed(asked.error);
  });
  function open() {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id" });
    return done(opening);
  }
  var Uploads = class {
    /**
     * @param {(kept: Upload[]) => void} told called with the kept pictures, the newest first, whenever others are kept
     * @param {(path: string) => Promise<boolean>} isThere whether the server still has an upload
     */
    constructor(told, isThere2) {
      this.told = told;
      this.isThere = isThere2;
      this.ids = /* @__PURE__ */ new Map();
      this.store = open().catch(() => null);
      this.ready = this.all().then((all) => {
        for (const { id, path } of all) this.ids.set(path, id);
        this.told(all);
      });
    }
    /** The newest first. @returns {Promise<Upload[]>} */
    async all() {
      const found = await this.ask("readonly", (store) => store.getAll()) ?? [];
      return found.sort((a, b) => b.when - a.when);
    }
    /** The name by which links refer to an uploaded picture. */
    name({ path }) {
      if (!this.ids.has(path)) this.ids.set(path, nameless());
      return this.ids.get(path);
    }
    /** Where the server has a picture of this visit; undefined if nobody knows. @param {string} id @returns {string | undefined} */
    pathOf(id) {
      return [...this.ids].findLast(([, one]) => one === id)?.[0];
    }
    /** Keep an uploaded picture as the latest one, and return its name. */
    keep({ path, url, orig_name: name }) {
      const id = this.name({ path });
      this.renew(id, path, url, name ?? "picture");
      return id;
    }
    /** See that the server has a picture, which Gradio's `upload` sends again. Returns its path there, or null if it is not kept. */
    async send(id, upload) {
      const kept = await this.ask("readonly", (store) => store.get(id));
      if (!kept) {
        const here = [...this.ids].find(([, one]) => one === id);
        return here ? { path: here[0] } : null;
      }
      const sent = () => upload(new File([kept.blob], kept.name, { type: kept.blob.type }));
      const { path } = await this.isThere(kept.path) ? kept : await sent();
      this.ids.set(path, id);
      await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
      return { path };
    }
    async clear() {
      await this.ask("readwrite", (store) => store.clear());
      this.ids.clear();
      this.told([]);
    }
    async renew(id, path, url, name) {
      const kept = await this.ask("readonly", (store) => store.get(id));
      if (!kept) return this.fetch(id, path, url, name);
      await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
    }
    async fetch(id, path, url, name) {
      try {
        const answer = await fetch(url, { cache: "force-cache" });
        if (!answer.ok) return;
        const blob = await answer.blob();
        await this.ask("readwrite", (store) => store.put({ id, path, name, when: Date.now(), blob }));
        const all = await this.all();
        for (const old of all.slice(MOST2)) await this.ask("readwrite", (store) => store.delete(old.id));
        this.told(all.slice(0, MOST2));
      } catch {
      }
    }
    // Run a request on the store; null if there is no store.
    async ask(mode, what) {
      const store = await this.store;
      try {
        return store && await done(what(store.transaction(STORE, mode).objectStore(STORE)));
      } catch {
        return null;
      }
    }
  };
  function nameless() {
    return Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // vizapp/ui/link/page.js
  var PAUSE = 350;
  var UPLOAD = "upload/";
  async function answerTo(path, options = {}) {
    const { root, api_prefix: prefix } = (
      /** @type {any} */
      window.gradio_config
    );
    const answer = await fetch(`${root}${prefix}/${path}`, options).catch(() => null);
    return answer?.ok ? answer : null;
  }
  async function isNew() {
    const answer = await answerTo("app_id");
    return answer !== null && (await answer.json()).app_id !== /** @type {any} */
    window.gradio_config.app_id;
  }
  async function isThere(path) {
    return await answerTo(`file=${encodeURI(path)}`, { method: "HEAD" }) !== null;
  }
  var Link = class {
    constructor() {
      this.viewer = null;
      this.given = null;
      this.page = null;
      this.tab = "";
      this.opening = null;
      this.arrived = null;
      this.promised = null;
      this.looked = "";
      this.wasLive = false;
      this.said = "";
      this.strange = [];
      this.applying = false;
      this.choosing = 0;
      this.timer = 0;
      this.shelf = new Shelf((id) => this.look(id));
      this.mounted = new Promise((mounted) => this.mountedAs = mounted);
      addEventListener("popstate", () => this.follow());
      addEventListener("pagehide", () => this.write());
      document.addEventListener("vizapp-viewer", ({ detail }) => this.attend(detail));
      document.addEventListener("vizapp-tab", ({ detail }) => this.turned(detail));
    }
    /**
     * Connect the page's part once it exists.
     * @param {HTMLElement} root the line for messages about a link
     * @param {Given} given
     */
    mount(root, given) {
      const { words } = this.given = given;
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
      document.addEventListener("click", ({ target }) => {
        const pressed = (
          /** @type {HTMLElement} */
          target
        );
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
      this.choosing += 1;
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
      const opening = this.opening = { state, page: null, isLost: false };
      const { v, picture = "", page: number, model, fit, edits } = page;
      const isUpload = picture.startsWith(UPLOAD);
      const send = () => this.uploads.send(picture.slice(UPLOAD.length), this.given.upload).catch(() => null);
      const sent = here ?? (isUpload ? await send() : null);
      if (opening !== this.opening) return;
      this.wanted = { page, state };
      this.promised = isUpload && !sent ? { model, state } : null;
      this.given.ask({ v, picture, page: number, model, fit, edits, own: models().includes(model), path: sent?.path ?? null });
    }
    // The visitor agrees to the link's model, which is not in the list. It is shown in the link's view, not in that of the model
    // which was shown meanwhile.
    allow() {
      keepModel(this.asked);
      this.go({ ...this.wanted.page, model: this.asked }, this.wanted.state);
    }
    apply(state) {
      this.applying = true;
      const strange = this.viewer.follow(state, this.strange);
      this.applying = false;
      this.strange = [];
      this.root.querySelector("p").textContent = this.viewer.words.told([this.said, strange]);
      this.later();
    }
    // ---- from the page
    /** Connect the viewer once it exists. */
    attend(viewer) {
      this.viewer = viewer;
      const colours2 = colours();
      if (!parse(location.hash) && viewer.state.key("colours").fits(colours2)) viewer.state.set({ colours: colours2 });
      viewer.arrives = () => {
        if (!this.opening?.page) return false;
        this.apply(this.opening.state);
        this.opening = null;
        return true;
      };
      viewer.state.subscribe((changed) => {
        if (changed.includes("colours") && !this.applying) keepColours(viewer.state.get("colours"));
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
      document.querySelector(`#tabs [role=tab][data-tab-id="${tab}"]`)?.click();
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
      this.write();
      if (!byLink) {
        this.opening = null;
        if (this.page && !isPromised) this.say("");
      }
      this.arrived = { page, byLink };
    }
    /** Something was chosen, which comes to the stage or fails. */
    choose() {
      this.choosing += 1;
    }
    chosen() {
      this.choosing = Math.max(0, this.choosing - 1);
    }
    /** A choice has come to the stage. @param {string} choice picture, model and fit, as Gradio has them */
    settle(choice) {
      this.chosen();
      if (!this.arrived || !choice) return;
      const { page, byLink } = this.arrived;
      const [picture, model] = JSON.parse(choice);
      this.arrived = null;
      keepModel(model);
      const isUpload = page.picture === "upload" && picture?.path;
      const isLive = Boolean(isUpload && /** @type {any} */
      window.vizappIncoming?.passes(picture.path));
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
      if (this.page && await isNew()) location.reload();
    }
    // ---- to the address
    hash() {
      const tab = this.tab === this.given.tabs[0] ? "" : this.tab;
      return write({ v: String(STATE_VERSION), ...this.page, tab }, this.viewer.toHash());
    }
    // Whether the address is not yet that of what is shown.
    get isBehind() {
      return Boolean(this.choosing || this.timer || this.arrived || this.opening && !this.opening.isLost);
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
      if (!this.page || this.arrived || this.opening && !this.opening.isLost) return;
      const hash = this.hash();
      this.root.querySelector(".link-full").href = direct(location, hash, this.given.language);
      if (hash === location.hash) return;
      try {
        history[`${how}State`](null, "", location.pathname + location.search + hash);
      } catch {
        this.later();
      }
    }
    async copy(button) {
      this.write();
      const isUpload = this.page?.picture.startsWith(UPLOAD);
      const { words, language } = this.given;
      await copy(button, direct(location, this.page ? this.hash() : location.hash, language), isUpload, words);
    }
    /** Show a message. @param {string} said @param {string} [asks] a model that the visitor may agree to open */
    say(said, asks = "") {
      this.asked = asks;
      this.said = said;
      this.root.querySelector("p").textContent = said;
      this.root.querySelector(".link-yes").hidden = !asks;
    }
  };

  // vizapp/ui/link/start.js
  if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.classList.add("embed");
  Object.assign(window, { vizappLink: new Link() });
})();
