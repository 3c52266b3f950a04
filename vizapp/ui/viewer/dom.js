// Small things that panels do to the page.

/** Writing the same text again would make the browser lay out the page again. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set properties, and attributes with a "-" in their name. @param {Element} element @param {Record<string, any>} values */
export function put(element, values) {
  // Setting what is set already makes the browser style and lay out that part of the page again, with each move of the hand.
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

/** The parts of a panel by the names in their classes: find("bar") is .viz-bar. @param {HTMLElement} root @returns {(name: string) => any} */
export const finder = (root) => (name) => root.querySelector(`.viz-${name}`);

let made = 0;

/** Let a click on a label reach its control, whatever else stands on the page. */
export function pair(label, control) {
  made += 1;
  control.id = label.htmlFor = `viz-${Math.random().toString(36).slice(2)}-${made}`;
}

const REST = 700; // milliseconds without another word: what is said while a hand moves is said to nobody

/**
 * What to tell, politely, those who hear the page, when what is shown has come to rest.
 * @param {HTMLElement} beside what stands there for the others
 * @returns {(make: () => string) => void} of which only the last is asked
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

/** Buttons of which one is pressed, `data-set` naming the key of the state and `data-value` its value. */
export class Choice {
  constructor(root, state) {
    this.buttons = [...root.querySelectorAll("button[data-set]")];
    for (const button of this.buttons) {
      button.addEventListener("click", () => state.set({ [button.dataset.set]: button.dataset.value }));
    }
  }

  /** `isOff(value)`: what the present map has no use for. */
  show(shown, isOff) {
    for (const button of this.buttons) {
      const { value } = button.dataset;
      put(button, { "aria-pressed": value === shown, disabled: isOff(value) });
    }
  }
}

/** Tell the state what a control is set to. */
export function bind(control, type, state, changes) {
  control.addEventListener(type, () => state.set(changes(control)));
}

/** Escape and a click elsewhere close what a <details> has opened; keys in it scroll it and do nothing else. @param {HTMLDetailsElement} box */
export function closing(box) {
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Escape" || !box.open) return;
    box.open = false;
    /** @type {HTMLElement} */ (box.firstElementChild).focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!box.contains(/** @type {Node} */ (target))) box.open = false;
  });
}
