// Every word on the page comes from a table that the server hands over; a panel may bring words of its own, which a table
// that has them too replaces.

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
    if (!this.has(key)) throw new Error(`There is no word for '${key}'.`);
    return joined(this.table[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name])));
  }

  /** Several things, one after the other. @param {string[]} things */
  list(things) {
    return things.join(this.say("list_comma"));
  }

  /** Several sentences, one after the other; those that are empty are left out. @param {string[]} sentences */
  told(sentences) {
    return sentences.filter(Boolean).join(this.say("sentence_gap"));
  }

  /** HTML in which $key stands for a word. @param {string} html @returns {DocumentFragment} */
  fill(html) {
    const made = document.createElement("template");
    made.innerHTML = html.replace(/\$([a-z]\w*)/g, (_, key) => escaped(this.say(key)));
    for (const term of made.content.querySelectorAll("[data-term]")) {
      term.setAttribute("role", "button"); // a press says what the word means, see ui/glossary
      term.setAttribute("tabindex", "0");
    }
    return made.content;
  }
}

/** Between Latin and Chinese letters stands a space, between two Chinese ones none: which it is, a value decides. @param {string} text */
const joined = (text) =>
  text.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g, "");

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
}
