// The maps of a comparison around one picture, with one cursor: the patch that is pointed at in one map is marked in all of them, with
// the value of each. A map that is pointed at is told of in its fixed place, and its curve stands out; a click puts it large.

const ARROWS = { ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowRight: [1, 0] };

const short = (value) => (value && Math.abs(value) < 0.001 ? value.toExponential(2) : String(value));

/** @param {HTMLElement} root holds the results; each run replaces them */
export function explore(root) {
  /** @type {HTMLElement | null} */
  let screen = null;
  let text = "";
  /** @type {{ window: number[], maps: { method: string, told: string, class: number, bounds: string[], scores: number[][] }[] } | null} */
  let told = null;
  let chosen = 0;
  /** @type {number[] | null} */
  let point = null; // in shares of the picture

  const all = (css) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(css)]);
  const near = (event, css) => /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest(css) : null);

  // Whether there are results; those of a new run, written over the ones before, begin with their first map.
  function isReady() {
    screen = /** @type {HTMLElement | null} */ (root.querySelector(".methods-screen[data-maps]"));
    const now = screen?.dataset.maps ?? "";
    if (now !== text) [text, told, chosen, point] = [now, now ? JSON.parse(now) : null, 0, null];
    return Boolean(told);
  }

  function cellOf({ scores }) {
    const [left, top, right, bottom] = told.window;
    const col = Math.floor(((point[0] - left) / (right - left)) * scores[0].length);
    const row = Math.floor(((point[1] - top) / (bottom - top)) * scores.length);
    return scores[row]?.[col] === undefined ? null : [row, col];
  }

  function mark(to) {
    point = to;
    const [left, top, right, bottom] = told.window;
    const percent = (from, size) => [`${100 * from}%`, `${100 * size}%`];
    let said = "";
    for (const picture of all(".methods-picture")) {
      const map = told.maps[Number(picture.dataset.map)];
      const cell = point && cellOf(map);
      const box = /** @type {HTMLElement} */ (picture.querySelector(".methods-mark"));
      const value = cell ? short(map.scores[cell[0]][cell[1]]) : "";
      box.hidden = !cell;
      picture.querySelector(".methods-value").textContent = value;
      if (!cell) continue;
      const [high, wide] = [(bottom - top) / map.scores.length, (right - left) / map.scores[0].length];
      [box.style.left, box.style.width] = percent(left + cell[1] * wide, wide);
      [box.style.top, box.style.height] = percent(top + cell[0] * high, high);
      box.dataset.cell = cell.join(",");
      const here = { row: cell[0] + 1, col: cell[1] + 1, value };
      if (picture.matches(".methods-large *")) said = screen.dataset.here.replace(/\{(\w+)\}/g, (_, name) => here[name]);
    }
    root.querySelector(".methods-here").textContent = said;
  }

  // Tell of a map, and let its curve stand out.
  function tell(number) {
    const map = told.maps[number];
    for (const one of all("[data-told]")) one.hidden = one.dataset.told !== map.told;
    for (const one of all("[data-class].methods-charts")) one.hidden = Number(one.dataset.class) !== map.class;
    for (const one of all("polyline[data-line]")) {
      one.classList.toggle("is-shown", one.dataset.line === map.method);
      if (one.dataset.line === map.method) one.parentElement.append(one); // above the others
    }
    const name = root.querySelector(`figure[data-method="${map.method}"] b`).textContent;
    for (const one of all(".methods-line")) one.textContent = name;
  }

  function choose(number) {
    chosen = number;
    for (const one of all("button[data-map]")) one.setAttribute("aria-pressed", String(Number(one.dataset.map) === number));
    const large = /** @type {HTMLElement} */ (root.querySelector(".methods-large .methods-picture"));
    const from = /** @type {HTMLImageElement} */ (root.querySelector(`button[data-map="${number}"] img`));
    Object.assign(large.querySelector("img"), { src: from.src, alt: from.alt });
    large.dataset.map = String(number);
    const scale = /** @type {HTMLElement} */ (large.querySelector(".methods-scale"));
    const { bounds } = told.maps[number];
    scale.dataset.signed = String(Number(bounds[0]) < 0);
    scale.querySelectorAll("span").forEach((one, at) => (one.textContent = bounds[at]));
    tell(number);
    mark(point);
  }

  // Before the first run: the picture of the stage, where its maps will be.
  function rest() {
    const canvas = /** @type {HTMLCanvasElement | null} */ (root.querySelector(".methods-rest"));
    const bitmap = /** @type {any} */ (document.querySelector(".viz"))?.viewer?.payload?.bitmap;
    if (!canvas || !bitmap) return;
    /** @type {HTMLElement} */ (canvas.closest(".methods-screen")).style.setProperty("--aspect", String(bitmap.width / bitmap.height));
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
  }
  document.addEventListener("vizapp-model", rest);
  rest();

  // The map whose curve is nearest to the mouse.
  function nearest(event, chart) {
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
    const found = told.maps.findIndex((one) => one.method === method && one.class === of);
    return found < 0 ? told.maps.findIndex((one) => one.method === method) : found;
  }

  root.addEventListener("pointermove", (event) => {
    if (!isReady()) return;
    const picture = near(event, ".methods-picture");
    const area = picture?.getBoundingClientRect();
    if (area) mark([(event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height]);
    else if (point) mark(null);
    const chart = near(event, ".methods-plot svg");
    if (chart) tell(nearest(event, chart));
  });
  root.addEventListener("pointerleave", () => isReady() && (mark(null), tell(chosen)));
  for (const kind of ["mouseover", "focusin"])
    root.addEventListener(kind, (event) => {
      if (!isReady() || near(event, ".methods-plot svg")) return;
      tell(Number(near(event, "button[data-map]")?.dataset.map ?? chosen));
    });
  root.addEventListener("click", (event) => {
    if (!isReady()) return;
    const button = near(event, "button[data-map]");
    const chart = near(event, ".methods-plot svg");
    if (button) choose(Number(button.dataset.map));
    else if (chart) choose(nearest(event, chart));
  });
  root.addEventListener("keydown", (event) => {
    const step = ARROWS[event.key];
    if (!step || !isReady() || !near(event, ".methods-large .methods-picture")) return;
    event.preventDefault();
    const [left, top, right, bottom] = told.window;
    const { scores } = told.maps[chosen];
    const before = point;
    const [x, y] = before ?? [(left + right) / 2, (top + bottom) / 2];
    const wide = (right - left) / scores[0].length, high = (bottom - top) / scores.length;
    point = before ? [x + step[0] * wide, y + step[1] * high] : [x + wide / 2, y + high / 2];
    mark(cellOf(told.maps[chosen]) ? point : before);
  });
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
