// The screen of a comparison: one map large, all maps small around the same picture, what is said of one, and its curves. There is one
// cursor: the patch that is pointed at in one map is marked in all of them, with the value of each. A map that is pointed at is told of in
// its fixed place, and its curve stands out; a click puts it large. The served page and the page without a server share it.

/**
 * @typedef {object} PaintedMap
 * @property {string} alt
 * @property {string} label the class that it explains, or "a − b"; shown only where a method has several maps
 * @property {string} src
 * @property {string[]} bounds the values of its lowest and highest colour, as they are shown
 * @property {(number | null)[][]} scores of its patches, row by row; null for one that a mask or a window hides
 * @property {number} charts which of the charts its curves are in
 * @property {{title: string, tag: string, sentence: string, numbers: {title: string, value: string, beaten: string}[], notes: string[], paper: string}} told
 *
 * @typedef {object} MethodMaps
 * @property {string} name
 * @property {string} title
 * @property {string} tag the class that it explains, or that it knows none
 * @property {boolean} isOfClass
 * @property {PaintedMap[]} maps one; three where two classes are compared; none where it waits
 * @property {{said: string, runs: boolean}} [waits] for its turn, or for a click that runs it
 *
 * @typedef {object} Chart of one measure
 * @property {string} which
 * @property {string} title
 * @property {string} up the name of its vertical axis
 * @property {string} along the name of its horizontal axis
 * @property {string} name for those who hear it
 * @property {number[]} bounds
 * @property {{method: string, isRandom: boolean, points: number[][]}[]} lines [share, value] each
 * @property {number[][]} band [share, lowest, highest] of the random orders; [] for none
 *
 * @typedef {object} Told
 * @property {number[]} window what the network saw, as shares of the picture: left, top, right, bottom
 * @property {number} aspect of the picture
 * @property {{large: string, all: string, said: string, here: string, hidden: string, against: string, for: string}} words
 * @property {string[]} strips pictures of the colours: of one side, and of two
 * @property {MethodMaps[]} methods
 * @property {Chart[][]} charts of each class
 * @property {string} note what stands under the charts, or in their place
 */

const ARROWS = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowRight: [1, 0] };
const MOST_ROWS = 3;

/** Three digits, as a number is shown beside a patch. @param {number} value */
const short = (value) => (value && Math.abs(value) < 0.001 ? value.toExponential(2) : String(Number(value.toPrecision(3))));

/** What is shown beside a patch: a hidden one has no number. @param {number | null} score @param {{hidden: string}} words */
export const written = (score, words) => (score === null ? words.hidden : short(score));

/** @param {string} name @param {Record<string, string>} [attributes] @param {...(Node | string)} children @returns {any} */
function make(name, attributes = {}, ...children) {
  const isDrawing = ["svg", "polyline", "polygon"].includes(name);
  const one = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...children);
  return one;
}

const mark = () => [make("i", { class: "methods-mark", hidden: "" }), make("output", { class: "methods-value" })];

export class Screen {
  /** @param {HTMLElement} root an empty element @param {(method: string) => void} [run] runs a method that waits for it */
  constructor(root, run = () => {}) {
    this.root = root;
    this.run = run;
    /** @type {Told | null} */
    this.told = null;
    /** @type {Map<string, {of: string, figure: HTMLElement}>} by method: one that is as it was stays the same element */
    this.figures = new Map();
    /** @type {Map<string, PaintedMap & {method: string}>} by their keys */
    this.maps = new Map();
    this.chosen = ""; // the key of the large map
    this.toldOf = ""; // the key of the map that is told of
    /** @type {number[] | null} */
    this.point = null; // in shares of the picture
    this.listen();
  }

