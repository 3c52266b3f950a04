(() => {
  // vizapp/ui/viewer/numbers/base64.js
  var bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

  // vizapp/browser/page/base128.js
  var RARE = [0, 10, 13, 34, 38, 60, 92];
  var BEYOND = 160;
  function bytesOfSeptets(text, length) {
    const bytes = new Uint8Array(length);
    let [at, held, bits] = [0, 0, 0];
    for (let index = 0; index < text.length; index++) {
      let letter = text.charCodeAt(index);
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
    get(name) {
      if (!this.had.has(name)) this.had.set(name, this.fetch(name));
      return this.had.get(name);
    }
    async fetch(name) {
      const inside = (
        /** @type {HTMLScriptElement} */
        document.querySelector(`script[data-blob="${name}"]`)
      );
      const packed = inside ? inlined(inside) : await this.sent(`data/${name}.bin`);
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

  // vizapp/browser/page/dark.js
  function dark() {
    const wanted = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => document.body.classList.toggle("dark", wanted.matches);
    wanted.addEventListener("change", apply);
    apply();
  }

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

  // vizapp/browser/page/languages.js
  var KEPT = "vizapp-language";
  function chosen(known) {
    const asked = new URLSearchParams(location.search).get("lang");
    const names = Object.keys(known);
    if (names.includes(asked)) {
      keep(asked);
      return asked;
    }
    const last = kept();
    if (names.includes(last)) return last;
    for (const tag of navigator.languages ?? []) {
      const found = names.find((name) => tag === known[name].tag || tag.split("-")[0] === known[name].tag.split("-")[0]);
      if (found) return found;
    }
    return names[0];
  }
  function kept() {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null;
    }
  }
  function keep(name) {
    try {
      localStorage.setItem(KEPT, name);
    } catch {
    }
  }

  // vizapp/browser/cell/start.js
  begin();
  async function begin() {
    const cargo = new Cargo();
    const about = (
      /** @type {any} */
      cargo.about
    );
    const text = async (name) => new TextDecoder().decode(await cargo.get(name));
    const [style, viewer, said, payload] = await Promise.all([
      text(about.style),
      text(about.viewer),
      text(about.said),
      cargo.get(about.payload)
    ]);
    document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
    document.head.append(Object.assign(document.createElement("script"), { textContent: viewer }));
    dark();
    const { languages, colours } = JSON.parse(said);
    const language = chosen(languages);
    const words = languages[language];
    document.documentElement.lang = words.tag;
    const root = (
      /** @type {any} */
      document.querySelector(".viz")
    );
    root.viewer = /** @type {any} */
    globalThis.vizapp.mount(root, {
      words: words.viewer,
      colours,
      metrics: words.metrics,
      ask: async ([kind]) => ["maps", "proof"].includes(kind) ? {} : kind === "saving" ? { about: about.about } : { why: words.why },
      makes: []
    });
    await root.viewer.showHere(withHeader(payload, about.headers[language] ?? {}), "cell");
    new ResizeObserver(tell).observe(document.body);
  }
  function tell() {
    parent.postMessage({ vizapp: "height", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  }
})();
