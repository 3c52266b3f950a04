// Chooses the page's language: that of the address, of the last visit, of the browser, or the first.

const KEPT = "vizapp-language";

/** @param {Record<string, {tag: string}>} known @returns {string} */
export function chosen(known) {
  const asked = new URLSearchParams(location.search).get("lang");
  const names = Object.keys(known);
  if (names.length === 1) return names[0]; // with a server each language has a page
  if (names.includes(asked)) {
    keep(asked);
    return asked;
  }
  const last = kept();
  if (names.includes(last)) return last;
  for (const tag of navigator.languages ?? []) {
    const found = names.find((name) => tag === known[name].tag || tag.split("-")[0] === known[name].tag.split("-")[0]);
    if (found) return found;
  }
  return names[0];
}

/** The address of the current view in another language. @param {string} name */
export function addressIn(name) {
  const query = new URLSearchParams(location.search);
  query.set("lang", name);
  return `${location.pathname}?${query}${location.hash}`;
}

/** @returns {string | null} the language that was chosen last */
export function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // storage is blocked
  }
}

/** Keep a language for the next visit. @param {string} name */
export function keep(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // storage is blocked: the next visit has to choose again
  }
}