  all(css) {
    return /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(css)]);
  }

  /** Show results: those of another run, or more of this one. @param {Told} told */
  show(told) {
    const keyed = ({ name, maps }) => maps.map((one, number) => [`${name} ${number}`, { ...one, method: name }]);
    this.told = told;
    this.maps = new Map(told.methods.flatMap(keyed));
    this.toldOf = "";
    if (!this.maps.has(this.chosen)) this.chosen = this.maps.keys().next().value ?? "";
    if (!this.root.children.length) this.build();
    this.lay();
    const figures = told.methods.map((one) => this.figureOf(one));
    const grid = this.root.querySelector(".methods-grid");
    if (figures.some((one, at) => grid.children[at] !== one) || grid.children.length !== figures.length) grid.replaceChildren(...figures);
    this.root.querySelector("#methods-curves").replaceChildren(...this.charts());
    if (this.chosen) this.choose(this.chosen);
  }

  build() {
    const { words, strips } = this.told;
    const [one, two] = strips.map((src) => make("img", { alt: "", src }));
    const ends = ["against", "for"].map((end) => make("i", {}, words[end]));
    const scale = make("span", { class: "methods-scale" }, ends[0], make("span"), one, two, make("span"), ends[1]);
    const about = { class: "methods-picture", tabindex: "0", role: "application", "aria-label": words.large };
    const said = { class: "methods-told", tabindex: "0", role: "region", "aria-label": words.said };
    this.root.append(
      make("div", { class: "methods-large" }, make("div", about, make("img", { alt: "" }), ...mark(), scale)),
      make("div", { class: "methods-grid", role: "group", tabindex: "0", "aria-label": words.all }),
      make("div", said, make("section"), make("output", { class: "methods-here" })),
      make("div", { id: "methods-curves" }),
    );
  }

  // Say how many columns and rows the small maps have.
  lay() {
    const { methods, aspect } = this.told;
    const isWide = methods.some(({ maps }) => maps.length > 1);
    const columns = isWide || methods.length > 10 ? 6 : Math.max(4, Math.ceil(methods.length / 2));
    const rows = Math.min(MOST_ROWS, Math.ceil(methods.length / columns));
    for (const [name, value] of Object.entries({ aspect, columns, rows })) this.root.style.setProperty(`--${name}`, String(value));
  }

  /** @param {MethodMaps} one */
  figureOf(one) {
    const known = this.figures.get(one.name);
    const of = JSON.stringify([one.title, one.tag, one.waits, one.maps.map(({ src, label }) => [src, label])]);
    if (known?.of === of) return known.figure;
    const { name, title, tag, maps } = one;
    const isWide = maps.length > 1;
    const buttons = maps.map(({ src, alt, label }, number) => {
      const key = `${name} ${number}`;
      const picture = make("span", { class: "methods-picture", "data-map": key }, make("img", { alt, src }), ...mark());
      return make("button", { type: "button", "data-map": key, "aria-pressed": "false" }, picture, ...(isWide ? [make("small", {}, label)] : []));
    });
    const figure = make(
      "figure",
      { class: isWide ? "methods-wide" : "", "data-method": name },
      make("div", {}, ...(maps.length ? buttons : [this.waiting(one)])),
      make("figcaption", { title }, make("b", {}, title), ...(isWide ? [] : [this.tagOf(one, tag)])),
    );
    const hadFocus = known?.figure.contains(document.activeElement);
    known?.figure.replaceWith(figure);
    if (hadFocus) figure.querySelector("button")?.focus();
    this.figures.set(name, { of, figure });
    return figure;
  }

  tagOf({ isOfClass }, tag) {
    return make("span", { class: "methods-tag", "data-of-class": String(isOfClass) }, tag);
  }

  /** The place of a map that is not made yet. @param {MethodMaps} one */
  waiting({ name, title, waits }) {
    const { said = "", runs = false } = waits ?? {};
    const box = make("span", { class: "methods-picture methods-waits" }, make("span", {}, runs ? `\u25b6 ${said}` : said));
    const button = make("button", { type: "button", "data-run": name, "aria-label": `${title}: ${said}`, ...(runs ? {} : { disabled: "" }) }, box);
    button.addEventListener("click", () => this.run(name));
    return button;
  }

  charts() {
    const { charts, note } = this.told;
    if (!charts.length) return [make("p", {}, note)];
    return charts.map((some, number) =>
      make(
        "div",
        { class: "methods-charts", "data-class": String(number), ...(number ? { hidden: "" } : {}) },
        ...some.map((one) => this.chart(one)),
        ...(note && some[0].band.length ? [make("p", {}, make("i"), ` ${note}`)] : []),
      ),
    );
  }

  /** @param {Chart} one */
  chart({ which, title, up, along, name, bounds, lines, band }) {
    const [low, high] = bounds;
    const at = (share, value) => `${(100 * share).toFixed(2)},${((100 * (high - value)) / (high - low)).toFixed(3)}`;
    const drawing = make("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none" });
    if (band.length) {
      const there = band.map(([share, lowest]) => at(share, lowest));
      const back = band.map(([share, , highest]) => at(share, highest)).reverse();
      drawing.append(make("polygon", { points: [...there, ...back].join(" ") }));
    }
    for (const { method, isRandom, points } of lines) {
      const drawn = points.map(([share, value]) => at(share, value)).join(" ");
      drawing.append(make("polyline", { "data-line": method, class: isRandom ? "is-random" : "", points: drawn }));
    }
    const term = make("span", { role: "button", tabindex: "0", "data-term": "deletion" }, title);
    const ends = [high, low].map((end) => make("span", {}, String(Number(end.toPrecision(3)))));
    return make(
      "figure",
      { "data-which": which },
      make("figcaption", {}, term, `: ${up}`),
      make("div", { class: "methods-plot" }, ...ends, make("div", { role: "img", "aria-label": name }, drawing), make("b", { class: "methods-line" })),
      make("div", { class: "methods-along" }, ...["0 %", along, "100 %"].map((said) => make("span", {}, said))),
    );
  }

  /** The row and column of the patch that is pointed at. @param {(number | null)[][]} scores */
  cellOf(scores) {
    const [left, top, right, bottom] = this.told.window;
    const col = Math.floor(((this.point[0] - left) / (right - left)) * scores[0].length);
    const row = Math.floor(((this.point[1] - top) / (bottom - top)) * scores.length);
    return scores[row]?.[col] === undefined ? null : [row, col];
  }

  /** Mark a patch in all maps. @param {number[] | null} to */
  mark(to) {
    this.point = to;
    const [left, top, right, bottom] = this.told.window;
    const percent = (from, size) => [`${100 * from}%`, `${100 * size}%`];
    for (const picture of this.all(".methods-picture[data-map]")) {
      const { scores } = this.maps.get(picture.dataset.map);
      const cell = to && this.cellOf(scores);
      const box = /** @type {HTMLElement} */ (picture.querySelector(".methods-mark"));
      const value = cell ? written(scores[cell[0]][cell[1]], this.told.words) : "";
      box.hidden = !cell;
      picture.querySelector(".methods-value").textContent = value;
      if (!cell) continue;
      const [high, wide] = [(bottom - top) / scores.length, (right - left) / scores[0].length];
      [box.style.left, box.style.width] = percent(left + cell[1] * wide, wide);
      [box.style.top, box.style.height] = percent(top + cell[0] * high, high);
      box.dataset.cell = cell.join(",");
    }
    this.sayHere();
  }

  // The value of the patch that is pointed at, in the map that is told of.
  sayHere() {
    const scores = this.point && this.maps.get(this.toldOf)?.scores;
    const cell = scores && this.cellOf(scores);
    const here = cell && { row: cell[0] + 1, col: cell[1] + 1, value: written(scores[cell[0]][cell[1]], this.told.words) };
    const said = here ? this.told.words.here.replace(/\{(\w+)\}/g, (_, name) => String(here[name])) : "";
    this.root.querySelector(".methods-here").textContent = said;
  }

  /** Tell of a map, and let its curve stand out. One that is not large is shown beside its name. @param {string} key */
  tell(key) {
    if (key === this.toldOf) return; // what is under the mouse is not replaced by itself
    this.toldOf = key;
    const map = this.maps.get(key);
    const method = this.told.methods.find(({ name }) => name === map.method);
    const { title, tag, sentence, numbers, notes, paper } = map.told;
    const measured = numbers.map(({ title, value, beaten }) =>
      make("li", {}, `${title} `, make("b", {}, value), ...(beaten ? [" ", make("small", {}, beaten)] : [])),
    );
    const section = make(
      "section",
      { "data-told": key },
      ...(key === this.chosen ? [] : [make("img", { class: "methods-of", alt: "", src: map.src })]),
      make("h3", {}, `${title} `, ...(tag ? [this.tagOf(method, tag)] : [])),
      make("p", {}, sentence),
      ...(measured.length ? [make("ul", { class: "methods-areas" }, ...measured)] : []),
      ...notes.map((one) => make("p", { class: "methods-note" }, one)),
      ...(paper ? [make("small", {}, paper)] : []),
    );
    this.root.querySelector(".methods-told section").replaceWith(section);
    this.sayHere();
    for (const one of this.all("[data-class].methods-charts")) one.hidden = Number(one.dataset.class) !== map.charts;
    for (const one of this.all("polyline[data-line]")) {
      one.classList.toggle("is-shown", one.dataset.line === map.method);
      if (one.dataset.line === map.method) one.parentElement.append(one); // above the others
    }
    for (const one of this.all(".methods-line")) one.textContent = method.title;
  }

  /** Put a map large. @param {string} key */
  choose(key) {
    this.chosen = key;
    this.toldOf = ""; // it is told of anew, without its small picture
    const { src, alt, bounds } = this.maps.get(key);
    for (const one of this.all("button[data-map]")) one.setAttribute("aria-pressed", String(one.dataset.map === key));
    const large = /** @type {HTMLElement} */ (this.root.querySelector(".methods-large .methods-picture"));
    Object.assign(large.querySelector("img"), { src, alt });
    large.dataset.map = key;
    const scale = /** @type {HTMLElement} */ (large.querySelector(".methods-scale"));
    scale.dataset.signed = String(Number.parseFloat(bounds[0]) < 0);
    scale.querySelectorAll("span").forEach((one, at) => (one.textContent = bounds[at]));
    this.tell(key);
    this.mark(this.point);
  }

  // The map whose curve is nearest to the mouse.
  nearest(event, chart) {
    const area = chart.getBoundingClientRect();
    const [x, y] = [(100 * (event.clientX - area.left)) / area.width, (100 * (event.clientY - area.top)) / area.height];
    const farOf = (line) => {
      const points = line.getAttribute("points").split(" ").map((one) => one.split(",").map(Number));
      const at = Math.max(1, points.findIndex((one) => one[0] >= x));
      const [[x0, y0], [x1, y1]] = points.slice(at - 1, at + 1);
      return Math.abs(y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) - y);
    };
    const lines = [...chart.querySelectorAll("polyline")].map((line) => ({ far: farOf(line), method: line.dataset.line }));
    const { method } = lines.reduce((best, one) => (one.far < best.far ? one : best));
    const of = Number(chart.closest(".methods-charts").dataset.class);
    const some = [...this.maps].filter(([, one]) => one.method === method);
    return (some.find(([, one]) => one.charts === of) ?? some[0])[0];
  }

  listen() {
    const { root } = this;
    const near = (event, css) => /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest(css) : null);
    root.addEventListener("pointermove", (event) => {
      if (!this.chosen) return;
      const area = near(event, ".methods-picture[data-map]")?.getBoundingClientRect();
      if (area) this.mark([(event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height]);
      else if (this.point) this.mark(null);
      const chart = near(event, ".methods-plot svg");
      if (chart) this.tell(this.nearest(event, chart));
    });
    root.addEventListener("pointerleave", () => this.chosen && (this.mark(null), this.tell(this.chosen)));
    for (const kind of ["mouseover", "focusin"])
      root.addEventListener(kind, (event) => {
        if (this.chosen && !near(event, ".methods-plot svg")) this.tell(near(event, "button[data-map]")?.dataset.map ?? this.chosen);
      });
    root.addEventListener("click", (event) => {
      const button = near(event, "button[data-map]");
      const chart = near(event, ".methods-plot svg");
      if (button) this.choose(button.dataset.map);
      else if (chart && this.chosen) this.choose(this.nearest(event, chart));
    });
    root.addEventListener("keydown", (event) => {
      const step = ARROWS[event.key];
      if (!step || !this.chosen || !near(event, ".methods-large .methods-picture")) return;
      event.preventDefault();
      const [left, top, right, bottom] = this.told.window;
      const { scores } = this.maps.get(this.chosen);
      const before = this.point;
      const [x, y] = before ?? [(left + right) / 2, (top + bottom) / 2];
      const wide = (right - left) / scores[0].length, high = (bottom - top) / scores.length;
      this.point = before ? [x + step[0] * wide, y + step[1] * high] : [x + wide / 2, y + high / 2];
      this.mark(this.cellOf(scores) ? this.point : before);
    });
  }
}

