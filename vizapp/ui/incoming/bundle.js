(() => {
  // vizapp/ui/incoming/files.js
  var PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i;
  var WEIGHTS = /\.safetensors$/i;
  var MOST_SEEN = 5e3;
  var DEEPEST = 8;
  var isPicture = ({ type, name }) => type.startsWith("image/") && !type.includes("svg") || PICTURE.test(name);
  var isOther = (file) => !isPicture(file) && Boolean(file.type || /\.\w+$/.test(file.name));
  var isWeights = ({ name }) => WEIGHTS.test(name);
  async function dropped(transfer) {
    const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.());
    const isFolder = entries.some((entry) => entry?.isDirectory);
    if (!isFolder) return { found: listed(transfer.files), isFolder };
    const found = (
      /** @type {Found[]} */
      []
    );
    for (const entry of entries) await walk(entry, found, 0);
    return { found: inOrder(found), isFolder };
  }
  var listed = (files) => inOrder([...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => !path.includes("/.")));
  var inOrder = (found) => found.sort((a, b) => a.path.localeCompare(b.path, void 0, { numeric: true }));
  async function walk(entry, found, depth) {
    if (!entry || found.length >= MOST_SEEN || entry.name.startsWith(".")) return;
    if (entry.isFile) {
      const file = await new Promise((done) => entry.file(done, () => done(null)));
      if (file) found.push({ file, path: entry.fullPath.replace(/^\//, "") });
    } else if (depth < DEEPEST) {
      const reader = entry.createReader();
      for (; ; ) {
        const some = await new Promise((done) => reader.readEntries(done, () => done([])));
        if (!some.length) return;
        for (const one of some) await walk(one, found, depth + 1);
      }
    }
  }

  // vizapp/ui/incoming/hint.js
  var SILENCE = 1200;
  var Hint = class {
    /** @param {string} title @param {string} about */
    constructor(title, about) {
      this.root = document.createElement("div");
      this.root.className = "drop-hint";
      const box = this.root.appendChild(document.createElement("p"));
      box.append(Object.assign(document.createElement("b"), { textContent: title }), about);
      this.timer = 0;
    }
    show() {
      if (!this.root.isConnected) document.body.append(this.root);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.hide(), SILENCE);
    }
    hide() {
      clearTimeout(this.timer);
      this.root.remove();
    }
  };

  // vizapp/ui/incoming/road.js
  var STEP = 50;
  var LONGEST = 6e4;
  async function hand(box, file, isWanted = () => true) {
    const input = await inputOf(box);
    if (!input || !isWanted()) return false;
    const bag = new DataTransfer();
    bag.items.add(file);
    input.files = bag.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  }
  var isFree = (box) => Boolean(find(box));
  var find = (box) => document.querySelector(`${box} input[type=file]:not(:disabled)`);
  async function inputOf(box) {
    for (let waited = 0; waited < LONGEST; waited += STEP) {
      const input = find(box);
      if (input) return input;
      await new Promise((done) => setTimeout(done, STEP));
    }
    return null;
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

  // vizapp/ui/incoming/strip.js
  var MOST = 100;
  var MOST_BYTES = 2 ** 30;
  var PAUSE = 250;
  var Strip = class {
    /**
     * @param {HTMLElement} row where they stand
     * @param {{look: (item: Item) => void, tell: () => void}} on look at one; something of what is said of them has changed
     * @param {(key: string, values?: Record<string, any>) => string} say
     */
    constructor(row, on, say) {
      this.items = [];
      this.current = null;
      this.row = row;
      this.on = on;
      this.say = say;
      this.timer = 0;
      this.seen = new IntersectionObserver((all) => this.arrive(all), { root: row, rootMargin: "200px" });
      this.queue = Promise.resolve();
      row.addEventListener("click", ({ target }) => {
        const item = this.items.find(({ button }) => button.contains(
          /** @type {Node} */
          target
        ));
        if (item) this.choose(item, 0);
      });
      row.addEventListener("keydown", (event) => {
        if (this.key(event.key)) event.preventDefault();
      });
    }
    get bytes() {
      return this.items.reduce((sum, { file }) => sum + file.size, 0);
    }
    /** Put pictures in, as far as there is room. @param {import("./files.js").Found[]} found @returns the first of them, and how many have none */
    add(found) {
      let [bytes, left] = [this.bytes, 0];
      let first = (
        /** @type {Item | null} */
        null
      );
      for (const { file, path } of found) {
        const known = this.items.find((one) => one.path === path && one.file.size === file.size && one.file.lastModified === file.lastModified);
        if (!known && (this.items.length >= MOST || bytes + file.size > MOST_BYTES)) {
          left += 1;
          continue;
        }
        const item = known ?? this.made(file, path);
        if (!known) bytes += file.size;
        first ??= item;
      }
      this.number();
      return { first, left };
    }
    made(file, path) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "strip-one", tabIndex: -1, title: path });
      button.setAttribute("role", "option");
      button.append(document.createElement("canvas"));
      const item = { file, path, on: "", bad: "", button };
      this.items.push(item);
      this.row.append(button);
      this.seen.observe(button);
      return item;
    }
    number() {
      const of = this.items.length;
      this.items.forEach(({ button, path, bad }, at) => {
        const said = this.say("one", { name: path, at: at + 1, of });
        button.setAttribute("aria-label", bad ? `${said}: ${bad}` : said);
      });
    }
    /** Go to one. @param {Item} item @param {number} pause milliseconds until it is asked for */
    choose(item, pause) {
      this.mark(item, true);
      item.button.focus({ preventScroll: true });
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.on.look(item), pause);
    }
    /** @param {Item | null} item what is on the stage, or on its way there */
    mark(item, isWaiting = false) {
      this.current = item;
      for (const { button } of this.items) {
        const isIt = button === item?.button;
        button.setAttribute("aria-selected", String(isIt));
        button.classList.toggle("is-waiting", isIt && isWaiting);
        button.tabIndex = isIt ? 0 : -1;
      }
      if (!item && this.items.length) this.items[0].button.tabIndex = 0;
      if (item) this.bring(item.button);
      this.on.tell();
    }
    // Sideways only: `scrollIntoView` would move the page, too.
    bring(button) {
      const { left, right } = button.getBoundingClientRect();
      const row = this.row.getBoundingClientRect();
      const by = left < row.left ? left - row.left - 60 : right > row.right ? right - row.right + 60 : 0;
      const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (by) this.row.scrollBy({ left: by, behavior: isCalm ? "instant" : "smooth" });
    }
    /** @param {Item} item @param {string} why "" if there is nothing to say against it any more */
    blame(item, why) {
      item.bad = why;
      item.button.classList.toggle("is-bad", Boolean(why));
      item.button.title = why ? `${item.path}: ${why}` : item.path;
      this.number();
      this.on.tell();
    }
    key(key) {
      const last = this.items.length - 1;
      const at = this.items.indexOf(this.current);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[key];
      if (to === void 0 || last < 0) return false;
      const item = this.items[Math.min(last, Math.max(0, to))];
      if (item !== this.current) this.choose(item, PAUSE);
      return true;
    }
    /** One after the other, those in view: a small picture of a large one costs as much as to open it. */
    arrive(all) {
      for (const { target, isIntersecting } of all) {
        if (!isIntersecting) continue;
        this.seen.unobserve(target);
        const item = this.items.find(({ button }) => button === target);
        if (item) this.queue = this.queue.then(() => this.items.includes(item) && paint(item.button.querySelector("canvas"), item.file));
      }
    }
    clear() {
      clearTimeout(this.timer);
      this.seen.disconnect();
      this.items = [];
      this.current = null;
      this.row.replaceChildren();
    }
  };

  // vizapp/ui/incoming/page.js
  var PICTURE2 = "#picture";
  var WEIGHTS2 = "#own-weights";
  var PATIENCE = 4e3;
  var STEP2 = 50;
  var MB = 2 ** 20;
  function isWritten(target) {
    if (!(target instanceof HTMLElement)) return false;
    const isField = target instanceof HTMLInputElement && /^(text|search|url|email|password|number|tel)$/.test(target.type);
    return isField || target instanceof HTMLTextAreaElement || target.isContentEditable;
  }
  var Incoming = class {
    constructor() {
      this.words = null;
      this.isOurs = false;
      this.wanted = null;
      this.sent = null;
      this.asked = null;
      this.shown = "";
      this.pending = 0;
      this.isBusy = false;
      this.failed = 0;
    }
    /**
     * The page's part of it is there.
     * @param {HTMLElement} root
     * @param {Record<string, string>} words
     */
    mount(root, words) {
      this.words = words;
      this.root = root.querySelector(".strip");
      this.said = this.root.querySelector(".strip-said");
      this.count = this.root.querySelector(".strip-count");
      const row = (
        /** @type {HTMLElement} */
        this.root.querySelector(".strip-row")
      );
      row.setAttribute("aria-label", words.strip);
      const close = this.root.querySelector(".strip-close");
      Object.assign(close, { title: words.close });
      close.setAttribute("aria-label", words.close);
      close.addEventListener("click", () => this.close());
      this.strip = new Strip(row, { look: (item) => this.look(item), tell: () => this.tell() }, (key, values) => this.say(key, values));
      if (document.documentElement.classList.contains("embed")) return;
      this.hint = new Hint(words.drop, words.drop_help);
      this.listen();
      for (
        const [id, isFolder] of
        /** @type {[string, boolean][]} */
        [["more-pictures", false], ["picture-folder", true]]
      ) {
        const button = document.getElementById(id);
        button?.addEventListener("click", () => this.pick(isFolder));
      }
    }
    /** @param {string} key @param {Record<string, any>} values */
    say(key, values = {}) {
      return this.words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
    }
    // ---- what comes
    // In the first phase, so that no box of the page takes a part of it.
    listen() {
      addEventListener("dragstart", () => this.isOurs = true, true);
      addEventListener("dragend", () => this.isOurs = false, true);
      const isMine = ({ target, dataTransfer }) => {
        if (this.isOurs || !dataTransfer) return false;
        return dataTransfer.types.includes("Files") || !isWritten(target);
      };
      for (const kind of ["dragenter", "dragover"]) {
        addEventListener(
          kind,
          (event) => {
            if (!isMine(event)) return;
            event.preventDefault();
            event.stopPropagation();
            event.dataTransfer.dropEffect = "copy";
            if (event.dataTransfer.types.includes("Files")) this.hint.show();
          },
          true
        );
      }
      addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || this.hint.hide(), true);
      addEventListener(
        "drop",
        (event) => {
          this.hint.hide();
          if (!isMine(event)) return void (this.isOurs = false);
          event.preventDefault();
          event.stopPropagation();
          this.drop(event.dataTransfer);
        },
        true
      );
      addEventListener("paste", (event) => {
        if (isWritten(event.target) || event.defaultPrevented || !event.clipboardData) return;
        const files = listed(event.clipboardData.files);
        if (files.length) event.preventDefault();
        if (files.length || event.clipboardData.types.length) this.take(files, false, "pasted_text");
      });
    }
    async drop(transfer) {
      const isAddress = transfer.types.includes("text/uri-list");
      const { found, isFolder } = await dropped(transfer);
      this.take(found, isFolder, isAddress ? "dropped_address" : "dropped_text");
    }
    pick(isFolder) {
      const field = Object.assign(document.createElement("input"), { type: "file", multiple: true, webkitdirectory: isFolder });
      if (!isFolder) field.accept = "image/*";
      field.addEventListener("change", () => this.take(listed(field.files), isFolder, "no_pictures"));
      field.click();
    }
    /**
     * @param {import("./files.js").Found[]} found
     * @param {boolean} isFolder
     * @param {string} nothing what is said if there is no file at all
     */
    take(found, isFolder, nothing) {
      if (!found.length) return this.tell(this.say(isFolder ? "no_pictures" : nothing));
      if (found.length === 1 && !isFolder && !this.strip.items.length) return this.open(found[0]);
      const pictures = found.filter(({ file }) => isPicture(file));
      if (!pictures.length) return found.length === 1 ? this.open(found[0]) : this.tell(this.say("no_pictures"));
      const others = found.length - pictures.length;
      const { first, left } = this.strip.add(pictures);
      const said = [];
      if (left) said.push(this.say("too_many", { n: left, most: MOST, bytes: MOST_BYTES / MB }));
      if (others) said.push(this.say("others", { n: others }));
      this.tell(said.join(" "));
      if (first) this.strip.choose(first, 0);
    }
    /** @param {import("./files.js").Found} one */
    async open({ file }) {
      const what = isWeights(file) ? WEIGHTS2 : PICTURE2;
      this.tell("");
      if (what === WEIGHTS2 && !document.querySelector(WEIGHTS2)) return this.tell(this.say("no_weights", { name: file.name }));
      if (what === PICTURE2 && isOther(file)) return this.tell(this.say("no_picture", { name: file.name }));
      if (file.size > limit()) {
        const key = what === WEIGHTS2 ? "large_weights" : "large";
        return this.tell(this.say(key, { name: file.name, size: Math.ceil(file.size / MB), most: Math.floor(limit() / MB) }));
      }
      this.wanted = null;
      await this.restoration();
      await hand(what, file);
    }
    // ---- the strip
    /** @param {Item} item */
    async look(item) {
      this.wanted = item;
      if (this.isBusy) return;
      this.isBusy = true;
      while (this.wanted) {
        const next = this.wanted;
        this.wanted = null;
        await this.send(next).catch(() => this.fail(next, "not_sent"));
      }
      this.isBusy = false;
    }
    /** @param {Item} item */
    async send(item) {
      if (item.file.size > limit()) return this.fail(item, "large_one");
      this.strip.blame(item, "");
      this.sent = item;
      const isWanted = () => !this.wanted;
      await this.restoration();
      if (!await hand(PICTURE2, item.file, isWanted)) return;
      for (let free = 0; this.sent === item && free < PATIENCE; free = isFree(PICTURE2) ? free + 100 : 0) {
        await new Promise((done) => setTimeout(done, 100));
      }
      if (this.sent === item) this.fail(item, "not_sent");
    }
    // When a choice has failed, the server says what the boxes show instead; its answer would wipe away what is in them by then.
    async restoration() {
      for (let waited = 0; this.failed && waited < PATIENCE; waited += STEP2) await new Promise((done) => setTimeout(done, STEP2));
      this.failed = 0;
    }
    /** @param {Item} item @param {string} why */
    fail(item, why) {
      if (this.sent === item) this.sent = null;
      this.strip.blame(item, this.say(why, { most: Math.floor(limit() / MB) }));
      if (!this.wanted && this.strip.current === item) this.strip.mark(this.onStage());
    }
    onStage = () => this.strip.items.find(({ on }) => on && on === this.shown) ?? null;
    // ---- what the page tells of itself, as Tab.tell in views/__init__.py has it; `choice` is picture, model and fit as Gradio has them
    choose(choice) {
      this.pending += 1;
      const path = pathOf(choice);
      if (this.sent) this.sent.on = path;
      this.asked = this.sent ?? this.strip?.items.find(({ on }) => on && on === path) ?? null;
      this.sent = null;
    }
    // One that was given up for a later one ends well, too: the last one counts.
    settle(choice) {
      if (--this.pending > 0) return;
      this.pending = 0;
      this.shown = pathOf(choice);
      this.asked = null;
      if (!this.strip?.items.length || this.wanted || this.sent) return;
      const item = this.onStage();
      if (item) this.strip.blame(item, "");
      this.strip.mark(item);
    }
    wait() {
      this.failed += 1;
      if (--this.pending > 0) return;
      this.pending = 0;
      if (this.asked && this.asked.on !== this.shown) this.fail(this.asked, "not_shown");
      this.asked = null;
    }
    restored() {
      this.failed = Math.max(0, this.failed - 1);
    }
    // ---- what is said
    /** @param {string} [text] "" for nothing; without it, what was said stays */
    tell(text) {
      if (text !== void 0) this.said.textContent = text;
      const { items, current } = this.strip;
      const at = items.indexOf(current);
      this.count.textContent = at >= 0 ? this.say("at", { at: at + 1, of: items.length, name: current.path }) : items.length ? this.say("of", { of: items.length }) : "";
      if (at >= 0 && current.bad) this.count.textContent += ` ${current.bad}`;
      this.root.classList.toggle("is-open", Boolean(items.length || this.said.textContent));
      this.root.classList.toggle("has-pictures", items.length > 0);
    }
    close() {
      this.strip.clear();
      this.wanted = null;
      this.tell("");
    }
  };
  var pathOf = (choice) => choice ? JSON.parse(choice)[0]?.path ?? "" : "";
  var limit = () => (
    /** @type {any} */
    window.gradio_config?.max_file_size ?? Infinity
  );

  // vizapp/ui/incoming/start.js
  Object.assign(window, { vizappIncoming: new Incoming() });
})();
