// Elements with what is in them, for the parts of the tab.

/** @param {string} name @param {Record<string, any>} [properties] @param {...(Node | string)} children @returns {any} */
export function made(name, properties = {}, ...children) {
  const { data = {}, role, ...own } = properties;
  const one = Object.assign(document.createElement(name), own);
  Object.assign(one.dataset, data);
  if (role) one.setAttribute("role", role);
  one.append(...children);
  return one;
}

/** A sentence with its values. @param {string} said @param {Record<string, unknown>} values */
export const filled = (said, values) => said.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text for a sentence that is HTML. @param {string} text */
export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);