/** @param {HTMLElement} root holds what the server says of a comparison; each run replaces it */
export function follow(root) {
  // Before the first run: the picture of the stage, where its maps will be.
  function rest() {
    const canvas = /** @type {HTMLCanvasElement | null} */ (root.querySelector(".methods-rest"));
    const bitmap = /** @type {any} */ (document.querySelector(".viz"))?.viewer?.payload?.bitmap;
    if (!canvas || !bitmap) return;
    /** @type {HTMLElement} */ (canvas.closest(".methods-screen")).style.setProperty("--aspect", String(bitmap.width / bitmap.height));
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
  }
  function renew() {
    const holder = /** @type {HTMLElement | null} */ (root.querySelector(".methods-screen[data-comparison]"));
    if (holder && !holder.children.length) {
      // The page may keep the element and change what it holds: two screens would hear each event then.
      const screen = screens.get(holder) ?? new Screen(holder);
      screens.set(holder, screen);
      screen.chosen = "";
      screen.show(JSON.parse(holder.dataset.comparison));
    }
    rest();
  }
  /** @type {WeakMap<HTMLElement, Screen>} */
  const screens = new WeakMap();
  new MutationObserver(renew).observe(root, { childList: true, subtree: true });
  document.addEventListener("vizapp-maps", rest);
  renew();
}

/** @param {HTMLElement} root holds a table; a press on the head of a column puts its rows in order, the largest first, then the smallest */
export function sortable(root) {
  root.addEventListener("click", ({ target }) => {
    const head = target instanceof Element ? target.closest("th") : null;
    if (!head) return;
    const isDown = head.ariaSort !== "descending";
    for (const one of root.querySelectorAll("th")) one.ariaSort = null;
    head.ariaSort = isDown ? "descending" : "ascending";
    const body = root.querySelector("tbody");
    const text = (row) => row.cells[head.cellIndex].textContent;
    const order = (a, b) => Number(text(a)) - Number(text(b)) || text(a).localeCompare(text(b));
    body.append(...[...body.rows].sort((a, b) => (isDown ? order(b, a) : order(a, b))));
  });
}
