// The viewer in a notebook's cell: unpacks the frame's contents and shows them. There is no server to ask.

import { Cargo } from "../page/cargo.js";
import { dark } from "../page/dark.js";
import { withHeader } from "../page/sources/header.js";
import { chosen } from "../page/languages.js";

begin();

async function begin() {
  const cargo = new Cargo();
  const about = /** @type {any} */ (cargo.about);
  const text = async (name) => new TextDecoder().decode(await cargo.get(name));
  const [style, viewer, said, payload] = await Promise.all([
    text(about.style),
    text(about.viewer),
    text(about.said),
    cargo.get(about.payload),
  ]);
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  document.head.append(Object.assign(document.createElement("script"), { textContent: viewer }));
  dark();
  const { languages, colours } = JSON.parse(said);
  const language = chosen(languages);
  const words = languages[language];
  document.documentElement.lang = words.tag;
  const root = /** @type {any} */ (document.querySelector(".viz"));
  root.viewer = /** @type {any} */ (globalThis).vizapp.mount(root, {
    words: words.viewer,
    colours,
    metrics: words.metrics,
    ask: async ([kind]) =>
      ["maps", "proof"].includes(kind) ? {} : kind === "saving" ? { about: about.about } : { why: words.why },
    makes: [],
  });
  await root.viewer.showHere(withHeader(payload, about.headers[language] ?? {}), "cell");
  new ResizeObserver(tell).observe(document.body);
}

/** Tell the notebook the height of the content, to which it sets the frame (in_notebook.py). */
function tell() {
  parent.postMessage({ vizapp: "height", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
}
