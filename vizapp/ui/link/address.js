// The text of a link: the page's part, then the viewer's, "#v=1&picture=lesson/clutter/16&model=toy&layer=2".

import { PAGE_KEYS } from "../viewer/version.js";

/**
 * Parse a hash; null if it is not a link of this page, such as an anchor. It may come from anybody.
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

/** The inverse of `parse`. @param {Record<string, string>} page @param {string} state @returns {string} */
export function write(page, state) {
  const parts = PAGE_KEYS.filter((key) => page[key]).map((key) => `${key}=${encodeURIComponent(page[key])}`);
  const text = [...parts, ...(state ? [state] : [])].join("&");
  return `#${text.replace(/%(?:2C|2F|3A|3F|40)/g, decodeURIComponent)}`; // , / : ? @ need no escape in a hash
}

/** The part of a link that the server knows, in a fixed order. @param {Record<string, string>} page */
export const written = ({ picture = "", page = "", model = "", fit = "", edits = "" }) =>
  write({ picture, page, model, fit, edits }, "");

/** Whether two of them name the same. @param {Record<string, string>} one @param {Record<string, string>} other */
export const same = (one, other) => written(one) === written(other);

/** HTML that shows the view of a link in another page. @param {string} link @param {string} title */
export function framed(link, title) {
  const address = new URL(link);
  address.searchParams.set("embed", "1");
  const [src, name] = [address.href, title].map((one) => one.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
  return `<iframe src="${src}" width="480" height="560" style="border: 0" title="${name}"></iframe>`;
}

/** The address to give to others, without parameters of this visit: `__sign` of a private Space, `embed`. */
export function direct({ origin, pathname }, hash, language) {
  return `${origin}${pathname}${language ? `?lang=${encodeURIComponent(language)}` : ""}${hash}`;
}
