// The atlas as an invisible table, for screen readers and the keyboard: the atlas draws the cell that has the focus. The table is
// one Tab stop. Arrows move from map to map, and Enter or a press shows a map on the stage.

import { tagged, write } from "./dom.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const REST = 400; // milliseconds without another call, so that the table costs nothing while the mouse moves

export class Listing {
  /**
   * @param {HTMLTableElement} table
   * @param {{pick: (place: {row: number, column: number}) => void, peek: (place: {row: number, column: number} | null) => void}} does
   *   `pick` shows a map on the stage, `peek` learns which one has the focus
   */
  constructor(table, does) {
    this.table = table;
    this.does = does;
    this.timer = 0;
    /** @type {(HTMLElement | null)[][]} */
    this.cells = []; // [row][column]; null where there is no such head
    table.addEventListener("keydown", (event) => this.press(event));
    table.addEventListener("click", ({ target }) => this.act(target, does.pick));
    table.addEventListener("focusin", ({ target }) => this.act(target, does.peek));
    table.addEventListener("focusout", () => does.peek(null));
  }

  get hasFocus() {
    return this.table.contains(document.activeElement);
  }

  /** Fill the table once the hand has rested. @param {() => Listed} make */
  soon(make) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fill(make()), REST);
  }

  /**
   * @typedef {object} Listed
   * @property {string} caption
   * @property {string[]} columns
   * @property {string[]} rows
   * @property {(string | null)[][]} texts [row][column], null where there is no such head
   * @property {{row: number, column: number} | null} selected the one on the stage
   */
  /** @param {Listed} listed */
  fill({ caption, columns, rows, texts, selected }) {
    const shape = JSON.stringify([columns, rows, texts.map((row) => row.map((text) => text === null))]);
    if (shape !== this.shape) this.build(columns, rows, texts);
    this.shape = shape;
    this.table.setAttribute("aria-label", caption);
    const stop = selected ?? { row: 0, column: 0 };
    this.cells.forEach((row, r) =>
      row.forEach((cell, column) => {
        if (!cell) return;
        const isHere = r === selected?.row && column === selected.column;
        write(cell, texts[r][column]);
        cell.setAttribute("aria-selected", String(isHere));
        if (!this.hasFocus) cell.tabIndex = r === stop.row && column === stop.column ? 0 : -1;
      }),
    );
  }

  build(columns, rows, texts) {
    const head = document.createElement("tr");
    head.append(document.createElement("td"), ...columns.map((name) => Object.assign(tagged("th", name), { scope: "col" })));
    this.cells = texts.map((row) => row.map((text) => (text === null ? null : cellOf())));
    const body = this.cells.map((cells, r) => {
      const line = document.createElement("tr");
      const name = Object.assign(tagged("th", rows[r]), { scope: "row" });
      line.append(name, ...cells.map((cell) => cell ?? document.createElement("td")));
      return line;
    });
    this.table.replaceChildren(head, ...body);
  }

  // {row, column} of a cell, or null.
  placeOf(target) {
    for (const [row, cells] of this.cells.entries()) {
      const column = cells.indexOf(target);
      if (column >= 0) return { row, column };
    }
    return null;
  }

  act(target, what) {
    const place = this.placeOf(target);
    if (place) what(place);
  }

  press(event) {
    const place = this.placeOf(event.target);
    if (!place || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in STEPS) this.move(place, STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.does.pick(place);
    else return;
    event.preventDefault();
    event.stopPropagation(); // otherwise the viewer would also move the patch on the stage
  }

  // Move the focus to the next cell that has a map.
  move({ row, column }, [down, right]) {
    const from = this.cells[row][column];
    let to = null;
    do {
      [row, column] = [row + down, column + right];
      to = this.cells[row]?.[column];
    } while (to === null);
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

function cellOf() {
  const cell = document.createElement("td");
  cell.setAttribute("role", "gridcell");
  cell.tabIndex = -1;
  return cell;
}
