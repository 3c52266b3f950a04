// The numbers of a comparison: a table on the page, and the same as a file.

import { joined, modelName, pictureName } from "../../../ui/viewer/saving/titles.js";
import { csv, download } from "./csv.js";
import { MEASURES, asGood } from "./chance.js";
import { RANDOM } from "./told.js";

/** @typedef {import("./told.js").Results} Results */

const judged = ({ methods, of }) => methods.filter(({ name }) => of(name)?.curves);

/** @param {HTMLElement} root @param {Results} results @param {import("../cargo.js").Language} words */
export function table(root, results, { page }) {
  const made = document.createElement("table");
  const cells = (row, texts, tag) =>
    row.append(...texts.map((textContent) => Object.assign(document.createElement(tag), { textContent })));
  const titles = [
    ["lower", "deletion"],
    ["higher", "insertion"],
  ].map(([way, measure]) => page[`column_${way}`].replace("{title}", page[measure]));
  cells(made.createTHead().insertRow(), [page.column_method, page.column_explains, ...titles], "th");
  const body = made.createTBody();
  for (const { name, title, ofClass } of judged(results)) {
    const areas = results.of(name).curves.areas.map((area) => area.toFixed(3));
    const row = body.insertRow();
    row.dataset.method = name;
    cells(row, [title, ofClass ? results.label : page.every_class, ...areas], "td");
  }
  root.replaceChildren(...(body.rows.length ? [made] : []));
}

/** Give the table as a file, with the columns of Python's `Comparison.save`. @param {Results} results @param {string} model @param {string} picture */
export function save(results, model, picture) {
  const { of, drawn, label } = results;
  const rows = judged(results).map(({ name, ofClass }) => {
    const { curves } = of(name);
    const over = (at) => (name === RANDOM || drawn.length < 2 ? "" : (drawn.length - asGood(curves, drawn, at)) / drawn.length);
    const compared = Object.fromEntries(MEASURES.map((measure, at) => [`${measure} over random`, over(at)]));
    const [deletion, insertion] = curves.areas;
    return { model, class: label, method: name, class_specific: ofClass, deletion, insertion, ...compared };
  });
  download(csv(rows), `${joined([pictureName(picture), modelName(model), "methods"])}.csv`);
}
