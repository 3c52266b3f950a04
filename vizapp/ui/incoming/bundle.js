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

  // vizapp/ui/incoming/frames.js
  var RATE = 10;
  var SIDE = 640;
  var FILM = /\.(mp4|m4v|webm|mov|ogv|mkv)$/i;
  var MANY = 1e7;
  var QUALITY = 0.92;
  var isFilm = ({ type, name }) => type.startsWith("video/") || FILM.test(name);
  var mayMove = (file) => isFilm(file) || /^image\/(gif|webp)$/.test(file.type);
  var framesOf = (file, most) => isFilm(file) ? decoded(file, most) : animated(file, most).catch(() => null);
  async function decoded(file, most) {
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "auto" });
    const url = URL.createObjectURL(file);
    const heard = (event) => new Promise((done, failed) => {
      video.addEventListener(event, done, { once: true });
      video.addEventListener("error", () => failed(video.error), { once: true });
    });
    try {
      const loaded = heard("loadeddata");
      video.src = url;
      await loaded;
      if (!Number.isFinite(video.duration)) await seek(MANY);
      if (!video.videoWidth || !(video.duration > 0)) throw new Error("no pictures in it");
    } catch (error) {
      URL.revokeObjectURL(url);
      throw error;
    }
    const count = Math.min(most, Math.max(1, Math.round(video.duration * RATE)));
    return {
      count,
      rate: count / video.duration,
      frame: async (number) => {
        await seek((number + 0.5) * video.duration / count);
        return drawn(video, video.videoWidth, video.videoHeight);
      },
      close: () => {
        video.removeAttribute("src");
        URL.revokeObjectURL(url);
      }
    };
    async function seek(seconds) {
      const there = heard("seeked");
      video.currentTime = seconds;
      await there;
    }
  }
  async function animated(file, most) {
    const { ImageDecoder } = (
      /** @type {any} */
      globalThis
    );
    if (!ImageDecoder) return null;
    const decoder = new ImageDecoder({ data: await file.arrayBuffer(), type: file.type });
    await decoder.tracks.ready;
    await decoder.completed;
    const whole = decoder.tracks.selectedTrack.frameCount;
    if (whole < 2) return null;
    const count = Math.min(most, whole);
    const { image: first } = await decoder.decode({ frameIndex: 0 });
    const seconds = (first.duration || 1e5) / 1e6;
    first.close();
    return {
      count,
      rate: count / (seconds * whole),
      frame: async (number) => {
        const { image } = await decoder.decode({ frameIndex: Math.floor(number * whole / count) });
        const canvas = drawn(image, image.displayWidth, image.displayHeight);
        image.close();
        return canvas;
      },
      close: () => decoder.close()
    };
  }
  function drawn(picture, width, height) {
    const scale = Math.min(1, SIDE / Math.max(width, height));
    return framed(picture, Math.round(width * scale), Math.round(height * scale));
  }
  function framed(picture, width, height) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d", { willReadFrequently: true }).drawImage(picture, 0, 0, width, height);
    return canvas;
  }
  var jpegOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));

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

  // vizapp/ui/incoming/camera.js
  var WANTED = { width: { ideal: 480 }, height: { ideal: 360 } };
  var WHY = {
    NotAllowedError: "cameraRefused",
    SecurityError: "cameraRefused",
    NotFoundError: "cameraNone",
    OverconstrainedError: "cameraNone"
  };
  var COUNTED = 12;
  async function camera() {
    if (!navigator.mediaDevices?.getUserMedia) return { why: "cameraNotHere" };
    try {
      return { stream: await navigator.mediaDevices.getUserMedia({ video: WANTED, audio: false }) };
    } catch (error) {
      return { why: WHY[error.name] ?? "cameraBusy" };
    }
  }
  function release(stream) {
    for (const one of stream.getTracks()) one.stop();
  }
  function rateOf(shown) {
    if (shown.length > COUNTED) shown.shift();
    if (shown.length < 3) return "";
    const rate = 1e3 * (shown.length - 1) / (shown.at(-1).at - shown[0].at);
    return rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
  }

  // vizapp/ui/incoming/live.js
  var NAME = "webcam.jpg";
  var Live = class {
    /**
     * @param {HTMLElement} root what is seen while it runs: the camera's own picture, the rate, and two buttons
     * @param {{look: (frame: Frame) => Promise<boolean>, keep: (frame: Frame) => Promise<void>, tell: (text?: string) => void}} on
     *   `look` shows a frame, and resolves to whether its maps were painted; `keep` makes it a picture like any other
     * @param {(key: string, values?: Record<string, any>) => string} say
     */
    constructor(root, on, say) {
      this.root = root;
      this.on = on;
      this.say = say;
      this.stream = null;
      this.frame = null;
      this.painted = null;
      this.looking = Promise.resolve(false);
      this.keeping = Promise.resolve();
      this.before = "";
      this.video = root.querySelector("video");
      this.rate = root.querySelector(".live-rate");
      const [freeze, stop] = [root.querySelector(".live-freeze"), root.querySelector(".live-stop")];
      Object.assign(freeze, { textContent: say("freeze"), title: say("freezeHelp") });
      stop.textContent = say("cameraStop");
      freeze.addEventListener("click", () => this.freeze());
      stop.addEventListener("click", () => this.back());
      document.addEventListener("visibilitychange", () => document.hidden && this.freeze());
    }
    get isOn() {
      return Boolean(this.stream);
    }
    async start() {
      if (this.isOn) return;
      await this.keeping;
      const { stream, why } = await camera();
      if (why) return this.on.tell(this.say(why));
      if (this.isOn) return release(stream);
      this.stream = stream;
      this.before = /** @type {any} */
      window.vizappLink?.here() ?? "";
      stream.getVideoTracks()[0].addEventListener("ended", () => this.isOn && this.stop("cameraGone"));
      Object.assign(this.video, { muted: true, playsInline: true, srcObject: stream });
      this.rate.textContent = this.say("starting");
      this.turn();
      this.on.tell("");
      await this.video.play().catch(() => {
      });
      const shown = (
        /** @type {{at: number}[]} */
        []
      );
      while (this.stream === stream) {
        const file = new File([await jpegOf(drawn(this.video, this.video.videoWidth, this.video.videoHeight))], NAME, { type: "image/jpeg" });
        if (this.stream !== stream) return;
        const frame = this.frame = { file, film: stream, on: "", isKept: false };
        this.looking = this.on.look(frame);
        if (!await this.looking || this.stream !== stream) return;
        this.painted = frame;
        shown.push({ at: performance.now() });
        const rate = rateOf(shown);
        if (rate) this.rate.textContent = this.say("perSecond", { rate });
      }
    }
    /** Switch it off, and its light. The last frame stays where it is. @param {string} [why] the word that says why */
    stop(why) {
      if (!this.isOn) return;
      release(this.stream);
      this.stream = this.frame = this.painted = this.video.srcObject = null;
      this.turn();
      this.on.tell(why && this.say(why));
    }
    // It is sent once more: then it has a place in the browser's memory and in the history.
    freeze() {
      const { painted } = this;
      this.stop();
      if (painted) this.keeping = this.on.keep(painted);
    }
    // What was there before it comes back.
    async back() {
      const { before, looking } = this;
      this.stop();
      await looking;
      if (before && !this.isOn) window.vizappLink.show(before);
    }
    turn() {
      document.documentElement.classList.toggle("is-live", this.isOn);
      this.root.hidden = !this.isOn;
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
  var SIDE2 = 112;
  async function paint(canvas, file) {
    canvas.width = canvas.height = SIDE2;
    const pen = canvas.getContext("2d");
    try {
      const bitmap = await createImageBitmap(file, { resizeHeight: SIDE2 * 2, resizeQuality: "medium" });
      const side = Math.min(bitmap.width, bitmap.height);
      pen.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE2, SIDE2);
      bitmap.close();
    } catch {
      pen.font = "600 26px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.fillStyle = "#667";
      const kind = /\.(\w{1,5})$/.exec(file.name)?.[1] ?? "?";
      pen.fillText(kind.toUpperCase(), SIDE2 / 2, SIDE2 / 2 + 9, SIDE2 - 8);
    }
  }

  // vizapp/ui/incoming/strip.js
  var MOST = 100;
  var MOST_BYTES = 2 ** 30;
  var PAUSE = 250;
  var Strip = class {
    /**
     * @param {HTMLElement} row where they stand
     * @param {{look: (item: Item) => void, tell: () => void}} on `look` opens a picture; `tell` updates the message about them
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
    /** Add pictures while there is room. @param {import("./files.js").Found[]} found @returns the first, and how many had no room */
    add(found) {
      let [bytes, left] = [this.bytes, 0];
      let first = (
        /** @type {Item | null} */
        null
      );
      for (const { file, path, film } of found) {
        const known = this.items.find((one) => one.path === path && one.file.size === file.size && one.file.lastModified === file.lastModified);
        if (!known && (this.items.length >= MOST || bytes + file.size > MOST_BYTES)) {
          left += 1;
          continue;
        }
        const item = known ?? this.made(file, path, film);
        if (!known) bytes += file.size;
        first ??= item;
      }
      this.number();
      return { first, left };
    }
    made(file, path, film) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "strip-one", tabIndex: -1, title: path });
      button.setAttribute("role", "option");
      button.append(document.createElement("canvas"));
      const item = { file, path, film, on: "", bad: "", button };
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
    /** Go to a picture. @param {Item} item @param {number} pause milliseconds until it is requested */
    choose(item, pause) {
      this.mark(item, true);
      item.button.focus({ preventScroll: true });
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.on.look(item), pause);
    }
    /** @param {Item | null} item the picture on the stage, or the one that is being loaded */
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
    // Scroll sideways only; `scrollIntoView` would move the page, too.
    bring(button) {
      const { left, right } = button.getBoundingClientRect();
      const row = this.row.getBoundingClientRect();
      const by = left < row.left ? left - row.left - 60 : right > row.right ? right - row.right + 60 : 0;
      const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (by) this.row.scrollBy({ left: by, behavior: isCalm ? "instant" : "smooth" });
    }
    /** @param {Item} item @param {string} why "" removes the mark */
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
    /** Make the thumbnails that are in view, one after the other: each costs as much as opening the picture. */
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
      this.film = null;
      this.sending = Promise.resolve();
      this.passing = /* @__PURE__ */ new Set();
      this.answered = (_isThere) => {
      };
      this.pending = 0;
      this.isBusy = false;
      this.failed = 0;
      this.reading = null;
    }
    /**
     * Connect the page's part once it exists.
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
      const live = {
        look: (frame) => this.watch(frame),
        keep: (frame) => this.keep(frame),
        tell: (text) => this.tell(text)
      };
      this.live = new Live(this.root.querySelector(".live"), live, (key, values) => this.say(key, values));
      if (document.documentElement.classList.contains("embed")) return;
      this.hint = new Hint(words.drop, words.drop_help);
      this.listen();
      document.addEventListener("click", ({ target }) => {
        const { id } = (
          /** @type {HTMLElement} */
          target
        );
        if (id === "webcam") this.live.start();
        if (id === "pick-pictures" || id === "pick-folder") this.pick(id === "pick-folder");
      });
    }
    /** @param {string} key @param {Record<string, any>} values */
    say(key, values = {}) {
      return this.words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
    }
    // ---- dropping and pasting
    // Listens in the capture phase, so that no box of the page takes some of the files.
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
      if (!isFolder) field.accept = "image/*,video/*";
      field.addEventListener("change", () => this.take(listed(field.files), isFolder, "no_pictures"));
      field.click();
    }
    /**
     * @param {import("./files.js").Found[]} found
     * @param {boolean} isFolder
     * @param {string} nothing the message if there is no file at all
     */
    async take(found, isFolder, nothing) {
      if (!found.length) return this.tell(this.say(isFolder ? "no_pictures" : nothing));
      if (found.length === 1 && mayMove(found[0].file) && await this.spread(found[0].file)) return;
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
    /** Make a film a strip of its frames, each of which is a picture like any other. False: it does not move. @param {File} file */
    async spread(file) {
      this.reading = file;
      const frames = (
        /** @type {import("./files.js").Found[]} */
        []
      );
      const isWanted = () => this.reading === file;
      try {
        const source = await framesOf(file, MOST);
        if (!source) return false;
        const { count, rate, frame, close } = source;
        try {
          for (let number = 0; number < count && isWanted(); number++) {
            this.tell(this.say("film_reads", { name: file.name, at: number + 1, of: count }));
            const path = `${file.name.replace(/\.\w+$/, "")} ${((number + 0.5) / rate).toFixed(2)} s.jpg`;
            const told = { type: "image/jpeg", lastModified: file.lastModified };
            frames.push({ path, file: new File([await jpegOf(await frame(number))], path, told), film: file });
          }
        } finally {
          close();
        }
      } catch {
        if (isWanted()) this.tell(this.say("film_unread", { name: file.name }));
        return true;
      }
      if (!isWanted()) return true;
      this.reading = null;
      this.take(frames, true, "no_pictures");
      return true;
    }
    /** @param {{file: File}} one */
    async open({ file }) {
      this.live.stop();
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
      this.live.stop();
      this.wanted = item;
      if (this.isBusy) return;
      this.isBusy = true;
      while (this.wanted) {
        const next = this.wanted;
        this.wanted = null;
        this.strip.blame(next, "");
        await this.send(next, () => !this.wanted).catch(() => this.fail(next, "not_sent"));
      }
      this.isBusy = false;
    }
    /** @param {Item | Frame} item @param {() => boolean} isWanted whether it still is */
    async send(item, isWanted) {
      if (item.file.size > limit()) return this.fail(item, "large_one");
      this.sent = item;
      await this.restoration();
      if (!await hand(PICTURE2, item.file, isWanted)) return;
      for (let free = 0; this.sent === item && free < PATIENCE; free = isFree(PICTURE2) ? free + 100 : 0) {
        await new Promise((done) => setTimeout(done, 100));
      }
      if (this.sent === item) this.fail(item, "not_sent");
    }
    // After a failed choice the server puts the old choice back into the boxes. Wait for that, or it would overwrite a new one.
    async restoration() {
      for (let waited = 0; this.failed && waited < PATIENCE; waited += STEP2) await new Promise((done) => setTimeout(done, STEP2));
      this.failed = 0;
    }
    /** @param {Item | Frame} item @param {string} why */
    fail(item, why) {
      if (this.sent === item) this.sent = null;
      if (!isOfStrip(item)) return this.answered(false);
      this.strip.blame(item, this.say(why, { most: Math.floor(limit() / MB) }));
      if (!this.wanted && this.strip.current === item) this.strip.mark(this.onStage());
    }
    /** Show a frame of the camera. @param {Frame} frame @returns {Promise<boolean>} whether its maps were painted */
    async watch(frame) {
      const { viewer } = (
        /** @type {any} */
        document.querySelector(".viz")
      );
      const { shown } = this;
      const { payload } = viewer;
      const answer = new Promise((answered) => this.answered = answered);
      const isWanted = () => this.live.frame === frame;
      await (this.sending = this.send(frame, isWanted).catch(() => this.fail(frame, "not_sent")));
      if (this.sent === frame) this.sent = null;
      else if (!await answer) this.live.stop("cameraLost");
      const isPainted = () => frame.on === shown || viewer.payload !== payload && viewer.view?.payload === viewer.payload && viewer.view.map.values;
      while (isWanted() && !isPainted()) await new Promise(requestAnimationFrame);
      return isWanted();
    }
    /** Make a frame of the camera a picture like any other. @param {Frame} frame */
    async keep(frame) {
      await this.sending;
      frame.isKept = true;
      await this.send(frame, () => !this.wanted && !this.live.isOn).catch(() => this.fail(frame, "not_sent"));
      if (this.sent === frame) this.sent = null;
    }
    /** Another picture is being chosen: the camera ends, and what it sent last must not come after that picture. */
    async giveWay() {
      if (!this.live) return;
      this.live.stop();
      await this.sending;
      await this.live.keeping;
    }
    /** Whether this picture is a frame of the camera that nobody has frozen. It makes no entry of the history. @param {string} path */
    passes(path) {
      return this.passing.has(path);
    }
    onStage = () => this.strip.items.find(({ on }) => on && on === this.shown) ?? null;
    // ---- what the page tells of itself, as Tab.tell in views/__init__.py has it; `choice` is picture, model and fit as Gradio has
    // them
    choose(choice) {
      this.pending += 1;
      const path = pathOf(choice);
      const sent = this.sent && (isOfStrip(this.sent) || path.endsWith(this.sent.file.name)) ? this.sent : null;
      if (sent) sent.on = path;
      if (sent && !isOfStrip(sent)) this.passing[sent.isKept ? "delete" : "add"](path);
      this.asked = sent ?? this.strip?.items.find(({ on }) => on && on === path) ?? null;
      this.sent = null;
      if (path !== this.live?.frame?.on) this.live?.stop();
      document.documentElement.classList.toggle("next-frame", Boolean(this.film && this.asked?.film === this.film));
    }
    // A request that a later one has replaced also ends without an error, so only the last one counts.
    settle(choice) {
      if (--this.pending > 0) return;
      this.pending = 0;
      this.shown = pathOf(choice);
      this.film = this.asked?.film ?? null;
      this.asked = null;
      this.answered(true);
      if (!this.strip?.items.length || this.wanted || this.sent) return;
      const item = this.onStage();
      if (item) this.strip.blame(item, "");
      this.strip.mark(item);
    }
    wait() {
      this.failed += 1;
      if (--this.pending > 0) return;
      this.pending = 0;
      if (this.asked && (this.asked.on !== this.shown || !isOfStrip(this.asked))) this.fail(this.asked, "not_shown");
      this.asked = null;
    }
    restored() {
      this.failed = Math.max(0, this.failed - 1);
    }
    // ---- what is said
    /** @param {string} [text] the message, "" for none; without it the last one stays */
    tell(text) {
      if (text !== void 0) this.said.textContent = text;
      const { items, current } = this.strip;
      const at = items.indexOf(current);
      this.count.textContent = at >= 0 ? this.say("at", { at: at + 1, of: items.length, name: current.path }) : items.length ? this.say("of", { of: items.length }) : "";
      if (at >= 0 && current.bad) this.count.textContent += ` ${current.bad}`;
      const isOpen = Boolean(items.length || this.said.textContent || this.live.isOn);
      this.root.classList.toggle("is-open", isOpen);
      document.documentElement.classList.toggle("has-strip", isOpen);
      this.root.classList.toggle("has-pictures", items.length > 0);
    }
    close() {
      this.live.stop();
      this.strip.clear();
      this.reading = null;
      this.wanted = null;
      this.tell("");
    }
  };
  var isOfStrip = (item) => "button" in item;
  var pathOf = (choice) => choice ? JSON.parse(choice)[0]?.path ?? "" : "";
  var limit = () => (
    /** @type {any} */
    window.gradio_config?.max_file_size ?? Infinity
  );

  // vizapp/ui/incoming/start.js
  Object.assign(window, { vizappIncoming: new Incoming() });
})();
