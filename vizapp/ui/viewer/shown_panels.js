// Which panels are seen, and where they stand: those that have something to say at this depth; beside a chapter those that it needs.

import { put } from "./dom.js";
import { travel } from "./zoom.js";

const FOLDED = ["maps", "show", "look"]; // places that scroll or open: what a chapter is about stands in view instead
const LATER = ["top", "explore", "found", "doors", "show", "look"]; // places whose panels a chapter names, or does without

/**
 * A hidden panel costs nothing: its canvases have no size.
 * @param {HTMLElement} root the viewer
 * @param {Record<string, HTMLElement>} places by name, see frame.js
 * @param {{name: string, box: HTMLElement, place: string, shows?: (view: any) => boolean}[]} panels in their order
 * @param {any} view
 */
export function choosePanels(root, places, panels, view) {
  const before = root.dataset.depth;
  // Rules of the whole viewer ask these. With `:has` they would be asked again, for each element, when any text in it changes.
  put(root, {
    "data-depth": view.depth,
    "data-reading": view.isReading,
    "data-guessing": view.guess !== null,
    "data-coloured": view.teach && view.labelled,
  });
  const held = document.activeElement?.closest(".viz-panel");
  for (const { name, box, place, shows } of panels) {
    const [isLit, isNeeded] = [view.lights.includes(name), view.needs.includes(name)];
    const speaks = shows?.(isNeeded ? { ...view, isReading: false } : view) !== false;
    const isLeftOut = view.isReading && !isNeeded && LATER.includes(place);
    stand(box, places[isLit && FOLDED.includes(place) ? "explore" : place], panels);
    put(box, { hidden: !isLit && (!speaks || isLeftOut) });
    box.classList.toggle("viz-lit", isLit);
  }
  for (const place of Object.values(places))
    put(place, { hidden: [...place.children].every((box) => /** @type {HTMLElement} */ (box).hidden) });
  if (before && before !== view.depth) {
    travel(root.querySelector(".viz-side"), before === "picture");
    root.querySelector(".viz-back").scrollIntoView({ block: "nearest" }); // on a phone: what is deeper begins with its heading
  }
  // What was pressed may be hidden now, as a door behind which one stands: keys go on with the stage.
  const isGone = panels.some(({ box }) => box === held && box.hidden);
  if (isGone) /** @type {HTMLElement} */ (root.querySelector(".viz-stage")).focus({ preventScroll: true });
}

// Put a panel into a place, among its neighbours there.
function stand(box, place, panels) {
  if (box.parentElement === place) return;
  const boxes = panels.map((panel) => /** @type {Element} */ (panel.box));
  const next = [...place.children].find((one) => boxes.indexOf(one) > boxes.indexOf(box));
  place.insertBefore(box, next ?? null);
}
