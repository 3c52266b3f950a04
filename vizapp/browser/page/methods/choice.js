// Which methods run, what stands in the place of missing patches, and the target that is compared: a drawer behind a button.

import { drawer } from "./drawer.js";
import { Fields } from "./fields.js";
import { escaped, filled, made } from "./made.js";

/** @typedef {import("./told.js").Method} Method */

const KINDS = ["class", "every", "slow"];
const FILLS = ["mean", "blur"];
const NOBODY = "";

/** @param {Method} method */
const kindOf = ({ isSlow, ofClass }) => (isSlow ? "slow" : ofClass ? "class" : "every");

export class Choice {
  /**
   * @param {HTMLElement} root an element for the drawer
   * @param {HTMLElement} button opens it, and says how many methods there are
   * @param {import("../desk.js").Desk} desk
   * @param {{ticked: (method: string) => void, set: (method: string) => void, filled: () => void, compared: () => void,
   *   refused: (said: string) => void}} changed is called with what the visitor has changed, or with why that is not possible
   */
  constructor(root, button, desk, changed) {
    const { methods, page } = desk.words;
    this.words = desk.words;
    this.root = root;
    this.button = button;
    this.offered = methods.here.filter(({ isBaseline }) => !isBaseline);
    /** @type {Set<string>} */
    this.ticked = new Set(this.offered.filter(({ isChosen = true }) => isChosen).map(({ name }) => name));
    this.fill = FILLS[0];
    this.groups = new Map(KINDS.map((kind) => [kind, this.group(kind, changed)]));
    this.other = made("select", { id: "methods-other" });
    this.other.addEventListener("change", () => changed.compared());
    /** @type {import("./targets.js").Target[]} */
    this.targets = [];
    const isAble = (what) => desk.source.compares.includes(what);
    this.fields = isAble("settings") ? new Fields(desk, this.offered, changed) : null;
    this.root.append(
      ...this.groups.values(),
      ...(methods.lacking ? [made("p", { id: "methods-lacking", innerHTML: methods.lacking })] : []),
      made("div", { id: "methods-choice" }, this.labelled(this.other, "other"), ...(isAble("fill") ? [this.fills(changed)] : [])),
      made("details", { id: "methods-what" }, made("summary", {}, page.what), this.what()),
      ...(this.fields ? [made("details", { id: "methods-settings" }, made("summary", {}, page.settings), this.fields.root)] : []),
    );
    this.say();
    drawer(/** @type {HTMLElement} */ (root.parentElement), button, root);
  }

  group(kind, changed) {
    const some = this.offered.filter((one) => kindOf(one) === kind);
    const boxes = some.map(({ name }) => {
      const box = made("input", { type: "checkbox", value: name, checked: this.ticked.has(name) });
      box.addEventListener("change", () => {
        this.ticked[box.checked ? "add" : "delete"](name);
        this.say();
        changed.ticked(name);
      });
      return made("label", {}, box, made("span"));
    });
    const legend = made("legend", {}, this.words.page[`kind_${kind}`]);
    return made("fieldset", { id: `methods-${kind}`, hidden: !some.length }, legend, ...boxes);
  }

  fills(changed) {
    const { page } = this.words;
    const boxes = FILLS.map((fill) => {
      const box = made("input", { type: "radio", name: "methods-empty", value: fill, checked: fill === this.fill });
      box.addEventListener("change", () => {
        this.fill = fill;
        changed.filled();
      });
      return made("label", {}, box, page[`empty_${fill}`]);
    });
    return made("fieldset", { id: "methods-empty", title: page.empty_help }, made("legend", {}, page.empty), ...boxes);
  }

  labelled(control, key) {
    const { page } = this.words;
    return made(
      "label",
      { className: "field", title: page[`${key}_help`] },
      made("span", { className: "label" }, page[key]),
      control,
    );
  }

  what() {
    const { named } = this.words.page;
    const said = ({ title, sentence }) => filled(named, { name: escaped(title), said: escaped(sentence) });
    const items = this.offered.map((one) => made("li", { innerHTML: `${said(one)} <i>${escaped(one.paper)}</i>` }));
    return made("ul", { className: "methods-what" }, ...items);
  }

  /**
   * Follow the network: which methods mean nothing for it, and whether it has a target at all.
   * @param {{notHere: string[], hasTarget: boolean}} about
   */
  follow({ notHere, hasTarget }) {
    const { page } = this.words;
    for (const [kind, group] of this.groups) {
      for (const label of group.querySelectorAll("label")) {
        const { name, title, ofClass } = this.offered.find((one) => one.name === label.querySelector("input").value);
        const of = kind === "slow" && !ofClass ? filled(page.name_every_class, { method: title }) : title;
        label.querySelector("span").textContent = notHere.includes(name) ? filled(page.name_not_here, { method: of }) : of;
        label.hidden = ofClass && !hasTarget;
      }
      group.hidden = !group.querySelector("label:not([hidden])");
    }
    this.say();
  }

  // Say on the button how many methods there are, and show the settings of these.
  say() {
    const count = this.root.querySelectorAll("label:not([hidden]) > input[type=checkbox][value]:checked").length;
    this.button.textContent = filled(this.words.page.methods_chip, { n: count || this.ticked.size });
    this.fields?.show(this.ticked);
  }

  /** Offer the targets to compare with; the chosen one stays if it is among them. @param {import("./targets.js").Target[]} targets */
  compare(targets) {
    const before = this.compared;
    this.targets = targets;
    const options = targets.map(({ label }, at) => new Option(label, String(at)));
    this.other.replaceChildren(new Option(this.words.page.nobody, NOBODY), ...options);
    this.other.value = targets.includes(before) ? String(targets.indexOf(before)) : NOBODY;
    this.other.disabled = !targets.length;
  }

  /** The target to compare with, if there is one. @returns {import("./targets.js").Target | null} */
  get compared() {
    return this.other.value === NOBODY ? null : (this.targets[Number(this.other.value)] ?? null);
  }

  /** The settings of methods that have other than their defaults. @param {string[]} names */
  settings(names) {
    return Object.fromEntries(names.flatMap((name) => (this.fields?.of.has(name) ? [[name, this.fields.of.get(name)]] : [])));
  }
}
