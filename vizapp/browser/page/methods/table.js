// The numbers of a comparison: a table on the page, and the same as a file.

import { joined, modelName, pictureName } from "../../../ui/viewer/saving/titles.js";
import { csv, download } from "./csv.js";
import { MEASURES, asGood } from "./chance.js";
import { filled, made } from "./made.js";
import { judged } from "./results.js";
import { RANDOM } from "./told.js";

/** @typedef {import("./told.js").Results} Results */

/** The headers, and a row for each map: the method's name, then the cells. Those of a second target stand below the first.
 * @param {Results[]} all @param {import("../cargo.js").Language} words */
export function rowsOf(all, { page, methods: { columns = [] } }) {
  const measured = columns.filter(({ name }) =>
    all[0].methods.some((one) => all[0].of(one.name)?.measured?.[name] !== undefined),
  );
  const areas = [
    ["lower", "deletion"],
    ["higher", "insertion"],
  ].map(([way, measure]) => filled(page[`column_${way}`], { title: page[measure] }));
  const headers = [page.column_method, page.column_explains, ...areas, ...measured.map(({ header }) => header)];
  const rows = all.flatMap((results) => {
    const { label, drawn } = results;
    const alike = all.length > 1 ? filled(page.every_class_by, { label }) : page.every_class;
    return judged(results).map(({ name, title, ofClass }) => {
      const { curves, measured: its = {} } = results.of(name);
      const isMean = name === RANDOM && drawn.length > 1;
      const values = [...curves.areas, ...measured.map((one) => its[one.name])];
      return {
        name,
        cells: [
          isMean ? filled(page.random_orders, { title, n: drawn.length }) : title,
          ofClass ? label : alike,
          ...values.map((value) => value?.toFixed(3) ?? ""),
        ],
      };
    });
  });
  return { headers, rows };
}

/** @param {HTMLElement} root @param {Results[]} all @param {import("../cargo.js").Language} words */
export function table(root, all, words) {
  const { headers, rows } = rowsOf(all, words);
  const of = JSON.stringify([headers, rows]);
  if (root.dataset.of === of) return; // its rows may have been put in another order
  root.dataset.of = of;
  const heads = headers.map((text) => made("th", { scope: "col" }, made("button", { type: "button" }, text)));
  const body = rows.map(({ name, cells }) =>
    made("tr", { data: { method: name } }, ...cells.map((text) => made("td", {}, text))),
  );
  const whole = made("table", {}, made("thead", {}, made("tr", {}, ...heads)), made("tbody", {}, ...body));
  root.replaceChildren(...(rows.length ? [whole] : []));
}

/** Give the table as a file, with the columns of Python's `Comparison.save`. @param {Results[]} all @param {string} model @param {string} picture */
export function save(all, model, picture) {
  const rows = all.flatMap((results) => {
    const { of, drawn, label } = results;
    return judged(results).map(({ name, ofClass }) => {
      const { curves } = of(name);
      const over = (at) => (name === RANDOM || drawn.length < 2 ? "" : (drawn.length - asGood(curves, drawn, at)) / drawn.length);
      const compared = Object.fromEntries(MEASURES.map((measure, at) => [`${measure} over random`, over(at)]));
      const [deletion, insertion] = curves.areas;
      return { model, class: label, method: name, class_specific: ofClass, deletion, insertion, ...compared };
    });
  });
  download(new Blob([csv(rows)], { type: "text/csv" }), nameOf(model, picture, "csv"));
}

/** The name of a file of the comparison. @param {string} model @param {string} picture @param {string} kind */
export const nameOf = (model, picture, kind) => `${joined([pictureName(picture), modelName(model), "methods"])}.${kind}`;
