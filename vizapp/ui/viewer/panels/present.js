// For a room full of people: the picture, its colours, the layers and one sentence, as large as the screen allows.

import { finder } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "present",
  place: "stage",
  order: 3,
  html: `<button class="viz-present viz-icon" aria-pressed="false" title="$present_help" aria-label="$present"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg></button>`,
  keys: { p: "key_present" },
  mount(root) {
    const button = finder(root)("present");
    const page = root.ownerDocument;
    const whole = () => root.closest(".viz"); // with every other panel

    // Where a page may not fill the screen (an iPhone, a frame) it fills the window: the class alone does that.
    function turn(isOn) {
      whole().classList.toggle("viz-presented", isOn);
      button.setAttribute("aria-pressed", String(isOn));
      if (isOn)
        whole()
          .requestFullscreen?.()
          .catch(() => {});
      else if (page.fullscreenElement === whole()) page.exitFullscreen();
    }

    const isOn = () => whole().classList.contains("viz-presented");
    button.addEventListener("click", () => turn(!isOn()));
    // The browser's own key, Escape, ends the full screen without telling anyone else.
    page.addEventListener("fullscreenchange", () => page.fullscreenElement !== whole() && isOn() && turn(false));

    // Where there is no full screen, Escape is not the browser's; and in front of a class nobody clicks the picture first.
    page.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const isLost = event.target === page.body && event.key === "p";
      if (!isLost && !(event.key === "Escape" && isOn())) return;
      turn(!isOn());
      event.preventDefault();
    });

    return { press: () => turn(!isOn()) };
  },
};
