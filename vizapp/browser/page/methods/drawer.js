// A button that opens a drawer over the page. Escape closes it, and so does a press beside it.

/** @param {HTMLElement} root where Escape is heard @param {HTMLElement} button @param {HTMLElement} box */
export function drawer(root, button, box) {
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  const open = (to) => {
    button.setAttribute("aria-expanded", String(to));
    box.classList.toggle("is-open", to);
  };
  button.setAttribute("aria-controls", box.id);
  open(false);
  button.addEventListener("click", () => open(!isOpen()));
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !button.contains(target) && !box.contains(target)) open(false);
  });
  root.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen()) return;
    open(false);
    button.focus();
  });
}
