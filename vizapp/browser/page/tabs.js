// Tabs: show one of several boxes beside the pictures.

/**
 * @typedef {{title: string, box: HTMLElement, shown?: () => void}} Tab `shown`: is called when its box comes up
 * @param {HTMLElement} root @param {Tab[]} all
 */
export function tabs(root, all) {
  const buttons = all.map(({ title, box }, i) => {
    box.id ||= `tab-box-${i}`;
    box.setAttribute("role", "tabpanel");
    box.setAttribute("aria-label", title);
    const button = Object.assign(document.createElement("button"), { type: "button", role: "tab", textContent: title });
    button.setAttribute("aria-controls", box.id);
    button.addEventListener("click", () => choose(i));
    return button;
  });
  root.append(...buttons);
  root.addEventListener("keydown", ({ key }) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!by) return;
    const next = (buttons.findIndex((one) => one === document.activeElement) + by + all.length) % all.length;
    choose(next);
    buttons[next].focus();
  });
  choose(0);

  function choose(chosen) {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
      all[i].box.hidden = i !== chosen;
    });
    all[chosen].shown?.();
  }
}
