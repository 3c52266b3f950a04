/* Sets every value of every key of the viewer's state, and some keys together, and reads what the page says. An expression: a
   function of the viewer, of the lists of keys that go together, and of how many values of each they take all. It promises
   {slips: sentences, walked: how many states}. */
async (viewer, together, most) => {
  const WRONG = /.{0,40}(undefined|NaN|null|Infinity|\[object |\{\w+\}|\$[a-z]).{0,40}/;
  const SAID = ["title", "aria-label", "aria-valuetext", "placeholder"];
  const { state, payload } = viewer;
  const { layers, film, cross = [] } = payload;
  const start = Object.fromEntries(Object.entries(state.declared).map(([key, { initial }]) => [key, initial]));

  // Of keys that have many values: some, and both ends. Of a key with a few, its declaration has them all.
  const upTo = (most) => [...Array(most).keys(), 99];
  const places = [null, [0.01, 0.01], [0.99, 0.6]];
  const box = { box: [0.1, 0.1, 0.6, 0.6] };
  const line = { points: [[0.2, 0.2], [0.7, 0.7]], radius: [0.05, 0.05] }; // prettier-ignore
  const things = [{ name: "", at: [[0.1, 0.1]] }, { name: "sky", at: [[0.9, 0.9], [0.5, 0.9]] }, { name: "x", at: [] }]; // prettier-ignore
  const some = {
    place: places,
    hover: places,
    number: places,
    token: [null, ...new Set([...payload.named, ...layers.flatMap(({ queries }) => queries.prefix)])],
    layer: [null, ...upTo(layers.length)],
    head: upTo(viewer.selectors.heads),
    skipWeight: [0, 0.5, 1],
    crossBlock: [null, ...cross.keys()],
    crossQuery: upTo(Math.max(0, ...cross.map(({ queries }) => queries.length))),
    peek: [null, ...layers.flatMap((_, row) => viewer.selectors.columns.map((_, column) => [row, column]))],
    step: [...Array(12).keys()],
    dimension: [null, 0, 99],
    things: [[], things.slice(0, 2), things],
    thing: [0, 1, 99],
    taught: [null], // made by the panel, of things
    chapter: [null, ...viewer.book.chapters.map(({ name }) => name), "nowhere"],
    guess: [null, [], [[0.5, 0.5]]],
    marked: [[], [[0.5, 0.5]]],
    fixed: [0, 0.05, 1],
    opacity: [0, 0.8, 1],
    hand: [null, { at: [0.5, 0.5], from: null }, { at: [0.5, 0.5], from: [0.2, 0.2] }],
    shapes: [[], [box], [{ stroke: line.points, radius: line.radius }], [box, { erase: line.points, radius: line.radius }]],
    past: [[], [[box]]],
    sinksFound: [{}, { [payload.run]: [] }, { [payload.run]: [[0, 0, 0.3, 0, 1], [1, 1, 0.1, 1, 1]] }], // prettier-ignore
    sinksLeft: [null, payload.run, "another"],
    moment: [null, ...(film?.steps ?? [7])],
  };
  const valuesOf = (key) => state.declared[key].values ?? some[key] ?? [];
  const ends = (values) => [...values.slice(0, most / 2), values.at(-1)];
  const fewOf = (key) => (valuesOf(key).length > most ? ends(valuesOf(key)) : valuesOf(key));
  const each = (made, key, values) => made.flatMap((one) => values.map((value) => ({ ...one, [key]: value })));

  const slips = new Map(); // what is wrong -> where it was seen first
  let now = "";
  const slip = (what) => slips.has(String(what)) || slips.set(String(what), now);

  // What is said stands in the page, explains it, or is written on a canvas.
  let seen = /** @type {string[]} */ ([]);
  const context = CanvasRenderingContext2D.prototype;
  const { fillText } = context;
  context.fillText = function (text, ...more) {
    seen.push(text);
    return fillText.call(this, text, ...more);
  };
  function read() {
    seen.push(viewer.root.textContent);
    for (const one of viewer.root.querySelectorAll(SAID.map((name) => `[${name}]`).join()))
      seen.push(...SAID.map((name) => one.getAttribute(name) ?? ""));
    for (const text of seen) if (WRONG.test(text)) slip(`says "${WRONG.exec(text)[0]}"`);
    seen = [];
  }

  const { error } = console; // of a word that is missing, too
  console.error = (...said) => slip(said.join(" "));
  const thrown = (event) => {
    slip(event.message ?? event.reason);
    event.preventDefault();
  };
  for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, thrown);

  async function go(changes) {
    now = JSON.stringify(changes);
    try {
      state.set({ ...start, ...changes });
    } catch (problem) {
      slip(problem);
    }
    read();
    for (let i = 0; i < 5; i++) await null; // a panel may ask, or set more, right after its paint
    if (!viewer.waiting && !viewer.asking) return;
    while (viewer.waiting || viewer.asking) await new Promise((done) => setTimeout(done));
    read();
  }

  const walked = new Set();
  for (const keys of [...Object.keys(state.declared).map((key) => [key]), ...together]) {
    now = keys.join(" with ");
    const alone = keys.length === 1;
    if (alone && !valuesOf(keys[0]).length) slip("no values to walk");
    if (!alone && valuesOf(keys[0]).length < 2) continue; // this network has no such thing
    for (const changes of keys.reduce((made, key) => each(made, key, alone ? valuesOf(key) : fewOf(key)), [{}])) {
      if (walked.has(JSON.stringify(changes))) continue;
      walked.add(JSON.stringify(changes));
      await go(changes);
    }
  }
  state.set(start);
  context.fillText = fillText;
  console.error = error;
  for (const kind of ["error", "unhandledrejection"]) removeEventListener(kind, thrown);
  return { slips: [...slips].map(([what, where]) => `${where}: ${what}`), walked: walked.size };
};
