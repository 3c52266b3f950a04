(() => {
  // vizapp/ui/glossary/page.js
  var PAUSE = 200;
  function explain(root) {
    const box = (
      /** @type {HTMLElement} */
      document.querySelector("#term-said") ?? document.createElement("div")
    );
    box.id = "term-said";
    box.popover = "manual";
    box.role = "tooltip";
    document.body.append(box);
    let shown = null;
    let timer = 0;
    const termOf = (event) => event.target instanceof Element ? (
      /** @type {HTMLElement | null} */
      event.target.closest("[data-term]")
    ) : null;
    function show2(term) {
      clearTimeout(timer);
      if (shown === term) return;
      hide();
      const told3 = term.dataset.term.split(" ").flatMap((word) => [...root.querySelectorAll(`[data-word="${word}"]`)]);
      if (!told3.length) return;
      box.replaceChildren(...told3.map((one) => Object.assign(document.createElement("p"), { innerHTML: one.innerHTML })));
      shown = term;
      term.setAttribute("aria-describedby", box.id);
      box.showPopover();
      const { left, top, bottom } = term.getBoundingClientRect();
      const above = top - 6 - box.offsetHeight > 0;
      box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
      box.style.top = `${above ? top - 6 - box.offsetHeight : bottom + 6}px`;
    }
    function hide() {
      clearTimeout(timer);
      shown?.removeAttribute("aria-describedby");
      if (shown) box.hidePopover();
      shown = null;
    }
    function later(what) {
      clearTimeout(timer);
      timer = setTimeout(what, PAUSE);
    }
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      const term = termOf(event);
      if (term && term !== shown) later(() => show2(term));
      else if (term || box.contains(
        /** @type {Node} */
        event.target
      )) clearTimeout(timer);
      else if (shown && shown !== document.activeElement) later(hide);
      else if (!shown) clearTimeout(timer);
    });
    document.addEventListener("focusin", (event) => {
      const term = termOf(event);
      if (term?.matches(":focus-visible")) show2(term);
      else if (!term) hide();
    });
    document.addEventListener("click", (event) => {
      const term = termOf(event);
      if (term) {
        event.preventDefault();
        show2(term);
      } else if (shown && !box.contains(
        /** @type {Node} */
        event.target
      )) hide();
    });
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key === "Escape" && shown) {
          event.stopPropagation();
          hide();
        } else if ((event.key === "Enter" || event.key === " ") && termOf(event)) {
          event.preventDefault();
          event.stopPropagation();
          show2(termOf(event));
        }
      },
      true
    );
    document.addEventListener("scroll", ({ target: target2 }) => target2 !== box && hide(), true);
    const help = (
      /** @type {HTMLDetailsElement} */
      root.querySelector("details")
    );
    const concepts = (
      /** @type {HTMLDialogElement} */
      root.querySelector("dialog")
    );
    const told2 = (
      /** @type {HTMLElement} */
      help.lastElementChild
    );
    help.addEventListener("toggle", () => {
      told2.style.translate = "";
      if (!help.open) return;
      const { left, right, top } = told2.getBoundingClientRect();
      told2.style.translate = `${Math.max(0, 8 - left) + Math.min(0, innerWidth - 8 - right)}px`;
      told2.style.maxHeight = `${Math.max(200, innerHeight - 8 - Math.max(0, top))}px`;
    });
    help.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !help.open) return;
      help.open = false;
      help.firstElementChild.focus();
    });
    document.addEventListener("pointerdown", ({ target: target2 }) => {
      if (!help.contains(
        /** @type {Node} */
        target2
      ) && !concepts.contains(
        /** @type {Node} */
        target2
      )) help.open = false;
    });
    root.querySelector("[data-opens]").addEventListener("click", () => concepts.showModal());
    concepts.addEventListener("click", ({ target: target2 }) => {
      if (target2 === concepts || /** @type {Element} */
      target2.matches("[data-closes]")) concepts.close();
    });
  }

  // vizapp/vocabulary.js
  var FUSIONS = ["mean", "max", "min"];
  var DIRECTIONS = ["from", "to"];
  var CHAINS = ["attention", "rollout"];
  var SCALES = ["map", "layer", "all", "fixed"];
  var ATLAS_ORDERS = ["layers", "entropy", "distance", "cls", "sinks", "score"];
  var TOOLS = ["box", "brush", "eraser"];
  var FITS = ["crop", "pad", "squash"];
  var AS_TRAINED = "as_trained";
  var STATE_VERSION = 1;
  var OPACITY = 0.8;
  var SKIP_WEIGHT = 0.5;
  var MOST_THINGS = 5;
  var MOST_MARKS = 9;
  var THING_LETTERS = 40;
  var ORDERS = 19;
  var ORDERS_AT_ONCE = 5;
  var CHANCE_LEVEL = 0.05;

  // vizapp/ui/viewer/version.js
  var PAGE_KEYS = ["v", "picture", "page", "model", "fit", "edits", "tab"];

  // vizapp/ui/viewer/dom.js
  function closing(box) {
    box.addEventListener("keydown", (event) => {
      if (!box.open) return;
      event.stopPropagation();
      if (event.key !== "Escape") return;
      box.open = false;
      box.firstElementChild.focus();
    });
    document.addEventListener("pointerdown", ({ target: target2 }) => {
      if (!box.contains(
        /** @type {Node} */
        target2
      )) box.open = false;
    });
  }

  // vizapp/ui/viewer/zoom.js
  var OPENS = { steps: "number", teach: "teach", atlas: "wide", score: "score" };

  // vizapp/ui/link/address.js
  var ORDERS2 = ATLAS_ORDERS.filter((one) => one !== "layers").map((one) => `order=${one}`);
  function withAtlas(parts, isOpen) {
    const isOrdered = parts.some((part) => ORDERS2.includes(part));
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
    const [src, name3] = [address.href, title].map((one) => one.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
    return `<iframe src="${src}" width="480" height="560" style="border: 0" title="${name3}"></iframe>`;
  }

  // vizapp/ui/link/clipboard.js
  var COPIES = ".copy-link, .copy-frame";
  var FOR = 2500;
  async function copy(button, link, isUpload, words2) {
    await copied(button.matches(".copy-frame") ? framed(link, document.title) : link, words2.by_hand);
    const label = button.dataset.words ??= button.textContent;
    button.textContent = words2[isUpload ? "copied_upload" : "copied"];
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

  // vizapp/ui/viewer/numbers/base64.js
  var AT_ONCE = 4096;
  var bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  function textOf({ buffer, byteOffset, byteLength }) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    let text = "";
    for (let i = 0; i < bytes.length; i += AT_ONCE) text += String.fromCharCode(...bytes.subarray(i, i + AT_ONCE));
    return btoa(text);
  }

  // vizapp/browser/page/base128.js
  var RARE = [0, 10, 13, 34, 38, 60, 92];
  var BEYOND = 160;
  function bytesOfSeptets(text, length) {
    const bytes = new Uint8Array(length);
    let [at, held, bits] = [0, 0, 0];
    for (let index2 = 0; index2 < text.length; index2++) {
      let letter = text.charCodeAt(index2);
      if (letter >= BEYOND) {
        held = held << 7 | RARE[letter - BEYOND >> 7];
        bits += 7;
        if (bits >= 8) bytes[at++] = held >> (bits -= 8);
        letter = letter - BEYOND & 127;
      }
      held = held << 7 | letter;
      bits += 7;
      if (bits >= 8) bytes[at++] = held >> (bits -= 8);
    }
    return bytes;
  }

  // vizapp/browser/page/cargo.js
  var Cargo = class {
    constructor() {
      this.about = JSON.parse(document.getElementById("about").textContent);
      this.had = /* @__PURE__ */ new Map();
    }
    /** Load a blob; once loaded, it stays in memory. @param {string} name @returns {Promise<Uint8Array>} */
    get(name3) {
      if (!this.had.has(name3)) this.had.set(name3, this.fetch(name3));
      return this.had.get(name3);
    }
    async fetch(name3) {
      const inside = (
        /** @type {HTMLScriptElement} */
        document.querySelector(`script[data-blob="${name3}"]`)
      );
      const packed = inside ? inlined(inside) : await this.sent(`data/${name3}.bin`);
      const unpacked = new Blob([
        /** @type {any} */
        packed
      ]).stream().pipeThrough(new DecompressionStream("gzip"));
      return inOrder(new Uint8Array(await new Response(unpacked).arrayBuffer()));
    }
    async sent(path) {
      const answer = await fetch(path);
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    }
  };
  var inlined = ({ type, textContent, dataset }) => type === "text/base64" ? bytesOf(textContent) : bytesOfSeptets(textContent, Number(dataset.bytes));
  function inOrder(bytes) {
    if (bytes[0] === 1) return bytes.slice(1);
    const ordered = new Uint8Array(bytes.length - 1);
    const seconds = Math.ceil(ordered.length / 2) + 1;
    for (let at = 0; at < ordered.length; at++) ordered[at] = bytes[at & 1 ? seconds + (at >> 1) : 1 + (at >> 1)];
    return ordered;
  }

  // vizapp/browser/page/chip.js
  function chip(root, desk2) {
    const { about: about2, words: words2 } = desk2;
    root.innerHTML = `
    <details id="model-chip"><summary><b></b></summary><div>
      <label class="model"><span></span><select></select></label>
      <label class="fit"><span></span><select></select></label>
    </div></details>`;
    const find2 = (css) => (
      /** @type {any} */
      root.querySelector(css)
    );
    const box = (
      /** @type {HTMLDetailsElement} */
      find2("details")
    );
    closing(box);
    find2("summary").title = words2.page.model_chip;
    find2(".model span").textContent = words2.page.model;
    find2(".fit span").textContent = words2.page.fit;
    find2(".fit").title = words2.page.fit_help;
    const title = (name3) => desk2.modelOf(name3)?.titles[desk2.language] ?? name3;
    const model = (
      /** @type {HTMLSelectElement} */
      find2(".model select")
    );
    model.append(...about2.models.map(({ name: name3 }) => new Option(title(name3), name3)));
    const fit = (
      /** @type {HTMLSelectElement} */
      find2(".fit select")
    );
    fit.append(...[AS_TRAINED, ...FITS].map((one) => new Option(words2.page[`fit_${one}`], one)));
    find2(".fit").hidden = !about2.models.some(({ blob }) => blob);
    const chosen2 = (part) => {
      box.open = false;
      desk2.look(part);
    };
    model.addEventListener("change", () => chosen2({ model: model.value }));
    fit.addEventListener("change", () => chosen2({ fit: fit.value }));
    return (choice) => {
      find2("b").textContent = title(choice.model);
      model.value = choice.model;
      fit.value = choice.fit;
      for (const option of model.options) {
        option.disabled = !desk2.can(option.value, choice.picture);
        option.textContent = option.disabled ? words2.export.modelElsewhere.replace("{name}", title(option.value)) : title(option.value);
      }
    };
  }

  // vizapp/browser/page/dark.js
  function dark() {
    const wanted = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => document.body.classList.toggle("dark", wanted.matches);
    wanted.addEventListener("change", apply);
    apply();
  }

  // vizapp/ui/viewer/state.js
  var isIn = (low, high) => (value) => typeof value === "number" && value >= low && value <= high;
  var oneOf = (initial, names) => ({
    initial,
    values: names,
    fits: (value) => names.includes(
      /** @type {string | null} */
      value
    ),
    write: (value) => value ?? "",
    read: (text) => text || null
  });
  var name = (initial) => ({
    initial,
    fits: (value) => value === null ? initial === null : typeof value === "string" && /^[^\p{C}<>&]{1,64}$/u.test(value),
    write: (value) => value ?? "",
    read: (text) => text || null
  });
  var number = (initial, low, high) => ({
    initial,
    fits: isIn(low, high),
    write: String,
    read: (text) => text.trim() ? Number(text) : null
  });
  var index = (initial, most = 1e6) => ({
    initial,
    fits: (value) => value === null ? initial === null : Number.isInteger(value) && isIn(0, most)(value),
    write: (value) => value === null ? "" : String(value),
    read: (text) => text.trim() ? Number(text) : null
  });
  var flag = (initial) => ({
    initial,
    values: [false, true],
    fits: (value) => typeof value === "boolean",
    write: (value) => value ? "1" : "0",
    read: (text) => ({ 1: true, 0: false })[text]
  });
  var place = () => ({
    initial: null,
    fits: (value) => value === null || Array.isArray(value) && value.length === 2 && value.every(isIn(-9, 9)),
    write: (value) => value ? value.join(",") : "",
    read: (text) => text ? text.split(",").map((share2) => share2.trim() ? Number(share2) : NaN) : null
  });
  var json = (initial, fits) => ({ initial, fits, write: JSON.stringify, read: JSON.parse });
  var passing = (key) => ({ ...key, passes: true });
  var moving = (key) => ({ ...key, moves: true });

  // vizapp/ui/viewer/keys.js
  var MOST_SHAPES = 500;
  var isPoint = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
  var isLine = (points) => Array.isArray(points) && points.length > 0 && points.every(isPoint);
  var isShape = (shape) => Array.isArray(shape?.box) ? shape.box.length === 4 && shape.box.every(Number.isFinite) : isLine(shape?.stroke ?? shape?.erase) && isPoint(shape.radius);
  var areShapes = (shapes) => Array.isArray(shapes) && shapes.length <= MOST_SHAPES && shapes.every(isShape);
  var areGuesses = (places) => places === null || Array.isArray(places) && places.length <= MOST_MARKS && places.every(isPoint);
  var isThing = (thing) => typeof thing?.name === "string" && thing.name.length <= THING_LETTERS && thing.at !== null && areGuesses(thing.at);
  var areThings = (things) => Array.isArray(things) && things.length <= MOST_THINGS && things.every(isThing);
  var KEYS = {
    // the query: the patch at a place, a token by its name, or, with neither, the query that the classifier reads
    place: place(),
    token: name(null),
    pinned: flag(false),
    hover: moving(passing(place())),
    // the patch under the mouse: the query if none is pinned, else only read out
    // which map
    layer: index(null),
    // null: no picture yet; the picture then chooses the layer on which it opens
    head: index(0),
    fusion: oneOf("mean", ["one", ...FUSIONS]),
    // "one": the head alone
    method: oneOf("attention", CHAINS),
    skipWeight: number(SKIP_WEIGHT, 0, 1),
    direction: oneOf("from", DIRECTIONS),
    crossBlock: index(null),
    // a block whose queries are not patches, shown in place of a layer; null: the layer is shown
    crossQuery: index(0),
    peek: moving(passing(json(null, (value) => value === null || isPoint(value)))),
    // [row, column] of the atlas under the mouse
    // how deep the visitor has gone, see zoom.js: at most one of `atlas`, `score`, `steps` and `teach` is true
    atlas: flag(false),
    // whether all maps are shown at once
    score: flag(false),
    // whether the map is compared with the object
    question: flag(false),
    // whether the question of a scene stands beside the picture, too, and not only beside the scores
    // how one number of the map is computed
    steps: flag(false),
    // whether the steps are shown
    number: place(),
    // the patch whose number it is; null: the one with the largest value
    // things that are taught by example
    teach: flag(false),
    // whether a click marks a patch
    things: json([], areThings),
    // [{name, at: places}]
    thing: passing(index(0)),
    // the one that a click marks
    labelled: passing(flag(true)),
    // whether the patches' labels are shown in place of the map
    taught: passing(json(null, (taught) => taught === null || Array.isArray(taught?.labels))),
    // {run, grid, things: how many, labels: [[thing, share], ...], these, prototypes}
    // the textbook
    chapter: name(null),
    // the open one
    guess: passing(json(null, areGuesses)),
    // the patches that a reader guesses the query looks at; meanwhile the map is hidden
    marked: passing(json([], areGuesses)),
    // the guessed patches, shown on the map afterwards
    // how it looks
    scale: oneOf("map", SCALES),
    fixed: number(0.05, 0, 1),
    // the value of the top colour of the fixed scale
    colours: name("viridis"),
    opacity: number(OPACITY, 0, 1),
    byValue: flag(true),
    smooth: flag(false),
    grid: flag(true),
    // how maps are scored against the object
    metric: name("energy"),
    outline: flag(true),
    hand: moving(passing(json(null, (hand) => hand === null || isPoint(hand?.at) && (!hand.from || isPoint(hand.from))))),
    // see key_pen.js
    tool: passing(oneOf(null, [null, ...TOOLS])),
    shapes: moving(json([], areShapes)),
    past: moving(passing(json([], (past) => Array.isArray(past) && past.every(areShapes)))),
    // for undo
    // sinks, [[row, col, share, first layer, last layer], ...] each; some runs send their maps without them, and are asked later
    sinks: flag(true),
    // find and mark them, and say how much attention they take
    sinksApart: flag(false),
    // leave them out of the colour scale
    sinksFound: passing(json({}, (found) => typeof found === "object" && found !== null))
  };
  var OF_FRAME = {
    guess: null,
    marked: [],
    tool: null,
    hand: null,
    shapes: [],
    past: []
  };
  var OF_PICTURE = {
    place: null,
    token: null,
    pinned: false,
    hover: null,
    number: null,
    direction: "from",
    question: true,
    ...OF_FRAME
  };

  // vizapp/browser/page/header.js
  function withHeader(packed, said) {
    if (!Object.keys(said).length) return packed;
    const length = new DataView(packed.buffer, packed.byteOffset).getUint32(4, true);
    const header = JSON.parse(new TextDecoder().decode(packed.subarray(8, 8 + length)));
    const text = new TextEncoder().encode(JSON.stringify({ ...header, ...said }));
    const whole = Math.ceil(text.length / 8) * 8;
    const made = new Uint8Array(8 + whole + packed.length - 8 - length).fill(32, 8, 8 + whole);
    made.set(packed.subarray(0, 4));
    new DataView(made.buffer).setUint32(4, whole, true);
    made.set(text, 8);
    made.set(packed.subarray(8 + length), 8 + whole);
    return made;
  }
  function withPicture(packed, other) {
    const [start, first] = [packed, other].map(({ buffer, byteOffset }) => 8 + new DataView(buffer, byteOffset).getUint32(4, true));
    const { blocks } = JSON.parse(new TextDecoder().decode(other.subarray(8, first)));
    const length = Math.ceil(blocks.picture[2][0] / 8) * 8;
    const made = new Uint8Array(packed.length + length);
    made.set(packed.subarray(0, start));
    made.set(other.subarray(first, first + length), start);
    made.set(packed.subarray(start), start + length);
    return made;
  }

  // vizapp/browser/page/kept.js
  var KEY = "vizapp-picture";
  var MOST = 3e6;
  function keep(name3, bytes, type) {
    forget();
    if (bytes.length > MOST) return;
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ name: name3, type, text: textOf(bytes) }));
    } catch {
    }
  }
  function kept() {
    try {
      const { name: name3, type, text } = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
      return { name: name3, type, bytes: bytesOf(text) };
    } catch {
      return null;
    }
  }
  function isKept() {
    try {
      return sessionStorage.getItem(KEY) !== null;
    } catch {
      return false;
    }
  }
  function forget() {
    try {
      sessionStorage.removeItem(KEY);
    } catch {
    }
  }

  // vizapp/browser/page/desk.js
  var PAUSE2 = 350;
  var PAGE = /^[1-9]\d{0,5}$/;
  var SLOW = 500;
  var Refused = class extends Error {
  };
  var Desk = class {
    /**
     * @param {import("./cargo.js").Cargo} cargo
     * @param {string} language
     * @param {import("./engine.js").Engine} engine
     */
    constructor(cargo2, language2, engine2) {
      const { about: about2 } = cargo2;
      this.cargo = cargo2;
      this.about = about2;
      this.language = language2;
      this.words = about2.languages[language2];
      this.engine = engine2;
      this.pictures = new Map(about2.pictures.map((one) => [one.name, one]));
      const before = kept();
      if (before) this.own(before.name, before.bytes, before.type);
      this.shown = null;
      this.wanted = null;
      this.viewer = null;
      this.timer = 0;
      this.said = (_said) => {
      };
      this.changed = (_choice) => {
      };
      addEventListener("popstate", () => this.open(location.hash));
      addEventListener("pagehide", () => this.write());
    }
    /** Connect the viewer once it exists. */
    attend(viewer2) {
      this.viewer = viewer2;
      viewer2.state.subscribe(() => this.later());
    }
    // ---- what is chosen
    /** Show what the address names, or the page's first picture. */
    begin() {
      const { start } = this.about;
      if (parse(location.hash)) return this.open(location.hash);
      return this.look({ ...start, page: "", fit: AS_TRAINED });
    }
    /** Show what a link names; parts that it leaves out are those of the start. @param {string} link */
    open(link) {
      const found = parse(link);
      if (!found) return null;
      const { v = "", model = "", page = "", fit = AS_TRAINED, edits, tab } = found.page;
      const picture = this.onBoard(found.page.picture ?? "");
      const { start } = this.about;
      const has = { picture: this.pictures.has(picture), model: this.about.models.some(({ name: name3 }) => name3 === model) };
      const isFit = [AS_TRAINED, ...FITS].includes(fit);
      const isPage = !page || PAGE.test(page);
      const choice = {
        picture: has.picture ? picture : start.picture,
        page: has.picture && isPage && page !== "1" ? page : "",
        model: has.model ? model : start.model,
        fit: isFit ? fit : AS_TRAINED
      };
      const isAnother = Boolean(picture && !has.picture);
      const isPartly = isAnother || model && !has.model;
      const strange = Object.entries({ v: v && !/^\d{1,8}$/.test(v), fit: !isFit, page: !isPage, edits, tab }).flatMap(
        ([key, is]) => is ? [key] : []
      );
      const says = [Number(v) > STATE_VERSION ? this.words.link.newer : "", isPartly ? this.words.export.notOnBoard : ""];
      return this.look(choice, { state: found.state, isAnother, says: this.viewer.words.told(says), strange });
    }
    // The nearest picture of a lesson that the page has. It holds a few of the lesson's forty, and "next" leads from one to
    // another.
    onBoard(name3) {
      const [, lesson, number2] = /^(lesson\/[a-z]+\/)(\d+)$/.exec(name3) ?? [];
      if (!lesson || this.pictures.has(name3)) return name3;
      const here = [...this.pictures.keys()].filter((one) => one.startsWith(lesson) && !one.endsWith("/bare"));
      const numbers = here.map((one) => Number(one.slice(lesson.length))).sort((a, b) => a - b);
      if (!numbers.length) return name3;
      const now = this.shown?.picture.startsWith(lesson) ? Number.parseInt(this.shown.picture.slice(lesson.length)) : NaN;
      const { of } = this.pictures.get(here[0]).asked[this.language];
      const isBack = (now - Number(number2) + of) % of === 1;
      const next = isBack ? numbers.findLast((one) => one <= Number(number2)) : numbers.find((one) => one >= Number(number2));
      return `${lesson}${next ?? numbers.at(isBack ? -1 : 0)}`;
    }
    /** The link of the current view; "" before the first map. */
    here() {
      if (!this.shown) return "";
      const { picture, page, model, fit } = this.shown;
      return write({ v: String(STATE_VERSION), picture, page, model, fit: fit === AS_TRAINED ? "" : fit }, this.viewer.toHash());
    }
    /** Whether the page can show this network's maps of this picture. @param {string} model @param {string} picture */
    can(model, picture) {
      return Boolean(this.modelOf(model)?.blob || this.about.maps[model]?.[picture]);
    }
    modelOf(name3) {
      return this.about.models.find((one) => one.name === name3);
    }
    /** Take a picture that the visitor brought; the name by which it can be chosen. @param {Uint8Array} bytes @param {string} type */
    bring(bytes, type) {
      let number2 = this.pictures.size;
      while (this.pictures.has(`upload/${number2}`)) number2 += 1;
      const name3 = `upload/${number2}`;
      this.own(name3, bytes, type);
      return name3;
    }
    own(name3, bytes, type) {
      this.pictures.set(name3, { name: name3, type, file: "", credit: "", asked: null, truth: [], drawn: false, notes: {}, bytes });
    }
    /** Show another page of the picture's file. @param {number} page */
    turn(page) {
      return this.look({ page: page > 1 ? String(page) : "" });
    }
    /**
     * Bring a choice to the stage; parts that it leaves out stay. If several follow quickly, only the last one is shown.
     * @param {Partial<Choice>} part
     * @param {{state?: string | null, isAnother?: boolean, says?: string, strange?: string[]}} [how] `state`: of the view, as a link has it; null: the view
     *   stays. `isAnother`: the link's picture is not here, so what was marked on it is left out. `strange`: keys of the link that
     *   are not understood
     */
    async look(part, { state = null, isAnother = false, says = "", strange = [] } = {}) {
      let said = says;
      const restore = () => {
        said = this.viewer.words.told([says, this.viewer.follow(state, strange)]);
        if (isAnother) this.viewer.state.set(OF_PICTURE);
      };
      const now = this.wanted ?? this.shown ?? { ...this.about.start, page: "", fit: AS_TRAINED };
      const choice = { ...now, ..."picture" in part ? { page: "" } : {}, ...part };
      if (this.shown && same(choice, this.shown)) {
        this.wanted = null;
        if (state !== null) restore();
        this.settle(choice, said);
        return;
      }
      this.wanted = choice;
      this.viewer.choose(JSON.stringify(choice));
      this.changed(choice);
      const isStale = () => this.wanted !== choice;
      try {
        const { payload, run } = await this.maps(choice, isStale);
        if (isStale()) return;
        if (state !== null) this.viewer.arrives = () => (restore(), true);
        await this.viewer.showHere(payload, run);
        if (isStale()) return;
        const before = this.shown;
        this.wanted = null;
        this.shown = choice;
        const own = this.pictures.get(choice.picture);
        if (own?.bytes && before?.picture !== own.name) keep(own.name, own.bytes, own.type);
        this.settle(choice, said);
        this.write(before && state === null ? "push" : "replace");
      } catch (error) {
        if (isStale()) return;
        this.wanted = null;
        this.settle(
          this.shown ?? choice,
          error instanceof Refused ? error.message : `${this.words.export.failed} ${error.message}`
        );
      } finally {
        this.viewer.arrives = () => false;
      }
    }
    settle(choice, says) {
      this.viewer.settle(JSON.stringify(choice));
      this.changed(choice);
      this.said(says);
    }
    // ---- maps
    async maps(choice, isStale) {
      const { picture, page, model, fit } = choice;
      const run = JSON.stringify(choice);
      const ready = fit === AS_TRAINED && !page ? this.about.maps[model]?.[picture] : null;
      if (ready) return { payload: withHeader(await this.cargo.get(ready.payload), ready.headers[this.language] ?? {}), run };
      const network = this.modelOf(model);
      const begun = performance.now();
      if (!network?.blob) throw new Refused(this.words.export.mapsOnly);
      const shown = this.pictures.get(picture);
      const caution = network.subject === "scenes" && !shown.drawn ? this.words.page.caution_scenes : "";
      const said = {
        words: this.words.export,
        // The caution says the same as the network's own, and at the labels.
        notes: [...caution ? [] : network.notes[this.language] ?? [], ...shown.notes[this.language] ?? []],
        lesson: shown.asked?.[this.language] ?? null,
        caution,
        truth: shown.truth.map(({ names, object }) => ({ name: names[this.language], object }))
      };
      const masks = await Promise.all(shown.truth.map(({ mask }) => this.cargo.get(mask)));
      const payload = await this.engine.look({
        run,
        model,
        network: () => this.given(model),
        file: shown.bytes ?? await this.cargo.get(shown.file),
        type: shown.type,
        page: Number(page || 1),
        fit: fit === AS_TRAINED ? null : fit,
        said,
        masks,
        far: (share2) => isStale() || performance.now() - begun < SLOW || this.said(this.words.export.looking.replace("{percent}", `${Math.round(100 * share2)}`))
      });
      return { payload, run };
    }
    // A network's file, and its labels in the visitor's language if that has its own.
    async given(model) {
      const { blob, labels } = this.modelOf(model);
      return { bytes: await this.cargo.get(blob), labels: labels[this.language] ?? null };
    }
    /** What the classifier's query attends to in a frame. @param {string} model @param {ImageData} frame its pixels go away */
    glance(model, frame2) {
      const { fit } = this.wanted ?? this.shown ?? { fit: AS_TRAINED };
      return this.engine.glance({ model, network: () => this.given(model), frame: frame2, fit: fit === AS_TRAINED ? null : fit });
    }
    /** Answer the viewer's questions: from the answers stored in the page, or by the engine. @param {any[]} asked */
    async ask([kind, run, what]) {
      const { picture, model } = JSON.parse(run);
      if (kind === "saving") return this.origin(run, picture, model);
      const answer = this.about.answers[model]?.[picture]?.[this.language]?.[`${kind} ${JSON.stringify(what)}`];
      if (answer) return answer;
      const moment = kind === "moments" && this.about.moments[model]?.[picture]?.[what];
      if (moment) return this.moment(moment, this.about.maps[model][picture]);
      if (this.modelOf(model)?.blob) return this.engine.ask(kind, run, what, this.words.export);
      return kind === "maps" ? {} : { why: this.words.export.needsServer };
    }
    // The provenance for a saved file: the stored one for maps that were made beforehand, or what the page knows.
    async origin(run, picture, model) {
      const known = this.about.maps[model]?.[picture];
      if (known && !this.modelOf(model)?.blob) return { about: known.about };
      const made = { ...this.modelOf(model).about, program: "vizapp, in the browser", date: (/* @__PURE__ */ new Date()).toISOString() };
      const { about: about2 } = await this.engine.ask("saving", run, null, this.words.export);
      return { about: { ...made, ...about2 } };
    }
    // Maps of the same picture at another step of a film, as the server sends them.
    async moment({ payload, headers, sinks }, start) {
      const whole = withPicture(await this.cargo.get(payload), await this.cargo.get(start.payload));
      const said = withHeader(whole, headers[this.language] ?? {});
      return { maps: textOf(said), run: "", sinks };
    }
    // ---- the address
    /** Resolves when the address names what is shown: nothing is being opened, and nothing is to be written. */
    async idle() {
      while (this.wanted || this.timer) await new Promise(requestAnimationFrame);
    }
    later() {
      this.timer ||= window.setTimeout(() => this.write(), PAUSE2);
    }
    /** @param {"replace" | "push"} how */
    write(how = "replace") {
      clearTimeout(this.timer);
      this.timer = 0;
      const hash = this.here();
      if (!hash || this.wanted || hash === location.hash) return;
      try {
        history[`${how}State`](null, "", location.pathname + location.search + hash);
      } catch {
        if (how === "replace") this.timer = window.setTimeout(() => this.write(), 3e4);
      }
    }
  };
  var same = (one, other) => written(one) === written(other);

  // vizapp/browser/engine/blobs.js
  var reading = {
    /** @param {Blob} blob @param {ImageBitmapOptions} [options] @returns {Promise<ImageBitmap>} */
    bitmap: (blob, options) => createImageBitmap(blob, options),
    /** @param {Blob} blob @returns {Promise<Uint8Array>} */
    bytes: async (blob) => new Uint8Array(await blob.arrayBuffer())
  };

  // vizapp/browser/page/engine.js
  var Engine = class {
    /** @param {() => Promise<string>} script address of the worker @param {Record<string, string>} words */
    constructor(script, words2) {
      this.script = script;
      this.words = words2;
      this.worker = null;
      this.open = /* @__PURE__ */ new Map();
      this.number = 0;
      this.has = /* @__PURE__ */ new Map();
    }
    /**
     * Maps of a picture, as a payload of the viewer.
     * @param {{run: string, model: string, network: () => Promise<Given>, file: Uint8Array, type: string, page: number,
     *   fit: string | null, said: any, masks: Uint8Array[], far: (share: number) => void}} asked `far` is called with the share of the layers that is done
     * @returns {Promise<Uint8Array | null>} null if another picture was requested meanwhile
     */
    async look({ model, network, far, ...asked }) {
      await this.give(model, network);
      return this.tell("look", { model, ...asked }, far);
    }
    /**
     * What the classifier's query attends to in a frame; see engine/glance.js.
     * @param {{model: string, network: () => Promise<Given>, frame: ImageData, fit: string | null}} asked the pixels of `frame`
     *   are transferred to the Worker
     * @returns {Promise<import("../engine/glance.js").Glance>}
     */
    async glance({ model, network, frame: frame2, fit }) {
      await this.give(model, network);
      return this.tell("glance", { model, frame: frame2, fit }, void 0, [frame2.data.buffer]);
    }
    async give(model, network) {
      if (!this.has.has(model)) {
        const given = network().then((its) => this.tell("open", { model, ...its }));
        this.has.set(model, given);
        given.catch(() => this.has.delete(model));
      }
      return this.has.get(model);
    }
    /** Answer a panel's question about maps that the engine made. */
    async ask(kind, run, what, words2) {
      return this.tell("ask", { kind, run, what, words: words2 });
    }
    /** Run work of many passes (engine/explaining.js). `far` is called with the share that is done. Null if it was stopped, or if
     * other such work or a picture was requested meanwhile.
     * @param {"classes" | "explain" | "judge" | "chance"} call @param {any} what @param {(share: number) => void} [far] */
    async atLength(call, what, far = () => {
    }) {
      return this.tell(call, what, far);
    }
    /** Stop the work of `atLength`. */
    async stop() {
      return this.tell("stop", {});
    }
    /** @param {string} call @param {any} what @param {(share: number) => void} [far] @param {Transferable[]} [given] away */
    tell(call, what, far, given = []) {
      this.worker ??= this.begun();
      this.number += 1;
      const number2 = this.number;
      return new Promise((done, failed) => {
        this.open.set(number2, { done, failed, far });
        this.worker.then((worker) => worker.postMessage({ number: number2, call, ...what }, given), failed);
      });
    }
    async begun() {
      const worker = new Worker(await this.script());
      worker.addEventListener(
        "message",
        ({ data: { question, read, blob, options, number: number2, done: share2, answer, refused, error } }) => {
          if (question) return this.readFor(worker, question, read, blob, options);
          const { done, failed, far } = this.open.get(number2);
          if (share2 !== void 0) return far(share2);
          this.open.delete(number2);
          if (refused) failed(new Refused(this.worded(refused)));
          else if (error) failed(new Error(error));
          else done(answer);
          return void 0;
        }
      );
      worker.addEventListener("error", (event) => {
        for (const { failed } of this.open.values()) failed(new Error(event.message));
        this.open.clear();
      });
      return worker;
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
      return (this.words[key] ?? key).replace(/\{(\w+)\}/g, (_, name3) => String(values[name3]));
    }
  };

  // vizapp/ui/incoming/frames.js
  var RATE = 10;
  var SIDE = 640;
  var FILM = /\.(mp4|m4v|webm|mov|ogv|mkv)$/i;
  var MANY = 1e7;
  var QUALITY = 0.92;
  var isFilm = ({ type, name: name3 }) => type.startsWith("video/") || FILM.test(name3);
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
      frame: async (number2) => {
        await seek((number2 + 0.5) * video.duration / count);
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
      frame: async (number2) => {
        const { image } = await decoder.decode({ frameIndex: Math.floor(number2 * whole / count) });
        const canvas = drawn(image, image.displayWidth, image.displayHeight);
        image.close();
        return canvas;
      },
      close: () => decoder.close()
    };
  }
  function drawn(picture, width, height) {
    const scale = Math.min(1, SIDE / Math.max(width, height));
    return framed2(picture, Math.round(width * scale), Math.round(height * scale));
  }
  function framed2(picture, width, height) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d", { willReadFrequently: true }).drawImage(picture, 0, 0, width, height);
    return canvas;
  }
  var jpegOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));

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

  // vizapp/ui/viewer/numbers/format.js
  function percent(share2) {
    const value = Math.abs(100 * share2);
    const digits2 = value < 5e-4 || value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3;
    return `${share2 < 0 ? "−" : ""}${value.toFixed(digits2)} %`;
  }

  // vizapp/ui/viewer/drawing/bar.js
  function barOf(colour, canvas = Object.assign(document.createElement("canvas"), { width: 256, height: 1 })) {
    const context = canvas.getContext("2d");
    for (let i = 0; i < 256; i++) {
      context.fillStyle = colour.css(i / 255);
      context.fillRect(i, 0, 1, 1);
    }
    return canvas;
  }

  // vizapp/ui/viewer/drawing/colour.js
  var ColourMap = class {
    // `base64` holds 256 RGB triples.
    constructor(base64) {
      this.table = bytesOf(base64);
      this.packed = Uint32Array.from(
        { length: 256 },
        (_, i) => this.table[3 * i] | this.table[3 * i + 1] << 8 | this.table[3 * i + 2] << 16
      );
    }
    css(share2) {
      const at = 3 * stepOf(share2);
      return `rgb(${this.table[at]}, ${this.table[at + 1]}, ${this.table[at + 2]})`;
    }
    // Write the patches of one map into RGBA pixels (Uint32Array). `high` is the value of the top colour; alpha is 0..255. A patch
    // out of `reach` has no colour: it is clear.
    fill(pixels, width, x, y, values, first, [rows, cols], high, alpha, reach = null) {
      const top = alpha << 24;
      let from = first;
      for (let row = 0; row < rows; row++) {
        let to = (y + row) * width + x;
        for (let col = 0; col < cols; col++, from++) {
          pixels[to++] = reach && !reach[from] ? 0 : top | this.packed[stepOf(shareOf(values[from], high))];
        }
      }
    }
  };
  function shareOf(value, high) {
    return Math.min(1, Math.max(0, value / high));
  }
  function stepOf(share2) {
    return Math.min(255, Math.floor(256 * share2));
  }

  // vizapp/ui/viewer/numbers/teaching.js
  var COLOURS = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#f0e442"];

  // vizapp/ui/viewer/drawing/hatch.js
  var SPACING = 7;
  var BRIGHT = [255, 255, 255, 150];
  var DARK = [0, 0, 0, 150];
  var tiles = /* @__PURE__ */ new Map();
  function filled(context, spacing, ratio, trace) {
    const side = Math.max(3, Math.round(spacing * ratio));
    if (!tiles.has(side)) tiles.set(side, tileOf(side, Math.max(1, Math.round(ratio))));
    context.fillStyle = context.createPattern(tiles.get(side), "repeat");
    context.beginPath();
    trace();
    context.fill();
  }
  function tileOf(side, line) {
    const tile = Object.assign(document.createElement("canvas"), { width: side, height: side });
    const image = new ImageData(side, side);
    for (let i = 0; i < side * side; i++) {
      const at = (Math.floor(i / side) + i % side) % side;
      if (at < 2 * line) image.data.set(at < line ? BRIGHT : DARK, 4 * i);
    }
    tile.getContext("2d").putImageData(image, 0, 0);
    return tile;
  }
  function hatchPatches(context, { x, y, w, h }, { grid: [rows, cols], first }, reach, ratio) {
    filled(context, SPACING, ratio, () => {
      for (let i = 0; i < rows * cols; i++) {
        if (reach[first + i]) continue;
        const [row, col] = [Math.floor(i / cols), i % cols];
        context.rect(x + col * w / cols, y + row * h / rows, w / cols, h / rows);
      }
    });
  }

  // vizapp/ui/viewer/drawing/measured.js
  var Measured = class {
    /** @param {Element} element @param {() => number[]} read [width, ...]; without a width, as where it is hidden, nothing is kept */
    constructor(element, read) {
      this.read = read;
      this.value = [0];
      const forget2 = () => this.value = [0];
      new ResizeObserver(forget2).observe(element);
      addEventListener("resize", forget2);
    }
    get now() {
      if (!this.value[0]) this.value = this.read();
      return this.value;
    }
  };

  // vizapp/ui/viewer/drawing/stage.js
  var Stage = class {
    // `size` {width, height, ratio}: for a canvas outside the page, with `ratio` device pixels per css pixel.
    constructor(canvas, size = null) {
      this.canvas = canvas;
      this.size = size;
      this.onPage = size ? null : new Measured(canvas, () => [canvas.clientWidth, canvas.clientHeight]);
      this.cells = document.createElement("canvas");
      this.ground = document.createElement("canvas");
      this.lines = { canvas: document.createElement("canvas"), outlines: null, of: "" };
      this.bitmap = null;
      this.window = [0, 0, 1, 1];
      this.grid = [1, 1];
      this.box = null;
    }
    // Take another picture, or another model that looks at another part of it.
    setPicture(payload) {
      this.bitmap = payload.bitmap;
      this.window = payload.window;
      this.ground.width = 0;
    }
    // Fit canvas and picture to the width on the page; the picture is centred in the canvas.
    resize() {
      const [width, height] = this.onPage?.now ?? [this.size.width, this.size.height];
      const ratio = this.size?.ratio ?? (window.devicePixelRatio || 1);
      if (!width || !this.bitmap) return false;
      this.ratio = ratio;
      if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
      }
      const scale = Math.min(this.canvas.width / this.bitmap.width, this.canvas.height / this.bitmap.height);
      const w = this.bitmap.width * scale;
      const h = this.bitmap.height * scale;
      this.box = { x: (this.canvas.width - w) / 2, y: (this.canvas.height - h) / 2, w, h };
      if (this.ground.width !== this.canvas.width || this.ground.height !== this.canvas.height) this.drawGround();
      return true;
    }
    // The model's whole input in canvas pixels; it reaches outside the picture where the model's pixels were padded.
    inputBox() {
      const { x, y, w, h } = this.box;
      const [left, top, right, bottom] = this.window;
      return { x: x + left * w, y: y + top * h, w: (right - left) * w, h: (bottom - top) * h };
    }
    // Paint picture and heatmap. `view`: values and their layout, queries (the layout whose patches can be asked), reach,
    // high, map, opacity, byValue, smooth, showGrid, marks, outlines, inputSize.
    draw(view) {
      this.grid = view.queries.grid;
      if (!this.resize()) return;
      const context = this.canvas.getContext("2d");
      const input = this.inputBox();
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      context.drawImage(this.ground, 0, 0);
      context.save();
      this.clipToSeen(context, input);
      if (view.values) this.drawHeat(context, input, view);
      if (view.labels) this.drawLabels(context, input, view.labels, view.opacity);
      if (view.reach) {
        if (view.showGrid) this.drawGrid(context, input);
        this.drawReach(context, input, view.layout, view.reach);
        for (const outline of view.outlines) this.drawOutline(context, input, outline, view.inputSize);
      } else if (view.showGrid || view.outlines.length) context.drawImage(this.linesOf(view, input), 0, 0);
      context.restore();
      for (const mark2 of view.marks) this.drawMark(context, input, mark2);
    }
    // Draw the picture in colour where the model looked, in grey elsewhere. It is kept for a picture and a size, because scaling
    // and greying a photograph would take longer than the rest of a frame.
    drawGround() {
      const { x, y, w, h } = this.box;
      this.ground.width = this.canvas.width;
      this.ground.height = this.canvas.height;
      const context = this.ground.getContext("2d");
      context.filter = "grayscale(1) contrast(0.6) brightness(0.6)";
      context.drawImage(this.bitmap, x, y, w, h);
      context.filter = "none";
      this.clipToSeen(context, this.inputBox());
      context.drawImage(this.bitmap, x, y, w, h);
    }
    // Clip drawing to the part of the picture where the model looked.
    clipToSeen(context, input) {
      for (const { x, y, w, h } of [this.box, input]) {
        context.beginPath();
        context.rect(x, y, w, h);
        context.clip();
      }
    }
    // Grid and outlines. They are drawn once and kept while values change, because stroking them takes as long as the rest of a
    // frame.
    linesOf({ showGrid, outlines, inputSize }, input) {
      const { lines } = this;
      const { width, height } = this.canvas;
      const of = [width, height, ...Object.values(this.box), ...Object.values(input), this.grid, showGrid].join();
      if (lines.of === of && (lines.outlines === outlines || !(lines.outlines.length + outlines.length))) return lines.canvas;
      Object.assign(lines, { outlines, of });
      Object.assign(lines.canvas, { width, height });
      const context = lines.canvas.getContext("2d");
      this.clipToSeen(context, input);
      if (showGrid) this.drawGrid(context, input);
      for (const outline of outlines) this.drawOutline(context, input, outline, inputSize);
      return lines.canvas;
    }
    drawHeat(context, input, view) {
      const { grid, first } = view.layout;
      const [rows, cols] = grid;
      const image = new ImageData(cols, rows);
      view.map.fill(new Uint32Array(image.data.buffer), cols, 0, 0, view.values, first, grid, view.high, 255);
      for (let i = 0; i < rows * cols; i++) {
        if (view.reach && !view.reach[first + i]) {
          image.data[4 * i + 3] = 0;
          continue;
        }
        const fade = view.byValue ? Math.sqrt(shareOf(view.values[first + i], view.high)) : 1;
        image.data[4 * i + 3] = 255 * view.opacity * fade;
      }
      if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
      this.cells.getContext("2d").putImageData(image, 0, 0);
      context.imageSmoothingEnabled = view.smooth;
      context.imageSmoothingQuality = "high";
      context.drawImage(this.cells, input.x, input.y, input.w, input.h);
      if (!view.reach || !view.opacity) return;
      context.globalAlpha = view.opacity;
      hatchPatches(context, input, view.layout, view.reach, this.ratio);
      context.globalAlpha = 1;
    }
    // Paint each patch in the colour of its thing, the stronger the surer; an undecided patch stays clear.
    drawLabels(context, input, { grid: [rows, cols], things, labels }, opacity) {
      const image = new ImageData(cols, rows);
      labels.forEach(([thing, share2], i) => {
        const colour = Number.parseInt(COLOURS[thing].slice(1), 16);
        const sure = Math.sqrt(Math.max(0, (share2 - 1 / things) / (1 - 1 / things)));
        image.data.set([colour >> 16, colour >> 8 & 255, colour & 255, 255 * opacity * sure], 4 * i);
      });
      if (this.cells.width !== cols || this.cells.height !== rows) Object.assign(this.cells, { width: cols, height: rows });
      this.cells.getContext("2d").putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.cells, input.x, input.y, input.w, input.h);
    }
    drawGrid(context, input) {
      const [rows, cols] = this.grid;
      context.beginPath();
      for (let row = 1; row < rows; row++) {
        context.moveTo(input.x, input.y + row * input.h / rows);
        context.lineTo(input.x + input.w, input.y + row * input.h / rows);
      }
      for (let col = 1; col < cols; col++) {
        context.moveTo(input.x + col * input.w / cols, input.y);
        context.lineTo(input.x + col * input.w / cols, input.y + input.h);
      }
      context.strokeStyle = `rgba(255, 255, 255, ${rows * cols > 1200 ? 0.08 : 0.16})`;
      context.lineWidth = this.size ? this.ratio : 1;
      context.stroke();
    }
    // Outline a patch: white with a black halo, which is seen on any picture. kind: "query", "pinned", "read", or "sink",
    // which is a diamond.
    // `reach`: how many patches around it belong to it, as far as there are some.
    drawMark(context, input, { cell: [row, col], grid: [rows, cols], kind, colour: own = "white", reach = 0 }) {
      const w = input.w / cols;
      const h = input.h / rows;
      const [left, top] = [Math.max(0, col - reach), Math.max(0, row - reach)];
      const [right, bottom] = [Math.min(cols, col + reach + 1), Math.min(rows, row + reach + 1)];
      const { ratio } = this;
      const line = (kind === "pinned" ? 3 : 2) * ratio;
      const [x, y] = [input.x + col * w, input.y + row * h];
      const shape = new Path2D();
      if (kind === "sink")
        for (const [right2, down] of [
          [0.5, 0.1],
          [0.9, 0.5],
          [0.5, 0.9],
          [0.1, 0.5]
        ])
          shape.lineTo(x + right2 * w, y + down * h);
      else shape.rect(input.x + left * w, input.y + top * h, (right - left) * w, (bottom - top) * h);
      shape.closePath();
      context.setLineDash(kind === "read" ? [4 * ratio, 3 * ratio] : []);
      for (const [colour, width] of [
        ["black", line + 2 * ratio],
        [own, line]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.stroke(shape);
      }
      context.setLineDash([]);
    }
    // A thin line around the patches that the query can see in its window.
    drawReach(context, input, { grid: [rows, cols], first }, reach) {
      const isIn2 = (row, col) => row >= 0 && col >= 0 && row < rows && col < cols && reach[first + row * cols + col];
      const x = (col) => input.x + col * input.w / cols;
      const y = (row) => input.y + row * input.h / rows;
      context.beginPath();
      for (let row = 0; row < rows; row++) {
        for (let col = 0; col < cols; col++) {
          if (!isIn2(row, col)) continue;
          for (const [down, right, ...ends] of [
            [-1, 0, 0, 0, 0, 1],
            [1, 0, 1, 0, 1, 1],
            [0, -1, 0, 0, 1, 0],
            [0, 1, 0, 1, 1, 1]
          ]) {
            if (isIn2(row + down, col + right)) continue;
            context.moveTo(x(col + ends[1]), y(row + ends[0]));
            context.lineTo(x(col + ends[3]), y(row + ends[2]));
          }
        }
      }
      const { ratio } = this;
      context.lineCap = "square";
      for (const [colour, line] of [
        ["rgba(0, 0, 0, 0.6)", 3 * ratio],
        ["white", ratio]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.stroke();
      }
    }
    // Outline a known thing, `path` in the model's pixels: bright with a dark halo; dashed if it is not an object.
    drawOutline(context, input, { path, top, name: name3, object }, [height, width]) {
      if (!top) return;
      const { ratio } = this;
      const placed = new Path2D();
      const matrix = new DOMMatrix([input.w / width, 0, 0, input.h / height, input.x, input.y]);
      placed.addPath(path, matrix);
      context.lineCap = "round";
      for (const [colour, line] of [
        ["rgba(0, 0, 0, 0.75)", 4 * ratio],
        [object ? "#5eead4" : "#fb923c", 2 * ratio]
      ]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.stroke(placed);
      }
      if (name3) this.drawName(context, name3, matrix.transformPoint(new DOMPoint(...top)), ratio);
    }
    // On a large stage, which is looked at from far away, the letters are larger.
    drawName(context, name3, { x, y }, pixels) {
      const ratio = pixels * Math.max(1, this.canvas.width / pixels / 560);
      context.font = `${12 * ratio}px sans-serif`;
      context.textBaseline = "middle";
      context.textAlign = "left";
      const wide = context.measureText(name3).width + 8 * ratio;
      const tall = 17 * ratio;
      const { x: left0, y: top0, w, h } = this.box;
      const left = Math.min(left0 + w - wide, Math.max(left0, x - wide / 2));
      const top = Math.min(top0 + h - tall, Math.max(top0, y - tall - 4 * ratio));
      context.fillStyle = "rgba(0, 0, 0, 0.7)";
      context.fillRect(left, top, wide, tall);
      context.fillStyle = "white";
      context.fillText(name3, left + 4 * ratio, top + tall / 2);
    }
    // [x, y] of a mouse event as fractions of the picture, clamped to its edges; null before there is a picture.
    pointAt(event) {
      if (!this.box) return null;
      const area = this.canvas.getBoundingClientRect();
      const px = (event.clientX - area.left) * this.canvas.width / area.width;
      const py = (event.clientY - area.top) * this.canvas.height / area.height;
      const inside = (share2) => Math.min(1, Math.max(0, share2));
      return [inside((px - this.box.x) / this.box.w), inside((py - this.box.y) / this.box.h)];
    }
    // Like `pointAt`, but null outside the picture.
    placeAt(event) {
      if (!this.box) return null;
      const area = this.canvas.getBoundingClientRect();
      const px = (event.clientX - area.left) * this.canvas.width / area.width;
      const py = (event.clientY - area.top) * this.canvas.height / area.height;
      const { x, y, w, h } = this.box;
      if (px < x || py < y || px >= x + w || py >= y + h) return null;
      return [(px - x) / w, (py - y) / h];
    }
  };

  // vizapp/browser/page/moving.js
  var DARK2 = "rgba(2, 6, 23, 0.6)";
  var MovingStage = class extends Stage {
    drawGround() {
      const { x, y, w, h } = this.box;
      Object.assign(this.ground, { width: this.canvas.width, height: this.canvas.height });
      const context = this.ground.getContext("2d");
      context.drawImage(this.bitmap, x, y, w, h);
      const input = this.inputBox();
      const rest = new Path2D();
      rest.rect(x, y, w, h);
      rest.rect(input.x, input.y, input.w, input.h);
      context.save();
      context.beginPath();
      context.rect(x, y, w, h);
      context.clip();
      context.fillStyle = DARK2;
      context.fill(rest, "evenodd");
      context.restore();
    }
  };
  var Moving = class {
    /** @param {HTMLElement} root which gets the stage as its first child @param {import("./desk.js").Desk} desk */
    constructor(root, desk2) {
      const { words: words2, about: about2 } = desk2;
      this.desk = desk2;
      this.words = words2.export;
      this.root = root;
      this.box = document.createElement("section");
      this.box.id = "moving";
      this.box.hidden = true;
      this.box.innerHTML = `
      <div class="line"><h2></h2><span class="rate" role="status"></span><span class="own"></span><button type="button" class="freeze"></button><button type="button" class="end"></button></div>
      <canvas class="stage" role="img"></canvas>
      <div class="line times"></div>
      <div class="line">
        <label class="layer"><span></span> <input type="range" min="1" step="1"> <output></output></label>
        <label class="head"><span></span> <select></select></label>
      </div>
      <div class="line scale"><span>0</span><canvas width="256" height="1"></canvas><span class="high"></span><button type="button" class="anew"></button></div>
      <p class="kept"></p>`;
      this.box.moving = this;
      root.prepend(this.box);
      this.colour = new ColourMap(Object.values(about2.colours)[0]);
      this.stage = new MovingStage(this.find(".stage"));
      barOf(this.colour, this.find(".scale canvas"));
      this.find(".layer span").textContent = words2.viewer.layer;
      this.find(".head span").textContent = words2.viewer.head;
      this.find(".freeze").textContent = this.words.freeze;
      this.find(".freeze").title = this.words.freezeHelp;
      this.find(".anew").textContent = this.words.scaleAnew;
      this.layer = -1;
      this.head = -1;
      this.now = null;
      this.over = null;
      this.highest = "";
      this.holdsModel = false;
      this.highOf = (_layer, _head) => 0;
      this.ended = () => {
      };
      this.shown = [];
      this.find(".layer input").addEventListener("input", ({ target: target2 }) => this.choose({ layer: Number(target2.value) - 1 }));
      this.find(".head select").addEventListener("change", ({ target: target2 }) => this.choose({ head: Number(target2.value) }));
      this.find(".end").addEventListener("click", () => this.close());
      new ResizeObserver(() => this.draw()).observe(this.find(".stage"));
    }
    /** @returns {any} */
    find(css) {
      return this.box.querySelector(css);
    }
    /**
     * @param {{title: string, end: string, kept: string, highest: string, holdsModel?: boolean, freeze: () => void, ended: () => void, anew?: () => void,
     *   highOf: (layer: number, head: number) => number}} how `highOf`: the value of the top colour, `highest` says it; `holdsModel`: another model ends it; `ended`: it was closed
     */
    open({ title, end, kept: kept3, highest, freeze, ended, anew, holdsModel = false, highOf }) {
      this.close();
      this.highest = highest;
      this.holdsModel = holdsModel;
      this.over = this.desk.wanted ?? this.desk.shown;
      this.highOf = highOf;
      this.ended = ended;
      this.now = null;
      this.shown = [];
      this.find("h2").textContent = title;
      this.find(".end").textContent = end;
      this.find(".kept").textContent = kept3;
      this.find(".rate").textContent = this.words.starting;
      this.find(".freeze").onclick = freeze;
      this.find(".freeze").disabled = true;
      this.find(".anew").hidden = !anew;
      this.find(".anew").onclick = anew;
      this.find(".times").replaceChildren();
      this.find(".own").replaceChildren();
      this.box.hidden = false;
      this.root.classList.add("moving");
      this.box.scrollIntoView({ block: "nearest" });
    }
    /** Close if something else was chosen. @param {import("./desk.js").Choice} choice */
    follow({ picture, model, fit }) {
      const { over } = this;
      if (picture !== over?.picture || this.holdsModel && (model !== over.model || fit !== over.fit)) this.close();
    }
    get isOpen() {
      return !this.box.hidden;
    }
    /** Close, and bring the viewer back. */
    close() {
      if (!this.isOpen) return;
      const { ended } = this;
      this.ended = () => {
      };
      this.box.hidden = true;
      this.root.classList.remove("moving");
      ended();
    }
    /** Show a frame with its map. */
    show(picture, found) {
      const isFirst = !this.now || this.now.found.layers !== found.layers || this.now.found.heads !== found.heads;
      this.now = { picture, found };
      if (isFirst) this.offer(found);
      this.find(".freeze").disabled = false;
      this.draw();
    }
    // Offer the layers and heads of this network, beginning with the layer that the viewer shows.
    offer({ layers, heads }) {
      const view = this.desk.viewer.state;
      if (this.layer < 0) this.layer = view.get("layer") ?? layers - 1;
      this.layer = Math.min(this.layer, layers - 1);
      this.head = Math.min(this.head, heads - 1);
      Object.assign(this.find(".layer input"), { max: layers, value: this.layer + 1 });
      this.find(".layer output").textContent = `${this.layer + 1} / ${layers}`;
      const names = [[this.words.meanOfHeads, -1], ...Array.from({ length: heads }, (_, head) => [String(head + 1), head])];
      this.find(".head select").replaceChildren(...names.map(([name3, head]) => new Option(String(name3), String(head))));
      this.find(".head select").value = String(this.head);
    }
    choose(part) {
      Object.assign(this, part);
      if (this.now) this.find(".layer output").textContent = `${this.layer + 1} / ${this.now.found.layers}`;
      this.draw();
    }
    draw() {
      if (!this.now || !this.isOpen) return;
      const { picture, found } = this.now;
      const high = this.highOf(this.layer, this.head);
      this.stage.setPicture({ bitmap: picture, window: found.window });
      this.stage.draw({
        values: valuesOf(found, this.layer, this.head),
        layout: { grid: found.tokens.grid, first: found.tokens.prefix.length },
        queries: { grid: found.tokens.grid },
        high: high || 1,
        map: this.colour,
        opacity: OPACITY,
        byValue: true,
        smooth: false,
        showGrid: false,
        reach: null,
        marks: [],
        outlines: [],
        inputSize: [1, 1]
      });
      this.find(".high").textContent = this.highest.replace("{share}", percent(high));
    }
    say(text) {
      this.find(".rate").textContent = text;
    }
  };
  function valuesOf({ rows, heads, tokens: { prefix, grid } }, layer, head) {
    const n = prefix.length + grid[0] * grid[1];
    const of = (one) => rows.subarray((layer * heads + one) * n, (layer * heads + one + 1) * n);
    if (head >= 0) return of(head);
    const mean = new Float32Array(n);
    for (let one = 0; one < heads; one++) of(one).forEach((value, token) => mean[token] += value / heads);
    return mean;
  }
  function largestOf(found) {
    const { layers, heads, tokens } = found;
    const made = new Float32Array(layers * (heads + 1));
    for (let layer = 0; layer < layers; layer++) {
      for (let head = -1; head < heads; head++) {
        const values = valuesOf(found, layer, head).subarray(tokens.prefix.length);
        made[placeOf(found, layer, head)] = values.reduce((most, value) => Math.max(most, value), 0);
      }
    }
    return made;
  }
  var placeOf = ({ heads }, layer, head) => layer * (heads + 1) + (head < 0 ? heads : head);
  var pixelsOf = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  async function pngOf(picture) {
    const canvas = framed2(picture, picture.width, picture.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    return new Uint8Array(await blob.arrayBuffer());
  }

  // vizapp/browser/page/webcam.js
  var AHEAD = 25;
  function webcam(desk2, root, moving3) {
    const {
      words: { export: words2 }
    } = desk2;
    const isLive = desk2.about.models.some(({ blob }) => blob);
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      className: "webcam",
      textContent: words2.webcam
    });
    button.hidden = !isLive;
    root.querySelector(".bring").after(button);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await start();
      } finally {
        button.disabled = false;
      }
    });
    async function start() {
      const { stream, why } = await camera();
      if (why) return desk2.said(words2[why]);
      const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, srcObject: stream });
      const [track] = stream.getVideoTracks();
      let isOn = true;
      let highs = new Float32Array(0);
      let found = null;
      let picture = null;
      moving3.open({
        title: words2.webcam,
        end: words2.cameraStop,
        kept: [words2.cameraKept, cautionOf(desk2)].join(" "),
        highest: words2.highest,
        highOf: (layer, head) => highs[placeOf(found, layer, head)] ?? 0,
        anew: () => highs = new Float32Array(0),
        freeze: async () => {
          const { layer, head } = moving3;
          const frame2 = picture;
          moving3.close();
          const name3 = desk2.bring(await pngOf(frame2), "image/png");
          await desk2.look({ picture: name3, model: modelOf(desk2) });
          desk2.viewer.state.set(head < 0 ? { layer } : { layer, head, fusion: "one" });
        },
        ended: () => {
          isOn = false;
          release(stream);
          video.srcObject = null;
        }
      });
      desk2.said("");
      track.addEventListener("ended", () => isOn && (moving3.close(), desk2.said(words2.cameraGone)));
      await video.play();
      const { shown } = moving3;
      let [next, took] = [Promise.resolve(ask(video)), Infinity];
      while (isOn) {
        const { frame: frame2, answer } = await next;
        next = Promise.race([after(took - AHEAD), answer.catch(() => {
        })]).then(() => isOn && ask(video));
        let seen;
        try {
          seen = await answer;
        } catch (error) {
          moving3.close();
          desk2.said(`${words2.failed} ${error.message}`);
          return;
        }
        if (!isOn) return;
        ({ took } = seen);
        if (document.hidden) await visible();
        const most = largestOf(seen);
        const isSame = highs.length === most.length && found?.layers === seen.layers;
        highs = isSame ? highs.map((high, i) => Math.max(high, most[i])) : most;
        found = seen;
        picture = frame2;
        moving3.show(frame2, seen);
        shown.push({ at: performance.now(), took: seen.took });
        const rate = rateOf(shown);
        if (rate) moving3.say(words2.perSecond.replace("{rate}", rate));
      }
    }
    function ask(video) {
      const frame2 = framed2(video, video.videoWidth, video.videoHeight);
      const answer = desk2.glance(modelOf(desk2), pixelsOf(frame2));
      answer.catch(() => {
      });
      return { frame: frame2, answer };
    }
  }
  function modelOf(desk2) {
    const { model } = desk2.wanted ?? desk2.shown ?? desk2.about.start;
    return desk2.modelOf(model)?.blob ? model : desk2.about.models.find(({ blob }) => blob).name;
  }
  var cautionOf = (desk2) => desk2.modelOf(modelOf(desk2)).subject === "scenes" ? desk2.words.page.caution_scenes : "";
  function after(milliseconds) {
    return new Promise((go) => milliseconds < Infinity && setTimeout(go, Math.max(0, milliseconds)));
  }
  function visible() {
    return new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
  }

  // vizapp/browser/page/film.js
  var MOST2 = 240;
  function film(desk2, moving3) {
    const words2 = desk2.words.export;
    return async (file) => {
      let source;
      try {
        source = await framesOf(file, MOST2);
      } catch {
        desk2.said(words2.filmUnreadable);
        return true;
      }
      if (source) await show2(file.name, source);
      return Boolean(source);
    };
    async function show2(name3, source) {
      const { count, rate } = source;
      const kept3 = [];
      let highs = new Float32Array(0);
      let [isOn, at, timer, drawing] = [true, 0, 0, false];
      let isLed = false;
      const model = modelOf(desk2);
      moving3.open({
        title: name3,
        end: words2.filmClose,
        kept: [words2.filmKept, cautionOf(desk2)].join(" "),
        highest: words2.filmHighest,
        holdsModel: true,
        highOf: (layer, head) => highs[placeOf(kept3[0].found, layer, head)] ?? 0,
        freeze: async () => {
          const { layer, head } = moving3;
          const picture = await pngOf(await source.frame(at));
          moving3.close();
          await desk2.look({ picture: desk2.bring(picture, "image/png"), model });
          desk2.viewer.state.set(head < 0 ? { layer } : { layer, head, fusion: "one" });
        },
        ended: () => {
          isOn = false;
          clearInterval(timer);
          source.close();
        }
      });
      desk2.said("");
      const { slider, output, play, save: save2 } = controls();
      slider.max = String(count - 1);
      slider.addEventListener("input", () => {
        stop();
        isLed = true;
        go(Number(slider.value));
      });
      play.addEventListener("click", () => timer ? stop() : start());
      save2.addEventListener("click", () => record());
      for (let i = 0; i < count && isOn; i++) {
        try {
          const canvas = await source.frame(i);
          const found = await desk2.glance(model, pixelsOf(canvas));
          kept3.push({ blob: await jpegOf(canvas), found });
          const most = largestOf(found);
          highs = highs.length ? highs.map((high, place2) => Math.max(high, most[place2])) : most;
          if (!isOn) return;
          moving3.say(words2.filmLooking.replace("{done}", String(i + 1)).replace("{count}", String(count)));
          if (isLed)
            moving3.draw();
          else paint(i, canvas);
        } catch (error) {
          if (isOn) moving3.close();
          if (isOn) desk2.said(`${words2.failed} ${error.message}`);
          return;
        }
      }
      if (!isOn) return;
      moving3.say(words2.filmDone.replace("{count}", String(count)).replace("{rate}", String(Math.round(10 * rate) / 10)));
      play.disabled = false;
      save2.disabled = !globalThis.MediaRecorder;
      function paint(number2, picture) {
        at = number2;
        slider.value = String(number2);
        output.textContent = `${(number2 / rate).toFixed(1)} s`;
        moving3.show(picture, kept3[number2].found);
      }
      async function go(number2) {
        at = Math.min(number2, kept3.length - 1);
        if (drawing) return;
        drawing = true;
        for (let now = -1; now !== at && isOn; ) {
          now = at;
          const picture = await createImageBitmap(kept3[now].blob);
          if (isOn && now === at) paint(now, picture);
        }
        drawing = false;
      }
      function start() {
        isLed = true;
        play.textContent = words2.filmPause;
        timer = window.setInterval(() => go((at + 1) % count), 1e3 / rate);
      }
      function stop() {
        clearInterval(timer);
        timer = 0;
        play.textContent = words2.filmPlay;
      }
      async function record() {
        stop();
        save2.disabled = true;
        await go(0);
        const recorder = new MediaRecorder(moving3.stage.canvas.captureStream(), { mimeType: "video/webm" });
        const parts = [];
        recorder.ondataavailable = ({ data }) => parts.push(data);
        const done = new Promise((end) => recorder.onstop = end);
        recorder.start();
        for (let i = 0; i < count && isOn; i++) {
          await go(i);
          await new Promise((next) => setTimeout(next, 1e3 / rate));
        }
        recorder.stop();
        await done;
        save2.disabled = false;
        if (!isOn) return;
        const url = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
        Object.assign(document.createElement("a"), { href: url, download: `${name3.replace(/\.\w+$/, "")}-${model}.webm` }).click();
        setTimeout(() => URL.revokeObjectURL(url), 1e4);
      }
    }
    function controls() {
      const box = moving3.find(".times");
      box.innerHTML = `<label class="time"><span></span> <input type="range" min="0" step="1" value="0"> <output></output></label>
      <button type="button" class="play" disabled></button><button type="button" class="save" disabled></button>`;
      const [slider, output, play, save2] = ["input", "output", ".play", ".save"].map((css) => box.querySelector(css));
      box.querySelector("span").textContent = words2.filmTime;
      play.textContent = words2.filmPlay;
      Object.assign(save2, { textContent: words2.filmSave, title: words2.filmSaveHelp });
      return { slider, output, play, save: save2 };
    }
  }

  // vizapp/ui/incoming/files.js
  var PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i;
  var MOST_SEEN = 5e3;
  var DEEPEST = 8;
  var isPicture = ({ type, name: name3 }) => type.startsWith("image/") && !type.includes("svg") || PICTURE.test(name3);
  async function dropped(transfer) {
    const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.());
    const isFolder = entries.some((entry) => entry?.isDirectory);
    if (!isFolder) return { found: listed(transfer.files), isFolder };
    const found = (
      /** @type {Found[]} */
      []
    );
    for (const entry of entries) await walk(entry, found, 0);
    return { found: inOrder2(found), isFolder };
  }
  var listed = (files) => inOrder2([...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => !path.includes("/.")));
  var inOrder2 = (found) => found.sort((a, b) => a.path.localeCompare(b.path, void 0, { numeric: true }));
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

  // vizapp/browser/page/intake.js
  function intake(desk2, root, film2) {
    const { words: words2 } = desk2;
    const isLive = desk2.about.models.some(({ blob }) => blob);
    const field = (
      /** @type {HTMLInputElement} */
      root.querySelector("input[type=file]")
    );
    field.addEventListener("change", () => {
      take(listed(field.files));
      field.value = "";
    });
    root.querySelector(".bring").addEventListener("click", () => field.click());
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
      event.preventDefault();
      take((await dropped(event.dataTransfer)).found);
    });
    addEventListener("paste", (event) => {
      if (event.clipboardData.files.length) take(listed(event.clipboardData.files));
    });
    async function take(found) {
      const one = found.map(({ file }) => file).find((file) => isPicture(file) || mayMove(file));
      if (!one) return found.length ? desk2.said(words2.export.noPicture) : null;
      if (!isLive) return desk2.said(words2.export.mapsOnly);
      if (mayMove(one) && await film2(one)) return null;
      const picture = desk2.bring(new Uint8Array(await one.arrayBuffer()), one.type);
      const now = desk2.wanted ?? desk2.shown;
      const model = now && desk2.can(now.model, picture) ? now.model : desk2.about.models.find(({ blob }) => blob).name;
      const isOther = now && now.model !== model;
      const says = isOther ? words2.export.looksInstead.replace("{model}", now.model).replace("{other}", model) : "";
      return desk2.look({ picture, model }, { says });
    }
  }

  // vizapp/browser/page/languages.js
  var KEPT = "vizapp-language";
  function chosen(known) {
    const asked = new URLSearchParams(location.search).get("lang");
    const names = Object.keys(known);
    if (names.includes(asked)) {
      keep2(asked);
      return asked;
    }
    const last = kept2();
    if (names.includes(last)) return last;
    for (const tag of navigator.languages ?? []) {
      const found = names.find((name3) => tag === known[name3].tag || tag.split("-")[0] === known[name3].tag.split("-")[0]);
      if (found) return found;
    }
    return names[0];
  }
  function addressIn(name3) {
    const query = new URLSearchParams(location.search);
    query.set("lang", name3);
    return `${location.pathname}?${query}${location.hash}`;
  }
  function kept2() {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null;
    }
  }
  function keep2(name3) {
    try {
      localStorage.setItem(KEPT, name3);
    } catch {
    }
  }

  // vizapp/ui/views/methods.js
  var ARROWS = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowRight: [1, 0] };
  var MOST_ROWS = 3;
  var short = (value) => value && Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
  var written2 = (score, words2) => score === null ? words2.hidden : short(score);
  function make(name3, attributes = {}, ...children) {
    const isDrawing = ["svg", "polyline", "polygon"].includes(name3);
    const one = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", name3) : document.createElement(name3);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    one.append(...children);
    return one;
  }
  var mark = () => [make("i", { class: "methods-mark", hidden: "" }), make("output", { class: "methods-value" })];
  var Screen = class {
    /** @param {HTMLElement} root an empty element @param {(method: string) => void} [run] runs a method that waits for it */
    constructor(root, run = () => {
    }) {
      this.root = root;
      this.run = run;
      this.told = null;
      this.figures = /* @__PURE__ */ new Map();
      this.maps = /* @__PURE__ */ new Map();
      this.chosen = "";
      this.toldOf = "";
      this.point = null;
      this.listen();
    }
    all(css) {
      return (
        /** @type {HTMLElement[]} */
        [...this.root.querySelectorAll(css)]
      );
    }
    /** Show results: those of another run, or more of this one. @param {Told} told */
    show(told2) {
      const keyed = ({ name: name3, maps }) => maps.map((one, number2) => [`${name3} ${number2}`, { ...one, method: name3 }]);
      this.told = told2;
      this.maps = new Map(told2.methods.flatMap(keyed));
      this.toldOf = "";
      if (!this.maps.has(this.chosen)) this.chosen = this.maps.keys().next().value ?? "";
      if (!this.root.children.length) this.build();
      this.lay();
      const figures = told2.methods.map((one) => this.figureOf(one));
      const grid = this.root.querySelector(".methods-grid");
      if (figures.some((one, at) => grid.children[at] !== one) || grid.children.length !== figures.length) grid.replaceChildren(...figures);
      this.root.querySelector("#methods-curves").replaceChildren(...this.charts());
      if (this.chosen) this.choose(this.chosen);
    }
    build() {
      const { words: words2, strips } = this.told;
      const [one, two] = strips.map((src) => make("img", { alt: "", src }));
      const ends = ["against", "for"].map((end) => make("i", {}, words2[end]));
      const scale = make("span", { class: "methods-scale" }, ends[0], make("span"), one, two, make("span"), ends[1]);
      const about2 = { class: "methods-picture", tabindex: "0", role: "application", "aria-label": words2.large };
      const said = { class: "methods-told", tabindex: "0", role: "region", "aria-label": words2.said };
      this.root.append(
        make("div", { class: "methods-large" }, make("div", about2, make("img", { alt: "" }), ...mark(), scale)),
        make("div", { class: "methods-grid", role: "group", tabindex: "0", "aria-label": words2.all }),
        make("div", said, make("section"), make("output", { class: "methods-here" })),
        make("div", { id: "methods-curves" })
      );
    }
    // Say how many columns and rows the small maps have.
    lay() {
      const { methods: methods2, aspect } = this.told;
      const isWide = methods2.some(({ maps }) => maps.length > 1);
      const columns = isWide || methods2.length > 10 ? 6 : Math.max(4, Math.ceil(methods2.length / 2));
      const rows = Math.min(MOST_ROWS, Math.ceil(methods2.length / columns));
      for (const [name3, value] of Object.entries({ aspect, columns, rows })) this.root.style.setProperty(`--${name3}`, String(value));
    }
    /** @param {MethodMaps} one */
    figureOf(one) {
      const known = this.figures.get(one.name);
      const of = JSON.stringify([one.title, one.tag, one.waits, one.maps.map(({ src, label }) => [src, label])]);
      if (known?.of === of) return known.figure;
      const { name: name3, title, tag, maps } = one;
      const isWide = maps.length > 1;
      const buttons = maps.map(({ src, alt, label }, number2) => {
        const key = `${name3} ${number2}`;
        const picture = make("span", { class: "methods-picture", "data-map": key }, make("img", { alt, src }), ...mark());
        return make("button", { type: "button", "data-map": key, "aria-pressed": "false" }, picture, ...isWide ? [make("small", {}, label)] : []);
      });
      const figure = make(
        "figure",
        { class: isWide ? "methods-wide" : "", "data-method": name3 },
        make("div", {}, ...maps.length ? buttons : [this.waiting(one)]),
        make("figcaption", { title }, make("b", {}, title), ...isWide ? [] : [this.tagOf(one, tag)])
      );
      const hadFocus = known?.figure.contains(document.activeElement);
      known?.figure.replaceWith(figure);
      if (hadFocus) figure.querySelector("button")?.focus();
      this.figures.set(name3, { of, figure });
      return figure;
    }
    tagOf({ isOfClass }, tag) {
      return make("span", { class: "methods-tag", "data-of-class": String(isOfClass) }, tag);
    }
    /** The place of a map that is not made yet. @param {MethodMaps} one */
    waiting({ name: name3, title, waits }) {
      const { said = "", runs = false } = waits ?? {};
      const box = make("span", { class: "methods-picture methods-waits" }, make("span", {}, runs ? `▶ ${said}` : said));
      const button = make("button", { type: "button", "data-run": name3, "aria-label": `${title}: ${said}`, ...runs ? {} : { disabled: "" } }, box);
      button.addEventListener("click", () => this.run(name3));
      return button;
    }
    charts() {
      const { charts, note } = this.told;
      if (!charts.length) return [make("p", {}, note)];
      return charts.map(
        (some, number2) => make(
          "div",
          { class: "methods-charts", "data-class": String(number2), ...number2 ? { hidden: "" } : {} },
          ...some.map((one) => this.chart(one)),
          ...note && some[0].band.length ? [make("p", {}, make("i"), ` ${note}`)] : []
        )
      );
    }
    /** @param {Chart} one */
    chart({ which, title, up, along, name: name3, bounds, lines, band }) {
      const [low, high] = bounds;
      const at = (share2, value) => `${(100 * share2).toFixed(2)},${(100 * (high - value) / (high - low)).toFixed(3)}`;
      const drawing = make("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none" });
      if (band.length) {
        const there = band.map(([share2, lowest]) => at(share2, lowest));
        const back = band.map(([share2, , highest]) => at(share2, highest)).reverse();
        drawing.append(make("polygon", { points: [...there, ...back].join(" ") }));
      }
      for (const { method, isRandom, points } of lines) {
        const drawn2 = points.map(([share2, value]) => at(share2, value)).join(" ");
        drawing.append(make("polyline", { "data-line": method, class: isRandom ? "is-random" : "", points: drawn2 }));
      }
      const term = make("span", { role: "button", tabindex: "0", "data-term": "deletion" }, title);
      const ends = [high, low].map((end) => make("span", {}, String(Number(end.toPrecision(3)))));
      return make(
        "figure",
        { "data-which": which },
        make("figcaption", {}, term, `: ${up}`),
        make("div", { class: "methods-plot" }, ...ends, make("div", { role: "img", "aria-label": name3 }, drawing), make("b", { class: "methods-line" })),
        make("div", { class: "methods-along" }, ...["0 %", along, "100 %"].map((said) => make("span", {}, said)))
      );
    }
    /** The row and column of the patch that is pointed at. @param {(number | null)[][]} scores */
    cellOf(scores) {
      const [left, top, right, bottom] = this.told.window;
      const col = Math.floor((this.point[0] - left) / (right - left) * scores[0].length);
      const row = Math.floor((this.point[1] - top) / (bottom - top) * scores.length);
      return scores[row]?.[col] === void 0 ? null : [row, col];
    }
    /** Mark a patch in all maps. @param {number[] | null} to */
    mark(to) {
      this.point = to;
      const [left, top, right, bottom] = this.told.window;
      const percent2 = (from, size) => [`${100 * from}%`, `${100 * size}%`];
      let said = "";
      for (const picture of this.all(".methods-picture[data-map]")) {
        const { scores } = this.maps.get(picture.dataset.map);
        const cell = to && this.cellOf(scores);
        const box = (
          /** @type {HTMLElement} */
          picture.querySelector(".methods-mark")
        );
        const value = cell ? written2(scores[cell[0]][cell[1]], this.told.words) : "";
        box.hidden = !cell;
        picture.querySelector(".methods-value").textContent = value;
        if (!cell) continue;
        const [high, wide] = [(bottom - top) / scores.length, (right - left) / scores[0].length];
        [box.style.left, box.style.width] = percent2(left + cell[1] * wide, wide);
        [box.style.top, box.style.height] = percent2(top + cell[0] * high, high);
        box.dataset.cell = cell.join(",");
        const here = { row: cell[0] + 1, col: cell[1] + 1, value };
        if (picture.matches(".methods-large *")) said = this.told.words.here.replace(/\{(\w+)\}/g, (_, name3) => String(here[name3]));
      }
      this.root.querySelector(".methods-here").textContent = said;
    }
    /** Tell of a map, and let its curve stand out. @param {string} key */
    tell(key) {
      if (key === this.toldOf) return;
      this.toldOf = key;
      const map = this.maps.get(key);
      const method = this.told.methods.find(({ name: name3 }) => name3 === map.method);
      const { title, tag, sentence, numbers, notes, paper } = map.told;
      const measured = numbers.map(
        ({ title: title2, value, beaten }) => make("li", {}, `${title2} `, make("b", {}, value), ...beaten ? [" ", make("small", {}, beaten)] : [])
      );
      const section = make(
        "section",
        { "data-told": key },
        make("h3", {}, `${title} `, ...tag ? [this.tagOf(method, tag)] : []),
        make("p", {}, sentence),
        ...measured.length ? [make("ul", { class: "methods-areas" }, ...measured)] : [],
        ...notes.map((one) => make("p", { class: "methods-note" }, one)),
        ...paper ? [make("small", {}, paper)] : []
      );
      this.root.querySelector(".methods-told section").replaceWith(section);
      for (const one of this.all("[data-class].methods-charts")) one.hidden = Number(one.dataset.class) !== map.charts;
      for (const one of this.all("polyline[data-line]")) {
        one.classList.toggle("is-shown", one.dataset.line === map.method);
        if (one.dataset.line === map.method) one.parentElement.append(one);
      }
      for (const one of this.all(".methods-line")) one.textContent = method.title;
    }
    /** Put a map large. @param {string} key */
    choose(key) {
      this.chosen = key;
      const { src, alt, bounds } = this.maps.get(key);
      for (const one of this.all("button[data-map]")) one.setAttribute("aria-pressed", String(one.dataset.map === key));
      const large = (
        /** @type {HTMLElement} */
        this.root.querySelector(".methods-large .methods-picture")
      );
      Object.assign(large.querySelector("img"), { src, alt });
      large.dataset.map = key;
      const scale = (
        /** @type {HTMLElement} */
        large.querySelector(".methods-scale")
      );
      scale.dataset.signed = String(Number.parseFloat(bounds[0]) < 0);
      scale.querySelectorAll("span").forEach((one, at) => one.textContent = bounds[at]);
      this.tell(key);
      this.mark(this.point);
    }
    // The map whose curve is nearest to the mouse.
    nearest(event, chart) {
      const area = chart.getBoundingClientRect();
      const [x, y] = [100 * (event.clientX - area.left) / area.width, 100 * (event.clientY - area.top) / area.height];
      const farOf = (line) => {
        const points = line.getAttribute("points").split(" ").map((one) => one.split(",").map(Number));
        const at = Math.max(1, points.findIndex((one) => one[0] >= x));
        const [[x0, y0], [x1, y1]] = points.slice(at - 1, at + 1);
        return Math.abs(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y);
      };
      const lines = [...chart.querySelectorAll("polyline")].map((line) => ({ far: farOf(line), method: line.dataset.line }));
      const { method } = lines.reduce((best, one) => one.far < best.far ? one : best);
      const of = Number(chart.closest(".methods-charts").dataset.class);
      const some = [...this.maps].filter(([, one]) => one.method === method);
      return (some.find(([, one]) => one.charts === of) ?? some[0])[0];
    }
    listen() {
      const { root } = this;
      const near = (event, css) => (
        /** @type {HTMLElement | null} */
        event.target instanceof Element ? event.target.closest(css) : null
      );
      root.addEventListener("pointermove", (event) => {
        if (!this.chosen) return;
        const area = near(event, ".methods-picture[data-map]")?.getBoundingClientRect();
        if (area) this.mark([(event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height]);
        else if (this.point) this.mark(null);
        const chart = near(event, ".methods-plot svg");
        if (chart) this.tell(this.nearest(event, chart));
      });
      root.addEventListener("pointerleave", () => this.chosen && (this.mark(null), this.tell(this.chosen)));
      for (const kind of ["mouseover", "focusin"])
        root.addEventListener(kind, (event) => {
          if (this.chosen && !near(event, ".methods-plot svg")) this.tell(near(event, "button[data-map]")?.dataset.map ?? this.chosen);
        });
      root.addEventListener("click", (event) => {
        const button = near(event, "button[data-map]");
        const chart = near(event, ".methods-plot svg");
        if (button) this.choose(button.dataset.map);
        else if (chart && this.chosen) this.choose(this.nearest(event, chart));
      });
      root.addEventListener("keydown", (event) => {
        const step = ARROWS[event.key];
        if (!step || !this.chosen || !near(event, ".methods-large .methods-picture")) return;
        event.preventDefault();
        const [left, top, right, bottom] = this.told.window;
        const { scores } = this.maps.get(this.chosen);
        const before = this.point;
        const [x, y] = before ?? [(left + right) / 2, (top + bottom) / 2];
        const wide = (right - left) / scores[0].length, high = (bottom - top) / scores.length;
        this.point = before ? [x + step[0] * wide, y + step[1] * high] : [x + wide / 2, y + high / 2];
        this.mark(this.cellOf(scores) ? this.point : before);
      });
    }
  };

  // vizapp/browser/page/methods/chance.js
  var MEASURES = ["deletion", "insertion"];
  function asGood(own, drawn2, measure) {
    const loss = (area) => MEASURES[measure] === "deletion" ? area : -area;
    return drawn2.filter(({ areas }) => loss(areas[measure]) <= loss(own.coarse[measure])).length;
  }
  var beats = (met, orders) => (1 + met) / (1 + orders) <= CHANCE_LEVEL;
  function owed(own, drawn2) {
    const met = own.flatMap((one) => MEASURES.map((_, measure) => asGood(one, drawn2, measure)));
    const isLost = drawn2.length > 0 && met.length > 0 && !beats(Math.min(...met), ORDERS);
    return isLost ? 0 : Math.min(ORDERS_AT_ONCE, ORDERS - drawn2.length);
  }
  function meanOf(drawn2) {
    const mean = (which) => drawn2[0][which].map((_, i) => drawn2.reduce((sum, one) => sum + one[which][i], 0) / drawn2.length);
    const [deletion, insertion, areas, coarse] = ["deletion", "insertion", "areas", "coarse"].map(mean);
    return { share: drawn2[0].share, deletion, insertion, areas, coarse };
  }

  // vizapp/browser/page/methods/painted.js
  var SIDE2 = 448;
  var Painter = class {
    /** @param {{colours: Record<string, string>, twoSided: {for: string, against: string}}} about */
    constructor({ colours, twoSided }) {
      this.canvas = document.createElement("canvas");
      this.plain = new ColourMap(Object.values(colours)[0]);
      this.for = new ColourMap(twoSided.for);
      this.against = new ColourMap(twoSided.against);
      const signed = (share2) => (share2 < 0.5 ? this.against : this.for).css(Math.abs(2 * share2 - 1));
      this.strips = [this.plain, { css: signed }].map((one) => barOf(
        /** @type {any} */
        one
      ).toDataURL());
    }
    /** Take another picture. @param {any} payload the viewer's */
    setPicture(payload) {
      const { width, height } = payload.bitmap;
      const scale = SIDE2 / Math.max(width, height);
      this.stage = new Stage(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale), ratio: 1 });
      this.stage.setPicture(payload);
      this.payload = payload;
    }
    /** @param {{isSigned: boolean}} method @param {Values} values @returns {{src: string, bounds: number[]}} the picture, and the
     * values of its lowest and highest colour */
    paint({ isSigned }, values) {
      const { stage, canvas, payload } = this;
      const top = Array.from(values).reduce((most, one) => Math.max(most, isSigned ? Math.abs(one) : one), 0);
      const layout = { grid: payload.grid, first: 0 };
      const view = { queries: layout, layout, high: top || 1e-12, opacity: OPACITY, byValue: true, marks: [], outlines: [] };
      const rest = { smooth: false, showGrid: false, reach: null, inputSize: payload.input };
      stage.draw({ ...view, ...rest, map: isSigned ? this.for : this.plain, values });
      if (isSigned) {
        const context = canvas.getContext("2d");
        context.save();
        stage.clipToSeen(context, stage.inputBox());
        stage.drawHeat(context, stage.inputBox(), { ...view, ...rest, map: this.against, values: values.map((one) => -one) });
        context.restore();
      }
      return { src: canvas.toDataURL(), bounds: [isSigned ? -top : 0, top] };
    }
  };

  // vizapp/browser/page/methods/csv.js
  function csv(rows) {
    const field = (value) => {
      const said = value === true ? "True" : value === false ? "False" : String(value);
      return /[",\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
    };
    const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))];
    return lines.map((line) => `${line.map(field).join(",")}
`).join("");
  }
  function download(text, name3) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name3;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
  }

  // vizapp/browser/page/methods/told.js
  var RANDOM = "random";
  var filled2 = (said, values) => said.replace(/\{(\w+)\}/g, (_, name3) => String(values[name3] ?? ""));
  var digits = (value) => String(Number(value.toPrecision(3)));
  function told(results, { page, export: own }) {
    const { methods: methods2, of, drawn: drawn2, isAsked, label, up, payload, strips } = results;
    const [rows, cols] = payload.grid;
    const { width, height } = payload.bitmap;
    const names = {
      large: "large",
      all: "all_maps",
      said: "said_of_map",
      here: "patch_value",
      hidden: "patch_hidden",
      against: "bar_against",
      for: "bar_for"
    };
    const tagOf = ({ ofClass }) => ofClass ? filled2(page.for_class, { label }) : page.every_class;
    return {
      window: payload.window,
      aspect: width / height,
      words: (
        /** @type {any} */
        Object.fromEntries(Object.entries(names).map(([name3, key]) => [name3, page[key]]))
      ),
      strips,
      methods: methods2.map((one) => ({
        name: one.name,
        title: one.title,
        tag: tagOf(one),
        isOfClass: one.ofClass,
        waits: one.isSlow && !isAsked(one.name) ? { said: own.methodsSlow, runs: true } : { said: "…", runs: false },
        maps: of(one.name) ? [mapOf(one, of(one.name))] : []
      })),
      charts: drawnCharts(),
      note: !label ? page.no_curves : drawn2.length ? filled2(page.band, { n: drawn2.length }) : ""
    };
    function mapOf(method, { values, src, bounds, curves }) {
      const isMean = method.name === RANDOM && drawn2.length > 1;
      return {
        alt: method.ofClass && label ? `${method.title}: ${label}` : method.title,
        label,
        src,
        bounds: bounds.map(digits),
        scores: Array.from({ length: rows }, (_, row) => Array.from(values.subarray(row * cols, (row + 1) * cols))),
        charts: 0,
        told: {
          title: isMean ? filled2(page.random_orders, { title: method.title, n: drawn2.length }) : method.title,
          tag: tagOf(method),
          sentence: method.sentence,
          numbers: curves ? MEASURES.map((measure, at) => numberOf(method, curves, measure, at)) : [],
          notes: [],
          paper: filled2(page.paper, { paper: method.paper })
        }
      };
    }
    function numberOf({ name: name3 }, curves, measure, at) {
      const isCompared = drawn2.length > 1 && name3 !== RANDOM;
      const values = { n: drawn2.length - asGood(curves, drawn2, at), of: drawn2.length };
      return { title: page[measure], value: curves.areas[at].toFixed(3), beaten: isCompared ? filled2(page.beaten, values) : "" };
    }
    function drawnCharts() {
      const judged2 = methods2.filter(({ name: name3 }) => of(name3)?.curves).map(({ name: name3 }) => ({ name: name3, curves: of(name3).curves }));
      if (!judged2.length) return [];
      const all = judged2.flatMap(({ curves }) => [...curves.deletion, ...curves.insertion]);
      const bounds = [Math.min(0, ...all), Math.max(1, ...all)];
      return [
        MEASURES.map((which) => ({
          which,
          title: filled2(page[which === "deletion" ? "column_lower" : "column_higher"], { title: page[which] }),
          up,
          along: page[`${which}_x`],
          name: filled2(page.chart_lines, { title: page[which], x: page[`${which}_x`], y: up }),
          bounds,
          lines: judged2.map(({ name: name3, curves }) => ({
            method: name3,
            isRandom: name3 === RANDOM,
            points: curves.share.map((share2, i) => [share2, curves[which][i]])
          })),
          band: bandOf(which)
        }))
      ];
    }
    function bandOf(which) {
      if (!drawn2.length) return [];
      const at = (i) => drawn2.map((one) => one[which][i]);
      return drawn2[0].share.map((share2, i) => [share2, Math.min(...at(i)), Math.max(...at(i))]);
    }
  }
  var chanceOf = (drawn2) => drawn2.length ? meanOf(drawn2) : null;

  // vizapp/browser/page/methods/table.js
  var judged = ({ methods: methods2, of }) => methods2.filter(({ name: name3 }) => of(name3)?.curves);
  function table(root, results, { page }) {
    const made = document.createElement("table");
    const cells = (row, texts, tag) => row.append(...texts.map((textContent) => Object.assign(document.createElement(tag), { textContent })));
    const titles = [
      ["lower", "deletion"],
      ["higher", "insertion"]
    ].map(([way, measure]) => page[`column_${way}`].replace("{title}", page[measure]));
    cells(made.createTHead().insertRow(), [page.column_method, page.column_explains, ...titles], "th");
    const body = made.createTBody();
    for (const { name: name3, title, ofClass } of judged(results)) {
      const areas = results.of(name3).curves.areas.map((area) => area.toFixed(3));
      const row = body.insertRow();
      row.dataset.method = name3;
      cells(row, [title, ofClass ? results.label : page.every_class, ...areas], "td");
    }
    root.replaceChildren(...body.rows.length ? [made] : []);
  }
  function save(results, model) {
    const { of, drawn: drawn2, label } = results;
    const rows = judged(results).map(({ name: name3, ofClass }) => {
      const { curves } = of(name3);
      const over = (at) => name3 === RANDOM || drawn2.length < 2 ? "" : (drawn2.length - asGood(curves, drawn2, at)) / drawn2.length;
      const compared = Object.fromEntries(MEASURES.map((measure, at) => [`${measure} over random`, over(at)]));
      const [deletion, insertion] = curves.areas;
      return { model, class: label, method: name3, class_specific: ofClass, deletion, insertion, ...compared };
    });
    download(csv(rows), `${model.replace(/[^\w.-]+/g, "-")}-methods.csv`);
  }

  // vizapp/browser/page/methods/targets.js
  var SURE = 5;
  var target = (index2, label, share2, lesson = null) => ({
    ...{ index: index2, label, share: share2, lesson },
    ...{ found: /* @__PURE__ */ new Map(), asked: /* @__PURE__ */ new Set(), drawn: [] }
  });
  function offer(select, things, classes, own) {
    const sure = (share2) => `${(100 * share2).toFixed(1)} %`;
    const option = ({ label, share: share2 }, at, isSure) => new Option(isSure ? `${label} · ${sure(share2)}` : label, String(at));
    const ofThings = things.map(
      (one, i) => option({ ...one, label: own.methodsThing.replace("{thing}", () => one.label) }, i, true)
    );
    const ofClasses = classes.map((one, i) => option(one, things.length + i, i < SURE));
    const groups = [
      [own.methodsThings, ofThings],
      [own.methodsClasses, ofClasses]
    ].filter(([, options]) => options.length);
    const named = groups.map(([label, options]) => {
      const group = Object.assign(document.createElement("optgroup"), { label });
      group.append(...options);
      return group;
    });
    select.replaceChildren(...things.length ? named : ofClasses);
  }
  function alike(lesson, other) {
    if (!lesson || !other) return lesson === other;
    const isSame = (one, values) => one.length === values?.length && one.every((value, i) => value === values[i]);
    const { names, prototypes } = lesson;
    return isSame(names, other.names) && prototypes.every((one, i) => isSame(one, other.prototypes[i]));
  }

  // vizapp/browser/page/methods/methods.js
  var SOON = 1500;
  var Methods = class {
    /** @param {HTMLElement} root @param {import("../desk.js").Desk} desk */
    constructor(root, desk2) {
      const { page, methods: methods2 } = desk2.words;
      this.root = root;
      this.desk = desk2;
      this.words = desk2.words;
      this.all = methods2.here;
      this.run = "";
      this.classes = null;
      this.things = [];
      this.target = target(0, "", 0);
      this.lesson = null;
      this.job = null;
      root.innerHTML = `
      <div id="methods-heading"><h2></h2><div><p class="scale"></p><p class="taught"></p></div></div>
      <div id="methods-run">
        <label class="field"><span class="label"></span><select></select></label>
        <button type="button" id="methods-go"></button><button type="button" id="methods-stop"></button>
        <div id="methods-note"><p role="status"></p></div>
        <button type="button" id="methods-more" aria-controls="methods-numbers" aria-expanded="false"></button>
      </div>
      <div id="methods-numbers" class="drawer"><div id="methods-table"></div><button type="button" id="methods-csv"></button>
        <p class="areas"></p><p class="teach"></p><p class="elsewhere"></p></div>
      <div id="methods-maps"><div class="html-container"><div class="methods-screen"></div></div></div>`;
      const said = {
        ".label": page.target,
        "#methods-go": page.compare,
        "#methods-stop": page.stop,
        "#methods-more": page.numbers,
        "#methods-csv": page.save_csv,
        ".scale": page.scale_own,
        ".elsewhere": methods2.elsewhere
      };
      for (const [css, text] of Object.entries(said)) this.find(css).textContent = text;
      this.find(".areas").innerHTML = page.areas_help;
      this.painter = new Painter(desk2.about);
      this.begin();
      this.listen();
    }
    listen() {
      const { state } = this.desk.viewer;
      this.find("#methods-go").addEventListener("click", () => this.work());
      this.find("#methods-stop").addEventListener("click", () => this.stop());
      this.find("#methods-csv").addEventListener("click", () => save(this.results, this.desk.shown.model));
      this.find("select").addEventListener("change", ({ target: { value } }) => {
        this.target = this.targets[Number(value)];
        this.work();
      });
      const more = this.find("#methods-more");
      const open = (isOpen) => {
        more.setAttribute("aria-expanded", String(isOpen));
        this.find("#methods-numbers").classList.toggle("is-open", isOpen);
      };
      more.addEventListener("click", () => open(more.getAttribute("aria-expanded") !== "true"));
      document.addEventListener("pointerdown", ({ target: target2 }) => {
        if (target2 instanceof Element && !target2.closest("#methods-more, #methods-numbers")) open(false);
      });
      this.root.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape" || more.getAttribute("aria-expanded") !== "true") return;
        open(false);
        more.focus();
      });
      let taught = null;
      state.subscribe(() => {
        if (taught !== state.get("taught")) this.follow();
        taught = state.get("taught");
      });
    }
    get targets() {
      return [...this.things, ...this.classes ?? []];
    }
    /** @returns {any} */
    find(css) {
      return this.root.querySelector(css);
    }
    // An empty screen, for another picture.
    begin() {
      const empty = Object.assign(document.createElement("div"), { className: "methods-screen" });
      this.find(".methods-screen").replaceWith(empty);
      this.screen = new Screen(empty, (method) => {
        this.target.asked.add(method);
        this.work();
      });
    }
    /** Follow the stage, whose picture or network may have changed. */
    async follow() {
      const { shown, wanted, viewer: viewer2 } = this.desk;
      const run = shown && !wanted && viewer2?.payload ? viewer2.payload.run : "";
      if (this.run !== run) {
        this.run = "";
        this.job = null;
        this.classes = null;
        this.things = [];
        this.target = { ...target(0, "", 0), label: this.target.label, lesson: this.target.lesson };
        this.lesson = null;
        this.say("");
      }
      if (this.root.hidden || !run) return;
      const isLive = Boolean(this.desk.modelOf(shown.model).blob);
      if (this.run !== run) await this.open(run, isLive);
      else if (this.classes && !alike(viewer2.lesson, this.lesson)) await this.learn();
    }
    /** Start over with another picture or network. */
    async open(run, isLive) {
      const { page, export: own } = this.words;
      this.run = run;
      for (const css of ["#methods-run", "#methods-maps", "#methods-heading > div"]) this.find(css).hidden = !isLive;
      const notLive = () => own.methodsNotLive.replace("{model}", this.desk.shown.model);
      this.find("h2").textContent = isLive ? page.methods_hello : notLive();
      this.begin();
      if (!isLive) return;
      this.painter.setPicture(this.desk.viewer.payload);
      const classes = await this.desk.engine.atLength("classes", { run });
      if (this.run !== run || !classes) return;
      this.classes = classes.map(([index2, label, share2]) => target(index2, label, share2));
      await this.learn();
    }
    /** Follow the lesson, which may teach something else by now. */
    async learn() {
      const { run } = this;
      const lesson = this.lesson = this.desk.viewer.lesson;
      const { shares = [] } = lesson ? await this.desk.engine.ask("shares", run, lesson, this.words.export) : {};
      if (this.run !== run || this.lesson !== lesson) return;
      this.things = Array.from(shares, (share2, i) => target(i, lesson.names[i], share2, lesson));
      const before = this.target;
      const same2 = this.things.find(({ label }) => before.lesson && label === before.label);
      const kept3 = this.classes.includes(before) ? before : null;
      this.target = same2 ?? kept3 ?? this.classes[0] ?? this.things[0] ?? target(0, "", 0);
      offer(this.find("select"), this.things, this.classes, this.words.export);
      this.find("select").value = String(this.targets.indexOf(this.target));
      this.find(".field").hidden = !this.targets.length;
      if (this.target === before) this.draw();
      else await this.work();
    }
    /** What there is of the target. @returns {import("./told.js").Results} */
    get results() {
      const { found, asked, drawn: drawn2, label, lesson } = this.target;
      const up = lesson ? this.words.export.methodsShare : this.words.page.curve_y;
      return {
        methods: this.methods,
        of: (name3) => found.get(name3),
        isAsked: (name3) => asked.has(name3),
        drawn: drawn2,
        label,
        up: up.replace("{label}", () => label),
        payload: this.desk.viewer.payload,
        strips: this.painter.strips
      };
    }
    // The methods that mean something here.
    get methods() {
      return this.all.filter(({ ofClass }) => !ofClass || this.targets.length);
    }
    /** What is to be done next: first the maps, then their tests, then those of chance. A slow method waits until it is asked for.
     * @returns {(() => Promise<boolean>) | null} which tells whether it is done, and still wanted */
    get next() {
      const { found, asked, drawn: drawn2 } = this.target;
      const wanted = this.methods.filter(({ name: name3, isSlow }) => !isSlow || asked.has(name3));
      const without = wanted.find(({ name: name3 }) => !found.has(name3));
      if (without) return () => this.make(without);
      if (!this.targets.length) return null;
      const unjudged = wanted.find(({ name: name3 }) => name3 !== RANDOM && !found.get(name3).curves);
      if (unjudged) return () => this.judge(unjudged);
      const informed = wanted.filter(({ isBaseline }) => !isBaseline).map(({ name: name3 }) => found.get(name3).curves);
      const count = owed(informed, drawn2);
      return count ? () => this.draws(count) : null;
    }
    /** Do what is to be done, one thing after the other, until it is stopped or replaced. */
    async work() {
      const job = this.job = {};
      this.say("");
      this.draw();
      try {
        for (let { next } = this; next; { next } = this) {
          if (!await next() || this.job !== job) return;
          this.draw();
        }
        this.say("");
      } catch (error) {
        if (this.job === job) this.say(error.message);
      } finally {
        if (this.job === job) this.job = null;
        this.draw();
      }
    }
    async make(method) {
      const { index: index2, lesson, found } = this.target;
      const what = { run: this.run, method: method.name, target: index2, lesson };
      const values = await this.asking("explain", what, method.title);
      if (values) found.set(method.name, { values, ...this.painter.paint(method, values), curves: null });
      return Boolean(values);
    }
    async judge({ name: name3, title }) {
      const { index: index2, lesson, found } = this.target;
      const what = { run: this.run, scores: found.get(name3).values, target: index2, lesson };
      const curves = await this.asking("judge", what, this.words.export.methodsJudged.replace("{method}", title));
      if (curves) found.set(name3, { ...found.get(name3), curves });
      return Boolean(curves);
    }
    async draws(count) {
      const { index: index2, lesson, found, drawn: drawn2 } = this.target;
      const { title } = this.all.find(({ name: name3 }) => name3 === RANDOM);
      const what = { run: this.run, from: drawn2.length, count, target: index2, lesson };
      const some = await this.asking("chance", what, this.words.export.methodsJudged.replace("{method}", title));
      if (!some) return false;
      drawn2.push(...some);
      found.set(RANDOM, { ...found.get(RANDOM), curves: chanceOf(drawn2) });
      return true;
    }
    /** Ask the engine for something that takes many passes, and show its progress. Null if it is not wanted any more.
     * @param {"explain" | "judge" | "chance"} call @param {any} what @param {string} name */
    async asking(call, what, name3) {
      const { job } = this;
      const begun = performance.now();
      const answer = await this.desk.engine.atLength(call, what, (share2) => {
        if (this.job !== job) return;
        const spent = performance.now() - begun;
        const left = share2 > 0.02 && spent > SOON ? spent / share2 * (1 - share2) / 1e3 : 0;
        const said = this.words.export[left >= 1 ? "methodsLeft" : "methodsRuns"];
        this.say(filled2(said, { what: name3, percent: Math.round(100 * share2), seconds: Math.ceil(left) }));
      });
      return this.job === job ? answer : null;
    }
    stop() {
      this.job = null;
      this.desk.engine.stop();
      this.say(this.words.page.stopped);
      this.draw();
    }
    say(said) {
      this.find("#methods-note p").textContent = said;
    }
    draw() {
      const { run, results } = this;
      const isJudged = this.methods.some(({ name: name3 }) => results.of(name3)?.curves);
      this.find("#methods-stop").disabled = !this.job;
      this.find("#methods-go").disabled = Boolean(this.job) || !this.classes || !this.next;
      this.find("#methods-more").disabled = this.find("#methods-csv").disabled = !isJudged;
      if (run && this.classes) this.screen.show(told(results, this.words));
      table(this.find("#methods-table"), results, this.words);
      this.sayTaught();
    }
    // Say what a taught thing is here; or, among what is less important, that the visitor can teach some.
    sayTaught() {
      const { page, viewer: viewer2, export: own } = this.words;
      const { label, lesson } = this.target;
      const canTeach = own.methodsTeach.replace("{teach}", viewer2.teach).replace("{tab}", page.tab_attention);
      this.find(".taught").textContent = lesson ? own.methodsTaught.replace("{label}", () => label) : "";
      this.find(".teach").textContent = this.things.length ? "" : canTeach;
    }
  };

  // vizapp/browser/page/shelf.js
  function shelf(root, desk2) {
    const { about: about2, words: words2 } = desk2;
    const named = about2.pictures.map(({ name: name3 }) => name3);
    const lessons = /* @__PURE__ */ new Map();
    for (const one of about2.pictures.filter(({ asked }) => asked)) {
      const { name: name3, title } = one.asked[desk2.language];
      if (one.name.endsWith("/bare")) continue;
      if (!lessons.has(name3)) lessons.set(name3, { title, pictures: [] });
      lessons.get(name3).pictures.push(one.name);
    }
    const photos = named.filter((name3) => name3.startsWith("photo/"));
    root.innerHTML = `
    <input type="file" accept="image/*,video/*" hidden><button type="button" class="bring">+</button>
    <button type="button" class="forget" hidden></button>
    <div class="photos"><div></div></div>
    <p class="credit" hidden></p>
    <div class="lessons"><p class="label"></p><div></div></div>
    <p class="kept"></p>
    <p class="why" hidden></p>`;
    const find2 = (css) => (
      /** @type {any} */
      root.querySelector(css)
    );
    const isLive = about2.models.some(({ blob }) => blob);
    Object.assign(find2(".kept"), { textContent: words2.export.mapsOnly, hidden: isLive });
    const { bring, kept: kept3 } = words2.export;
    Object.assign(find2(".bring"), { hidden: !isLive, ariaLabel: bring, title: `${bring}
${kept3}` });
    find2(".lessons .label").innerHTML = words2.page.lessons;
    Object.assign(find2(".forget"), { textContent: words2.export.forget, title: words2.export.forgetHelp });
    find2(".forget").addEventListener("click", () => {
      forget();
      find2(".forget").hidden = true;
    });
    const urls = /* @__PURE__ */ new Map();
    const opened = /* @__PURE__ */ new Map();
    for (const [name3, { title, pictures }] of lessons) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: title, id: `lesson-${name3}` });
      button.addEventListener("click", () => {
        const at = (opened.get(name3) ?? -1) + 1;
        opened.set(name3, at);
        const picture = pictures[at % pictures.length];
        desk2.look({ picture, model: modelFor(picture) });
      });
      find2(".lessons > div").append(button);
    }
    for (const name3 of photos) {
      const button = document.createElement("button");
      const { credit } = desk2.pictures.get(name3);
      const plain = words2.page.photo.replace("{name}", name3.slice("photo/".length));
      const title = credit ? `${plain} (${credit})` : plain;
      button.type = "button";
      Object.assign(button, { title, ariaLabel: title });
      const image = new Image();
      image.alt = "";
      button.append(image);
      urlOf(name3).then((url) => image.src = url);
      button.addEventListener("click", () => desk2.look({ picture: name3, model: modelFor(name3) }));
      find2(".photos > div").append(button);
    }
    find2(".lessons").hidden = !lessons.size;
    find2(".photos").hidden = !photos.length;
    function modelFor(picture) {
      const now = (desk2.wanted ?? desk2.shown)?.model;
      const able = about2.models.map(({ name: name3 }) => name3).filter((name3) => desk2.can(name3, picture));
      const own = able.find((name3) => !desk2.modelOf(name3).blob && picture.startsWith(`lesson/${name3}/`));
      return own ?? (able.includes(now) ? now : able[0]) ?? now;
    }
    async function urlOf(name3) {
      if (!urls.has(name3)) {
        const { bytes, file, type } = desk2.pictures.get(name3);
        urls.set(name3, URL.createObjectURL(new Blob([
          /** @type {any} */
          bytes ?? await desk2.cargo.get(file)
        ], { type })));
      }
      return urls.get(name3);
    }
    return (choice) => {
      find2(".forget").hidden = !isKept();
      const credit = desk2.pictures.get(choice.picture)?.credit ?? "";
      Object.assign(find2(".credit"), { textContent: words2.page.photo.replace("{name}", credit), hidden: !credit });
      const why = desk2.modelOf(choice.model)?.why[desk2.language] ?? "";
      Object.assign(find2(".why"), { textContent: why, hidden: !why });
    };
  }

  // vizapp/browser/page/tabs.js
  function tabs(root, all) {
    const buttons = all.map(({ title, box }, i) => {
      box.id ||= `tab-box-${i}`;
      box.setAttribute("role", "tabpanel");
      box.setAttribute("aria-label", title);
      const button = Object.assign(document.createElement("button"), { type: "button", role: "tab", textContent: title });
      button.setAttribute("aria-controls", box.id);
      button.addEventListener("click", () => choose(i));
      return button;
    });
    root.append(...buttons);
    root.addEventListener("keydown", ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!by) return;
      const next = (buttons.findIndex((one) => one === document.activeElement) + by + all.length) % all.length;
      choose(next);
      buttons[next].focus();
    });
    choose(0);
    function choose(chosen2) {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(i === chosen2));
        button.tabIndex = i === chosen2 ? 0 : -1;
        all[i].box.hidden = i !== chosen2;
      });
      all[chosen2].shown?.();
    }
  }

  // vizapp/browser/page/start.js
  var cargo = new Cargo();
  var { about } = cargo;
  var language = chosen(about.languages);
  var words = about.languages[language];
  document.documentElement.lang = words.tag;
  document.title = words.page.window;
  dark();
  document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).get("embed") === "1");
  var frame = document.createElement("div");
  frame.className = "page";
  frame.innerHTML = `
  <header id="heading">
    <h1></h1>
    <div id="tabs" role="tablist"></div>
    <div id="tools"><span id="network"></span><span id="languages"></span>${words.help}</div>
  </header>
  <main>
    <div id="choose"></div>
    <div id="look">
      <p id="said" role="status"></p>
      <div class="viz" data-state="empty"></div>
      <section id="methods" hidden></section>
      <a class="link-full" target="_blank" rel="noopener"></a>
    </div>
  </main>`;
  var find = (css) => (
    /** @type {HTMLElement} */
    frame.querySelector(css)
  );
  find("h1").textContent = words.page.title;
  find("#tools > details > div").append(
    Object.assign(document.createElement("p"), { textContent: words.export.footer.replace("{version}", about.version) })
  );
  document.body.append(frame);
  explain(find("#heading"));
  var desk = new Desk(cargo, language, new Engine(engine, words.export));
  var viewer = (
    /** @type {any} */
    globalThis.vizapp.mount(find(".viz"), {
      words: words.viewer,
      colours: about.colours,
      metrics: words.metrics,
      chapters: words.chapters,
      road: { open: (link) => void desk.open(link), here: () => desk.here() },
      ask: (asked) => desk.ask(asked),
      makes: ["link"],
      // there is no server
      turn: (page) => void desk.turn(page)
    })
  );
  Object.assign(find(".viz"), { viewer, desk });
  desk.attend(viewer);
  desk.said = (said) => void (find("#said").textContent = said);
  var name2 = chip(find("#network"), desk);
  var show = shelf(find("#choose"), desk);
  var moving2 = new Moving(find("#look"), desk);
  webcam(desk, find("#choose"), moving2);
  intake(desk, find("#choose"), film(desk, moving2));
  var methods = new Methods(find("#methods"), desk);
  desk.changed = (choice) => {
    name2(choice);
    show(choice);
    moving2.follow(choice);
    methods.follow();
  };
  if (about.models.some(({ blob }) => blob)) {
    tabs(find("#tabs"), [
      { title: words.page.tab_attention, box: find(".viz") },
      { title: words.page.tab_methods, box: find("#methods"), shown: () => methods.follow() }
    ]);
  }
  desk.begin();
  languages();
  share();
  full(find(".link-full"));
  async function engine() {
    if (!about.engine) return about.worker;
    const script = (
      /** @type {any} */
      await cargo.get(about.engine)
    );
    return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  }
  function languages() {
    const others = Object.entries(about.languages).filter(([name3]) => name3 !== language);
    find("#languages").append(
      ...others.map(([name3, { tag, page }]) => {
        const link = Object.assign(document.createElement("a"), {
          textContent: page.language,
          lang: tag,
          hreflang: tag,
          href: addressIn(name3)
        });
        link.addEventListener("click", () => link.href = addressIn(name3));
        return link;
      })
    );
  }
  function full(link) {
    const query = new URLSearchParams(location.search);
    query.delete("embed");
    const read = () => link.href = `${location.pathname}?${query}${desk.here()}`;
    link.textContent = words.link.full;
    for (const kind of ["pointerdown", "click"]) link.addEventListener(kind, read);
    read();
  }
  function share() {
    frame.addEventListener("click", ({ target: target2 }) => {
      const button = (
        /** @type {HTMLElement} */
        target2
      );
      if (!button.matches(COPIES)) return;
      desk.write();
      copy(button, location.href, Boolean(desk.shown?.picture.startsWith("upload")), words.link);
    });
  }
})();
