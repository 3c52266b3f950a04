// The first script of the page without a server. It runs the page's own script, or says in the visitor's language why it cannot.

import { chosen } from "../page/languages.js";

const NEEDED = ["DecompressionStream", "createImageBitmap"]; // every browser of 2023 or later has them
const COMMAND = "python -m http.server"; // a web server for the folder in which it is typed

const { opensFromDisk, languages } = JSON.parse(document.getElementById("needs").textContent);
const words = languages[chosen(languages)];
const lacking = NEEDED.filter((name) => !(name in window));

if (lacking.length) refuse(words.browser.replace("{names}", lacking.join(", ")));
else if (!opensFromDisk && location.protocol === "file:") refuse(words.server.replace("{command}", COMMAND));
else run(/** @type {HTMLScriptElement} */ (document.getElementById("app")));

function refuse(textContent) {
  document.documentElement.lang = words.tag;
  document.body.append(Object.assign(document.createElement("p"), { className: "needs", textContent }));
}

function run({ src, textContent }) {
  document.body.append(Object.assign(document.createElement("script"), src ? { src } : { textContent }));
}
