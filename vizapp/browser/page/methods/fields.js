// The settings of methods: a box of fields for each. What is written is asked of the source at once: a wrong value is refused in its
// words, and what was in force stays so.

import { made } from "./made.js";

/**
 * @typedef {object} Field as vizapp/server/fields.py describes it
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {"choice" | "flag" | "text" | "number"} kind
 * @property {string[]} choices
 * @property {string | number | boolean} value at first
 */

export class Fields {
  /**
   * @param {import("../desk.js").Desk} desk
   * @param {import("./told.js").Method[]} methods
   * @param {{set: (method: string) => void, refused: (said: string) => void}} changed
   */
  constructor(desk, methods, changed) {
    this.source = desk.source;
    this.changed = changed;
    /** @type {Map<string, Record<string, any>>} by method: what is in force and not as at first */
    this.of = new Map();
    const some = methods.filter(({ fields = [] }) => fields.length);
    /** @type {Map<string, HTMLElement>} */
    this.boxes = new Map(some.map((one) => [one.name, this.box(one)]));
    this.root = made(
      "div",
      {},
      made("p", {}, desk.words.page.settings_help),
      made("div", { id: "methods-boxes" }, ...this.boxes.values()),
    );
  }

  /** @param {import("./told.js").Method} method */
  box({ name, title, fields = [] }) {
    const controls = fields.map((field) => ({ field, control: controlOf(field) }));
    const box = made("fieldset", { data: { method: name } }, made("legend", {}, title));
    for (const { field, control } of controls) {
      const about = made("small", { id: `about-${name}-${field.name}` }, field.about);
      const label = made("label", { id: `settings-${name}-${field.name}` }, made("b", {}, field.title), control, about);
      control.setAttribute("aria-describedby", about.id);
      control.addEventListener("change", () => this.set(name, controls, control));
      box.append(label);
    }
    return box;
  }

  async set(method, controls, control) {
    const now = controls.map(({ field, control: one }) => [field, valueOf(field, one)]);
    const written = Object.fromEntries(
      now.filter(([field, value]) => value !== field.value).map(([{ name }, value]) => [name, value]),
    );
    let why = "";
    try {
      ({ why = "" } = await this.source.settings(method, written));
    } catch (error) {
      why = error.message;
    }
    control.setAttribute("aria-invalid", String(Boolean(why)));
    if (why) return this.changed.refused(why);
    for (const { control: one } of controls) one.removeAttribute("aria-invalid");
    if (Object.keys(written).length) this.of.set(method, written);
    else this.of.delete(method);
    return this.changed.set(method);
  }

  /** Show the boxes of these methods. @param {Set<string>} ticked */
  show(ticked) {
    for (const [name, box] of this.boxes) box.hidden = !ticked.has(name);
  }
}

/** @param {Field} field */
function controlOf({ kind, choices, value }) {
  if (kind === "choice") {
    const select = made("select", {}, ...choices.map((one) => new Option(one, one)));
    select.value = value;
    return select;
  }
  if (kind === "flag") return made("input", { type: "checkbox", checked: value });
  return made("input", {
    type: "text",
    inputMode: kind === "number" ? "decimal" : "numeric",
    value: String(value),
    autocomplete: "off",
  });
}

// What stands in a field. A text that is no number goes to the source as it is, which says so.
function valueOf({ kind }, control) {
  if (kind === "flag") return control.checked;
  const text = control.value.trim();
  return kind === "number" && text && Number.isFinite(Number(text)) ? Number(text) : text;
}
