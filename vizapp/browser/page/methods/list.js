// The list of methods, with the areas of deletion and insertion of each map.

/**
 * @typedef {object} Method as vizapp/browser/methods.py says it
 * @property {string} name
 * @property {string} title
 * @property {string} sentence
 * @property {string} unit
 * @property {boolean} isShare
 * @property {boolean} isSlow
 * @property {boolean} ofClass
 * @property {boolean} isSigned
 * @property {boolean} isBaseline
 */

/**
 * @param {HTMLElement} root
 * @param {Method[]} methods
 * @param {import("../cargo.js").Language} words
 * @param {(name: string) => void} choose
 * @returns {(chosen: string, areasOf: (name: string) => [number, number] | null, canExplain: boolean) => void} marks the
 *   chosen one, and shows the known areas
 */
export function list(root, methods, { page, export: own }, choose) {
  const table = root.appendChild(document.createElement("table"));
  const head = table.createTHead().insertRow();
  head.append(
    ...[
      [page.column_method, own.methodsChoose],
      [`${page.deletion} \u2193`, page.deletion_x],
      [`${page.insertion} \u2191`, page.insertion_x],
    ].map(([textContent, title]) => Object.assign(document.createElement("th"), { textContent, title, scope: "col" })),
  );
  const body = table.createTBody();
  const rows = methods.map((one) => {
    const row = body.insertRow();
    row.dataset.method = one.name;
    row.dataset.baseline = String(one.isBaseline);
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.title = one.sentence;
    button.append(
      Object.assign(document.createElement("b"), { textContent: one.title }),
      Object.assign(document.createElement("span"), { textContent: one.isSlow ? own.methodsSlow : "" }),
    );
    button.addEventListener("click", () => choose(one.name));
    row.insertCell().append(button);
    const numbers = [row.insertCell(), row.insertCell()];
    return { one, row, button, numbers };
  });
  return (chosen, areasOf, canExplain) => {
    for (const { one, row, button, numbers } of rows) {
      button.setAttribute("aria-pressed", String(one.name === chosen));
      button.disabled = one.ofClass && !canExplain;
      row.dataset.chosen = String(one.name === chosen);
      const areas = areasOf(one.name);
      numbers.forEach((cell, i) => (cell.textContent = areas ? areas[i].toFixed(3) : ""));
    }
  };
}
