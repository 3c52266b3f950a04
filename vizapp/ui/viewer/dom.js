// Small helpers with which panels change the page.

/** Set an element's text if it differs. Writing the same text would make the browser lay out the page again. */
export function write(element, text) {
  const { firstChild: only } = element;
  if (element.textContent === text) return;
  // Another text node would have the browser ask each rule with :has above it once more, on every move of the mouse.
  if (text && only?.nodeType === 3 && only === element.lastChild) only.nodeValue = text;
  else element.textContent = text;
}

/** Tell whether the visitor wants nothing to move. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Bring an element into view. @param {Element} element @param {ScrollLogicalPosition} [block] */
export function intoView(element, block = "start") {
  element.scrollIntoView({ block, behavior: isStill() ? "auto" : "smooth" });
}

/** Set properties, and attributes with a "-" in their name. @param {Element} element @param {Record<string, any>} values */
export function put(element, values) {
  // Setting an unchanged value makes the browser style and lay out that part again, on every move of the mouse.
  for (const [name, value] of Object.entries(values)) {
    const before = name.includes("-") ? element.getAttribute(name) : element[name];
    if (String(before) === String(value)) continue;
    if (name.includes("-")) element.setAttribute(name, String(value));
    else element[name] = value;
  }
}

/** @param {string} tag @param {string} text */
export function tagged(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}

/** What HTML of ours says, without its marks. @param {string} html */
export function plain(html) {
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}

/** The parts of a panel by the names in their classes: find("bar") is .viz-bar. @param {HTMLElement} root @returns {(name: string) => any} */
export const finder = (root) => (name) => root.querySelector(`.viz-${name}`);

let made = 0;

/** Link a label to its control by an id that is unique on the page, where several viewers may stand. */
export function pair(label, control) {
  made += 1;
  control.id = label.htmlFor = `viz-${Math.random().toString(36).slice(2)}-${made}`;
}

const REST = 700; // milliseconds without a change: a screen reader could not follow a moving hand

/**
 * A polite live region that tells screen readers what is shown, once it stops changing.
 * @param {HTMLElement} beside the element that shows the same to everybody else
 * @returns {(make: () => string) => void} only the last `make` before the rest is called
 */
export function speaker(beside) {
  const live = tagged("span", "");
  live.className = "viz-unseen viz-spoken";
  live.setAttribute("aria-live", "polite");
  beside.after(live);
  let timer = 0;
  return (make) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => write(live, make()), REST);
  };
}

/** A group of buttons, one of them pressed: `data-set` names a key of the state, `data-value` its value. */
export class Choice {
  constructor(root, state) {
    this.buttons = [...root.querySelectorAll("button[data-set]")];
    for (const button of this.buttons) {
      button.addEventListener("click", () => state.set({ [button.dataset.set]: button.dataset.value }));
    }
  }

  /** `isOff(value)`: whether the current map has no use for a value. */
  show(shown, isOff = (_value) => false) {
    for (const button of this.buttons) {
      const { value } = button.dataset;
      put(button, { "aria-pressed": value === shown, disabled: isOff(value) });
    }
  }
}

/** Write a control's value to the state on each event of a type. */
export function bind(control, type, state, changes) {
  control.addEventListener(type, () => state.set(changes(control)));
}

/** Escape and a click elsewhere close what a <details> has opened; keys in it, while it is open, scroll it and do nothing else. @param {HTMLDetailsElement} box */
export function closing(box) {
  box.addEventListener("keydown", (event) => {
    if (!box.open) return;
    event.stopPropagation();
    if (event.key !== "Escape") return;
    box.open = false;
    /** @type {HTMLElement} */ (box.firstElementChild).focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!box.contains(/** @type {Node} */ (target))) box.open = false;
  });
}
