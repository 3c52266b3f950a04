// For a room full of people: the picture, its colours, the layers and one sentence, as large as the screen allows.

import { finder } from "../dom.js";
import { OPENS, depthOf, openOnly } from "../zoom.js";

const STEPS = [...Object.keys(OPENS), "chapter", "pinned", "tool"]; // keys of the state that Escape, or the book, leads back

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "present",
  place: "stage",
  order: 3,
  html: `<button class="viz-present viz-icon" aria-pressed="false" title="$present_help" aria-label="$present"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg></button>`,
  keys: { p: "key_present", Escape: "key_back" },
  mount(root, { state, book }) {
    const button = finder(root)("present");
    const page = root.ownerDocument;
    const whole = () => root.closest(".viz"); // with every other panel
    const stage = () => /** @type {HTMLElement} */ (whole().querySelector(".viz-stage"));
    const where = () => JSON.stringify(STEPS.map((key) => state.get(key)));
    let began = ""; // where the visitor was when it began

    // An iPhone or a frame does not allow full screen. There the class alone makes the viewer fill the window.
    function turn(isOn) {
      whole().classList.toggle("viz-presented", isOn);
      button.setAttribute("aria-pressed", String(isOn));
      began = where();
      if (isOn) {
        stage().focus({ preventScroll: true }); // the space bar plays, and presses no button again
        whole()
          .requestFullscreen?.()
          .catch(() => {});
      } else if (page.fullscreenElement === whole()) page.exitFullscreen();
    }

    const isOn = () => whole().classList.contains("viz-presented");
    button.addEventListener("click", () => turn(!isOn()));
    // Escape ends the browser's full screen without a key event. It means the last step, as everywhere: what was opened here is
    // closed, and the viewer goes on filling the window.
    page.addEventListener("fullscreenchange", () => {
      if (page.fullscreenElement === whole() || !isOn()) return;
      whole().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    });

    // An Escape that no panel has taken, wherever the focus is. The window hears it after the viewer.
    page.defaultView.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.key !== "Escape" || !isOn()) return;
      event.preventDefault();
      const isElsewhere = where() !== began;
      if (isElsewhere && depthOf(state.all()) !== "picture") state.set(openOnly(null));
      else if (isElsewhere && state.get("chapter")) book.close();
      else turn(false);
    });

    function press(key) {
      if (key === "Escape" && (!isOn() || where() !== began)) return false; // another panel has taken the last step
      turn(!isOn());
    }

    return { press };
  },
};
