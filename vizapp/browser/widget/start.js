// The viewer as a widget of a notebook. `vizapp` is the viewer's bundle, which comes first in the same module. The choices of the
// viewer and those of Python follow each other, and Python answers the viewer's questions.

/* global vizapp */

const PAUSE = 50; // milliseconds between two messages to Python: a slider makes many changes

/** Traits that follow the state: how to compute their value for Python, and how to set the state from it. @type {Record<string, any>} */
const TRAITS = {
  layer: { of: (view) => view.layer, to: (layer) => ({ layer }) },
  head: {
    of: ({ fusion, head }) => (fusion === "one" ? head : null),
    to: (head) => (head === null ? { fusion: "mean" } : { fusion: "one", head }),
  },
  query: {
    of: ({ cell, query }) => cell ?? (typeof query === "string" ? query : ""),
    to: (query, view) => {
      if (typeof query === "string") return { place: null, token: query || null, pinned: false, hover: null };
      return { place: view.placeOf(query), token: null, pinned: true, hover: null };
    },
  },
  mask: { of: ({ truth }) => marked(truth), to: (mask, view) => ({ shapes: mask ? boxes(mask, view) : [] }) },
};

export default {
  /** @param {{model: any, el: HTMLElement}} given */
  render({ model, el }) {
    const root = document.createElement("div");
    root.className = "viz";
    root.dataset.state = "empty";
    el.classList.add("vizapp-widget");
    el.append(root);

    const mine = Math.random().toString(36).slice(2); // a widget may be shown in several cells
    const open = new Map();
    let asked = 0;
    const hear = ({ number, answer }) => {
      open.get(number)?.(answer);
      open.delete(number);
    };
    model.on("msg:custom", hear);
    const ask = (what) =>
      new Promise((answered) => {
        const number = `${mine}:${(asked += 1)}`;
        open.set(number, answered);
        model.send({ number, asked: what });
      });

    const viewer = vizapp.mount(root, { ...model.get("said"), ask });
    root.viewer = viewer; // for tests

    let timer = 0;
    let isTold = false; // true while a change comes from Python, which must not be sent back
    const tell = () => {
      timer = 0;
      if (!viewer.view) return;
      for (const [name, { of }] of Object.entries(TRAITS)) {
        const value = of(viewer.view);
        if (JSON.stringify(value) !== JSON.stringify(model.get(name))) model.set(name, value);
      }
      model.save_changes();
    };
    viewer.state.subscribe(() => {
      if (!isTold) timer ||= setTimeout(tell, PAUSE);
    });
    const take = (names) => {
      if (!viewer.view) return;
      isTold = true;
      try {
        for (const name of names) {
          const { of, to } = TRAITS[name];
          const value = model.get(name);
          if (value !== undefined && JSON.stringify(of(viewer.view)) !== JSON.stringify(value)) {
            viewer.state.set(to(value, viewer.view));
          }
        }
      } finally {
        isTold = false;
      }
    };
    for (const name of Object.keys(TRAITS)) model.on(`change:${name}`, () => take([name]));

    async function show() {
      await viewer.showHere(model.get("payload"), model.get("run"));
      take(model.get("chosen")); // Python may have chosen before the view existed
      tell();
    }
    show();
    return () => {
      clearTimeout(timer);
      model.off("msg:custom", hear);
    };
  },
};

// Rows of patches, true if at least half of the patch is marked; null if nothing is drawn.
function marked({ isDrawn, target }) {
  if (!isDrawn || !target) return null;
  const { rows, cols, cover } = target;
  return Array.from({ length: rows }, (_, row) => Array.from({ length: cols }, (_, col) => cover[row * cols + col] >= 0.5));
}

// A box for each run of patches in a row, in shares of the picture.
function boxes(mask, view) {
  const [[x0, y0], [x1, y1]] = [view.placeOf([0, 0]), view.placeOf([1, 1])];
  const edge = (row, col) => [x0 + (col - 0.5) * (x1 - x0), y0 + (row - 0.5) * (y1 - y0)];
  return mask.flatMap((row, at) => {
    const found = [];
    for (let from = 0; from < row.length; from++) {
      if (!row[from]) continue;
      let to = from;
      while (row[to]) to += 1;
      found.push({ box: [...edge(at, from), ...edge(at + 1, to)] });
      from = to;
    }
    return found;
  });
}
