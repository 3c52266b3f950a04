// Words of the page that say what they mean: what stands in the help of a word comes up beside it, while a mouse or the focus is on it,
// and by a tap. Escape, a press elsewhere and scrolling put it away.

const PAUSE = 200; // milliseconds: a mouse that only passes asks nothing, and one that leaves may reach what it reads

/** @param {HTMLElement} root what holds the help: a paragraph per word, with data-word */
export function explain(root) {
  const box = /** @type {HTMLElement} */ (document.querySelector("#term-said") ?? document.createElement("div"));
  box.id = "term-said";
  box.popover = "manual";
  box.role = "tooltip";
  document.body.append(box);
  /** @type {HTMLElement | null} */
  let shown = null;
  let timer = 0;

  const termOf = (event) => (event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("[data-term]")) : null);

  function show(term) {
    clearTimeout(timer);
    if (shown === term) return;
    hide();
    const told = term.dataset.term.split(" ").flatMap((word) => [...root.querySelectorAll(`[data-word="${word}"]`)]);
    if (!told.length) return;
    box.replaceChildren(...told.map((one) => Object.assign(document.createElement("p"), { innerHTML: one.innerHTML })));
    shown = term;
    term.setAttribute("aria-describedby", box.id);
    box.showPopover();
    const { left, top, bottom } = term.getBoundingClientRect();
    const above = top - 6 - box.offsetHeight > 0; // a word stands above what it names, which is to be seen while it is read of
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${above ? top - 6 - box.offsetHeight : bottom + 6}px`;
  }

  function hide() {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    if (shown) box.hidePopover();
    shown = null;
  }

  function later(what) {
    clearTimeout(timer);
    timer = setTimeout(what, PAUSE);
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const term = termOf(event);
    if (term && term !== shown) later(() => show(term));
    else if (term || box.contains(/** @type {Node} */ (event.target))) clearTimeout(timer);
    else if (shown && shown !== document.activeElement) later(hide);
    else if (!shown) clearTimeout(timer);
  });
  document.addEventListener("focusin", (event) => {
    const term = termOf(event);
    if (term?.matches(":focus-visible")) show(term);
    else if (!term) hide();
  });
  document.addEventListener("click", (event) => {
    const term = termOf(event);
    if (term) {
      event.preventDefault(); // it may stand in the label of a control
      show(term);
    } else if (shown && !box.contains(/** @type {Node} */ (event.target))) hide();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && shown) {
        event.stopPropagation(); // one thing at a time
        hide();
      } else if ((event.key === "Enter" || event.key === " ") && termOf(event)) {
        event.preventDefault();
        event.stopPropagation();
        show(termOf(event));
      }
    },
    true,
  );
  document.addEventListener("scroll", ({ target }) => target !== box && hide(), true);

  // The help itself, and what is to be read beyond it.
  const help = /** @type {HTMLDetailsElement} */ (root.querySelector("details"));
  const concepts = /** @type {HTMLDialogElement} */ (root.querySelector("dialog"));
  // It opens below its word, wherever the heading breaks its lines, and stays in the window.
  const told = /** @type {HTMLElement} */ (help.lastElementChild);
  help.addEventListener("toggle", () => {
    told.style.translate = "";
    if (!help.open) return;
    const { left, right, top } = told.getBoundingClientRect();
    told.style.translate = `${Math.max(0, 8 - left) + Math.min(0, innerWidth - 8 - right)}px`;
    told.style.maxHeight = `${Math.max(200, innerHeight - 8 - Math.max(0, top))}px`;
  });
  help.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !help.open) return;
    help.open = false;
    /** @type {HTMLElement} */ (help.firstElementChild).focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!help.contains(/** @type {Node} */ (target)) && !concepts.contains(/** @type {Node} */ (target))) help.open = false;
  });
  root.querySelector("[data-opens]").addEventListener("click", () => concepts.showModal());
  concepts.addEventListener("click", ({ target }) => {
    if (target === concepts || /** @type {Element} */ (target).matches("[data-closes]")) concepts.close();
  });
}
