// The slider through the layers, and the player.

import { bind, finder, pair, write } from "../dom.js";

const STEP = 600; // milliseconds
const CALM_STEP = 1500;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "layers",
  place: "explore",
  order: 10,
  html: `
    <div class="viz-row">
      <label title="$layer_help">$layer</label>
      <button class="viz-play" aria-pressed="false" title="$play_help" aria-label="$play_help">&#9654;</button>
      <input class="viz-layer" type="range" min="1" max="1" step="1" value="1" />
      <output class="viz-layer-value"></output>
    </div>`,
  keys: { "[": "key_layer", "]": "key_layer", " ": "key_play" },
  mount(root, { state, words }) {
    const find = finder(root);
    let playing = 0; // the timer that goes through the layers
    /** @type {import("../panel.js").View | null} */
    let view = null;

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
      find("play").setAttribute("aria-pressed", String(Boolean(playing)));
      write(find("play"), playing ? "\u2016" : "\u25B6");
    }

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const all = view.payload.layers.length;
      find("layer").max = all;
      find("layer").value = view.layer + 1;
      write(find("layer-value"), words.say("of", { n: view.layer + 1, all }));
      showPlayer();
    }

    function press(key) {
      if (key === " ") play();
      else go(view.layer + (key === "[" ? -1 : 1));
    }

    return { show, press, stop };
  },
};
