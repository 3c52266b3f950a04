// The way through the network: one small map per layer, from the first to the last, for what is asked. The maps are the slider.

import { bind, closing, finder, isStill, pair, put, write } from "../dom.js";
import { colourOf } from "../drawing/colour.js";
import { Strip, hasName } from "../drawing/strip.js";
import { nameKey } from "../names.js";

const STEP = 600; // milliseconds
const CALM_STEP = 1500;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "layers",
  place: "explore",
  order: 10,
  html: `
    <div class="viz-strip-title">
      <label><span data-term="layer">$layers</span></label>
      <output class="viz-layer-value"></output>
      <span class="viz-opens">
        <details class="viz-more viz-opens-more">
          <summary title="$opens_more" aria-label="$opens_more">?</summary>
          <div class="viz-more-panel"><p class="viz-opens-said"></p><p class="viz-opens-why"></p></div>
        </details>
      </span>
    </div>
    <div class="viz-strip-row">
      <button class="viz-play" aria-pressed="false" title="$play_help" aria-label="$play_help">&#9654;</button>
      <div class="viz-strip viz-layer-strip">
        <canvas></canvas>
        <input class="viz-layer" type="range" min="1" max="1" step="1" value="1" />
        <div class="viz-strip-names" aria-hidden="true"></div>
      </div>
    </div>`,
  keys: { "[": "key_layer", "]": "key_layer", " ": "key_play" },
  shows: ({ depth }) => depth !== "wide" && depth !== "number",
  mount(root, { state, words, colours }) {
    const find = finder(root);
    const strip = new Strip(find("layer-strip"));
    let playing = 0; // the timer that goes through the layers
    let from = ""; // where it was begun
    /** @type {import("../panel.js").View | null} */
    let view = null;

    closing(find("opens-more"));
    pair(root.querySelector("label"), find("layer"));
    bind(find("layer"), "input", state, ({ value }) => ({ layer: value - 1, crossBlock: null }));
    find("play").addEventListener("click", () => view && play());

    const go = (layer) => state.set({ layer: Math.min(Math.max(0, layer), view.payload.layers.length - 1), crossBlock: null });

    function begin({ layers }) {
      const all = layers.length;
      const nameOf = (n) => (n === 1 || hasName(n, all) ? String(n) : "");
      strip.name(layers.map((_, i) => nameOf(i + 1)));
    }

    function play() {
      if (playing) {
        stop();
      } else {
        const calm = isStill();
        playing = setInterval(step, calm ? CALM_STEP : STEP);
        from = placeOf(view);
        go(0);
      }
      showPlayer();
    }

    // Once through, from the first layer to the last.
    function step() {
      if (view.layer + 1 < view.payload.layers.length) return go(view.layer + 1);
      stop();
      showPlayer();
    }

    // Who goes elsewhere, or is asked something, is not followed.
    const placeOf = ({ depth, chapter, guess, payload }) => [depth, chapter, guess === null, payload.id].join();

    function stop() {
      clearInterval(playing);
      playing = 0;
    }

    function showPlayer() {
      put(find("play"), { "aria-pressed": Boolean(playing) });
      write(find("play"), playing ? "\u2016" : "\u25B6");
    }

    /** @param {import("../panel.js").View} next */
    function* drawLater(next) {
      const maps = [];
      for (const row of next.cells) {
        maps.push(row[next.column]); // of each layer the one that the stage shows of its own
        yield;
      }
      strip.draw(maps, colourOf(colours, next));
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      if (playing && from !== placeOf(view)) stop();
      const all = view.payload.layers.length;
      put(find("layer"), { max: all, value: view.layer + 1 });
      // Nobody wonders why a scene opens on the last layer, unless its mark is the reason.
      const { opens } = view;
      put(find("opens-more"), { hidden: opens.layer === all - 1 && !opens.mark && Boolean(view.payload.lesson) });
      write(find("layer-value"), words.say("of", { n: view.layer + 1, all }));
      showPlayer();
      showOpening(view);
    }

    // Tell on which layer the picture has opened, and why, even while another layer is shown.
    function showOpening({ opens, payload }) {
      const all = payload.layers.length;
      const name = words.say(...nameKey("name", payload.readout));
      const said = { layer: opens.layer + 1, all, name, mark: opens.mark, nats: opens.nats.toFixed(2) };
      /** @type {import("../../../vocabulary.js").Opening} */
      const kind = opens.mark ? "mark" : opens.isEven ? "even" : "own";
      write(find("opens-said"), words.say(`opens_on_${kind}`, said));
      write(find("opens-why"), words.told([words.say(`opens_why_${kind}`, said), words.say("opens_stays")]));
    }

    function press(key) {
      if (key === " ") play();
      else go(view.layer + (key === "[" ? -1 : 1));
    }

    return { reset: begin, swap: begin, drawLater, show, press, stop };
  },
};
