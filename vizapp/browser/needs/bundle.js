(() => {
  // vizapp/browser/page/languages.js
  var KEPT = "vizapp-language";
  function chosen(known) {
    var _a;
    const asked = new URLSearchParams(location.search).get("lang");
    const names = Object.keys(known);
    if (names.includes(asked)) {
      keep(asked);
      return asked;
    }
    const last = kept();
    if (names.includes(last)) return last;
    for (const tag of (_a = navigator.languages) != null ? _a : []) {
      const found = names.find((name) => tag === known[name].tag || tag.split("-")[0] === known[name].tag.split("-")[0]);
      if (found) return found;
    }
    return names[0];
  }
  function kept() {
    try {
      return localStorage.getItem(KEPT);
    } catch (e) {
      return null;
    }
  }
  function keep(name) {
    try {
      localStorage.setItem(KEPT, name);
    } catch (e) {
    }
  }

  // vizapp/browser/needs/start.js
  var NEEDED = ["DecompressionStream", "createImageBitmap"];
  var COMMAND = "python -m http.server";
  var { opensFromDisk, languages } = JSON.parse(document.getElementById("needs").textContent);
  var words = languages[chosen(languages)];
  var lacking = NEEDED.filter((name) => !(name in window));
  if (lacking.length) refuse(words.browser.replace("{names}", lacking.join(", ")));
  else if (!opensFromDisk && location.protocol === "file:") refuse(words.server.replace("{command}", COMMAND));
  else run(
    /** @type {HTMLScriptElement} */
    document.getElementById("app")
  );
  function refuse(textContent) {
    document.documentElement.lang = words.tag;
    document.body.append(Object.assign(document.createElement("p"), { className: "needs", textContent }));
  }
  function run({ src, textContent }) {
    document.body.append(Object.assign(document.createElement("script"), src ? { src } : { textContent }));
  }
})();
