// Files of what stands on the tab: the table, the maps as one picture of a width, and their numbers. What the source does not make
// is not offered; the table is made here then.

import { download } from "./csv.js";
import { filled, made } from "./made.js";
import { nameOf, save } from "./table.js";

/**
 * @param {HTMLElement} root
 * @param {import("../desk.js").Desk} desk
 * @param {{results: () => import("./told.js").Results[], asked: () => Record<string, any>,
 *   make: (what: any, name: string) => Promise<any>}} tab `asked`: what the source needs to know of what is shown
 * @returns {(isReady: boolean) => void} allows saving
 */
export function files(root, desk, { results, asked, make }) {
  const { page, viewer, methods } = desk.words;
  const isMade = desk.source.compares.includes("files");
  const names = { csv: page.save_csv, ...(isMade ? { png: page.save_png, npz: page.save_npz } : {}) };
  const buttons = Object.entries(names).map(([kind, title]) => {
    const button = made("button", { type: "button", id: `methods-${kind}` }, title);
    button.addEventListener("click", () => (isMade ? give(kind, title, button) : save(results(), desk.shown.model, desk.title)));
    return button;
  });
  const widths = (methods.widths ?? []).map((one) => new Option(filled(page.save_width, { width: one }), String(one)));
  const width = made(
    "select",
    { id: "methods-width", ariaLabel: page.save_width_label, title: page.save_width_label },
    ...widths,
  );
  const link = made("button", { type: "button", className: "copy-link" }, viewer.copy_link);
  root.append(...buttons, ...(widths.length ? [width] : []), link);

  async function give(kind, title, button) {
    const what = { file: kind, ...(kind === "png" ? { width: Number(width.value) } : {}), ...asked() };
    const answer = await make(what, title);
    if (!answer) return;
    if (answer.isEnglish) button.textContent = page.save_png_english; // the server has no letters of this language
    download(answer.file, nameOf(desk.shown.model, desk.title, kind));
  }

  return (isReady) => {
    for (const one of buttons) one.disabled = !isReady;
  };
}
