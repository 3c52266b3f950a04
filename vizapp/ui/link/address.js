// The text of a link: the page's part beside the viewer's, "#v=1&picture=lesson/clutter/16&model=toy&layer=2".

import { PAGE_KEYS } from "../viewer/version.js";

/**
 * What a hash asks for; null if it is none of ours, as that of an anchor. It may come from anybody.
 * @param {string} hash
 * @returns {{page: Record<string, string>, state: string} | null} `state` as State.fromHash reads it
 */
export function parse(hash) {
  const page = /** @type {Record<string, string>} */ ({});
  const state = [];
  const parts = hash.replace(/^#/, "").split("&");
  for (const part of parts.filter(Boolean)) {
    const key = part.split("=", 1)[0];
    if (PAGE_KEYS.includes(key)) page[key] = new URLSearchParams(part.replaceAll("+", "%2B")).get(key);
    else state.push(part);
  }
  return hash.includes("=") ? { page, state: state.join("&") } : null;
}

/** The inverse. @param {Record<string, string>} page @param {string} state @returns {string} */
export function write(page, state) {
  const parts = PAGE_KEYS.filter((key) => page[key]).map((key) => `${key}=${encodeURIComponent(page[key])}`);
  const text = [...parts, ...(state ? [state] : [])].join("&");
  return `#${text.replace(/%(?:2C|2F|3A|3F|40)/g, decodeURIComponent)}`; // , / : ? @ mean nothing in a hash
}

/** The part of a page that its server knows, in one order. @param {Record<string, string>} page */
export const written = ({ picture = "", model = "", fit = "", edits = "" }) => write({ picture, model, fit, edits }, "");

/** The address of a page as others should open it, without what is for this visit: `__sign` of a private Space, `embed`. */
export function direct({ origin, pathname }, hash, language) {
  return `${origin}${pathname}${language ? `?lang=${encodeURIComponent(language)}` : ""}${hash}`;
}
