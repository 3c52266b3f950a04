// The slider through the layers, and the player.

import { bind, closing, finder, pair, put, write } from "../dom.js";
import { nameKey } from "../names.js";

const STEP = 600; // milliseconds
const CALM_STEP = 1500;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "layers",
  place: "explore",
  order: 10,
  html: `
    <div class="viz-row">
      <label><span data-term="layer">$layer</span></label>
      <button class="viz-play" aria-pressed="false" title="$play_help" aria-label="$play_help">&#9654;</button>
      <input class="viz-layer" type="range" min="1" max="1" step="1" value="1" />
      <output class="viz-layer-value"></output>
    </div>
    <div class="viz-opens">
      <span class="viz-opens-said"></span>
      <details class="viz-more viz-opens-more">
        <summary title="$opens_more" aria-label="$opens_more">?</summary>
        <div class="viz-more-panel"><p class="viz-opens-why"></p></div>
      </details>
    </div>`,
  keys: { "[": "key_layer", "]": "key_layer", " ": "key_play" },
  mount(root, { state, words }) {
    const find = finder(root);
    let playing = 0; // the timer that goes through the layers
    /** @type {import("../panel.js").View | null} */
    let view = null;

    closing(find("opens-more"));
    pair(root.querySelector("label"), find("layer"));
    bind(find("layer"), "input", state, ({ value }) => ({ layer: value - 1, crossBlock: null }));
    find("play").addEventListener("click", () => view && play());

    const go = (layer) => state.set({ layer: Math.min(Math.max(0, layer), view.payload.layers.length - 1), crossBlock: null });

    function play() {
      if (playing) {
        stop();
      } else {
        const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        playing = setInterval(() => go((view.layer + 1) % view.payload.layers.length), calm ? CALM_STEP : STEP);
        go(0);
      }
      showPlayer();
    }

    function stop() {
      clearInterval(playing);
      playing = 0;
    }

    function showPlayer() {
      put(find("play"), { "aria-pressed": Boolean(playing) });
      write(find("play"), playing ? "\u2016" : "\u25B6");
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const all = view.payload.layers.length;
      put(find("layer"), { max: all, value: view.layer + 1 });
      write(find("layer-value"), words.say("of", { n: view.layer + 1, all }));
      showPlayer();
      showOpening(view);
    }

    // Which layer a picture opens on, and why: as true of it while another one is shown.
    function showOpening({ opens, payload }) {
      const all = payload.layers.length;
      const name = words.say(...nameKey("name", payload.readout));
      const said = { layer: opens.layer + 1, all, name, mark: opens.mark, nats: opens.nats.toFixed(2) };
      const kind = opens.mark ? "mark" : opens.isEven ? "even" : "own";
      write(find("opens-said"), words.say(`opens_on_${kind}`, said));
      write(find("opens-why"), words.told([words.say(`opens_why_${kind}`, said), words.say("opens_stays")]));
    }

    function press(key) {
      if (key === " ") play();
      else go(view.layer + (key === "[" ? -1 : 1));
    }

    return { show, press, stop };
  },
};
