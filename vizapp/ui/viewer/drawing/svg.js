// Elements of an SVG drawing.

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Make an element. An attribute of no letters is left out.
 * @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] inside of it
 */
export function svg(name, attributes, text = "") {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}
