// Mouse and finger on stage and atlas, and the keys of the viewer.

export class Hand {
  constructor(viewer) {
    this.viewer = viewer;
    this.listenToStage();
    this.listenToAtlas();
    viewer.root.addEventListener("keydown", (event) => viewer.payload && this.key(event));
  }

  on(name, type, react) {
    this.viewer.find(name).addEventListener(type, (event) => this.viewer.payload && react(event));
  }

  listenToStage() {
    const { viewer } = this;
    const { pen } = viewer.measure;
    this.on("picture", "pointermove", (event) => {
      if (event.pointerType === "touch" || pen.tool) return; // a finger taps; it does not hover
      const before = String(viewer.hovered);
      viewer.pointer = viewer.stage.placeAt(event);
      if (String(viewer.hovered) !== before) viewer.paintSoon();
    });
    this.on("picture", "pointerleave", () => {
      viewer.pointer = null;
      viewer.paintSoon();
    });
    this.on("picture", "click", (event) => {
      const place = pen.takesClick() ? null : viewer.stage.placeAt(event);
      if (!place) return;
      const token = viewer.tokenOf(viewer.layer.queries.cellAt(place));
      if (viewer.pinned && viewer.query === token) viewer.setQuery(viewer.readout(), false);
      else viewer.setQuery(token, true);
      viewer.paint();
    });
  }

  listenToAtlas() {
    const { viewer } = this;
    this.on("atlas", "pointermove", (event) => {
      const cell = viewer.atlas.cellAt(event);
      if (cell?.row === viewer.hoveredCell?.row && cell?.column === viewer.hoveredCell?.column) return;
      viewer.hoveredCell = cell;
      viewer.find("atlas").title = cell ? viewer.captions.cell(cell) : "";
      viewer.paintSoon();
    });
    this.on("atlas", "pointerleave", () => {
      viewer.hoveredCell = null;
      viewer.paintSoon();
    });
    this.on("atlas", "click", (event) => {
      const cell = viewer.atlas.cellAt(event);
      if (cell) this.pick(cell);
    });
  }

  // Show a small map of the atlas on the stage.
  pick({ row, column }) {
    const { viewer } = this;
    const name = viewer.atlas.columns[column];
    if (typeof name === "number") {
      if (name < viewer.attention.heads(row)) viewer.set({ layer: row, head: name, heads: "one", method: "attention" });
      return;
    }
    const heads = viewer.choice.heads === "one" ? "mean" : viewer.choice.heads;
    viewer.set({ layer: row, heads, method: name === "mean" ? "attention" : "rollout" });
  }

  key(event) {
    // On many keyboards [ and ] are typed with AltGr, which is Ctrl + Alt in Windows and Alt (Option) on a Mac.
    const typed = "[]".includes(event.key) && event.altKey;
    if (event.target.matches("input, select") || event.metaKey || ((event.ctrlKey || event.altKey) && !typed)) return;
    const { viewer } = this;
    const { layer, head, heads, method } = viewer.choice;
    const oneHead = heads === "one" && method === "attention";
    const act = {
      "[": () => viewer.set({ layer: layer - 1 }),
      "]": () => viewer.set({ layer: layer + 1 }),
      ",": () => viewer.set({ head: oneHead ? head - 1 : head, heads: "one", method: "attention" }),
      ".": () => viewer.set({ head: oneHead ? head + 1 : head, heads: "one", method: "attention" }),
      Escape: () => this.escape(),
      ArrowLeft: () => this.step(0, -1),
      ArrowRight: () => this.step(0, 1),
      ArrowUp: () => this.step(-1, 0),
      ArrowDown: () => this.step(1, 0),
      " ": () => viewer.controls.play(),
    }[event.key];
    if (!act || (event.key === " " && event.target.matches("button"))) return;
    event.preventDefault();
    act();
  }

  // One thing at a time: what is being drawn, the tool, the pinned patch, what was drawn.
  escape() {
    const { viewer } = this;
    if (viewer.measure.pen.escape()) return;
    if (!viewer.pinned) viewer.measure.truth.clear();
    this.moveTo(null);
  }

  // Move the pinned patch by one; start in the middle.
  step(down, right) {
    const { viewer } = this;
    const [rows, cols] = viewer.layer.queries.grid;
    const cell = viewer.cellOf(viewer.query);
    this.moveTo(cell ? [Math.min(rows - 1, Math.max(0, cell[0] + down)), Math.min(cols - 1, Math.max(0, cell[1] + right))] : [rows >> 1, cols >> 1]);
  }

  moveTo(cell) {
    const { viewer } = this;
    viewer.pointer = null;
    viewer.setQuery(cell ? viewer.tokenOf(cell) : viewer.readout(), cell !== null);
    viewer.paint();
  }
}
