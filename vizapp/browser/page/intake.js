// Takes a visitor's own picture or film: chosen, dropped anywhere on the page, or pasted. It does not leave the page.

import { dropped, isPicture, listed } from "../../ui/incoming/files.js";
import { mayMove } from "../../ui/incoming/frames.js";

/** @param {import("./desk.js").Desk} desk @param {HTMLElement} root @param {(file: File) => Promise<boolean>} film shows one */
export function intake(desk, root, film) {
  const { words } = desk;
  const { isLive } = desk;
  const field = /** @type {HTMLInputElement} */ (root.querySelector("input[type=file]"));
  field.addEventListener("change", () => {
    take(listed(field.files));
    field.value = ""; // otherwise choosing the same file again would cause no event
  });
  root.querySelector(".bring").addEventListener("click", () => field.click());
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    take((await dropped(event.dataTransfer)).found);
  });
  addEventListener("paste", (event) => {
    if (event.clipboardData.files.length) take(listed(event.clipboardData.files));
  });

  async function take(found) {
    const one = found.map(({ file }) => file).find((file) => isPicture(file) || mayMove(file));
    if (!one) return found.length ? desk.said(words.export.noPicture) : null;
    if (!isLive) return desk.said(words.export.mapsOnly);
    if (mayMove(one) && (await film(one))) return null;
    const picture = desk.bring(new Uint8Array(await one.arrayBuffer()), one.type, one.name);
    const now = desk.wanted ?? desk.shown;
    const model =
      now && desk.source.can(now.model, picture) ? now.model : desk.about.models.find(({ name }) => desk.source.runs(name)).name;
    const isOther = now && now.model !== model;
    const says = isOther ? words.export.looksInstead.replace("{model}", now.model).replace("{other}", model) : "";
    return desk.look({ picture, model }, { says });
  }
}
