// Every word on the page comes from a table that the server sends. A panel may bring words of its own; the table's take
// precedence. What is said otherwise to a finger, which has no keys, has a second sentence, whose key ends with "_touch".

const byFinger = globalThis.matchMedia?.("(pointer: coarse)");

export class Words {
  /** @param {Record<string, string>} table @param {Record<string, string>} [own] */
  constructor(table, own = {}) {
    this.table = { ...own, ...table };
  }

  /** @param {string} key */
  has(key) {
    return Object.hasOwn(this.table, key);
  }

  /** A sentence with its values. @param {string} key @param {Record<string, string | number>} [values] @returns {string} */
  say(key, values = {}) {
    return joined(this.sentence(key).replace(/\{(\w+)\}/g, (_, name) => String(values[name])));
  }

  // A missing word shows its key, which is better than a page that stops. The console reports it, to maintainers and to tests.
  sentence(key) {
    if (byFinger?.matches && this.has(`${key}_touch`)) return this.table[`${key}_touch`];
    if (this.has(key)) return this.table[key];
    console.error(`There is no word for '${key}'.`);
    return key.replaceAll("_", " ");
  }

  /** Join several things to a list. @param {string[]} things */
  list(things) {
    return things.join(this.say("list_comma"));
  }

  /** Join several sentences, leaving out empty ones. @param {string[]} sentences */
  told(sentences) {
    return sentences.filter(Boolean).join(this.say("sentence_gap"));
  }

  /** HTML in which $key stands for a word. @param {string} html @returns {DocumentFragment} */
  fill(html) {
    const made = document.createElement("template");
    made.innerHTML = html.replace(/\$([a-z]\w*)/g, (_, key) => escaped(this.say(key)));
    for (const term of made.content.querySelectorAll("[data-term]")) {
      term.setAttribute("role", "button"); // a press explains the word, see ui/glossary
      term.setAttribute("tabindex", "0");
    }
    return made.content;
  }
}

/** Fix the spaces around inserted values: one between Latin and Chinese letters, none between two Chinese ones. @param {string} text */
const joined = (text) =>
  text.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g, "");

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
}
