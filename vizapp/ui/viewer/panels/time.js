// The slider through the training of a film's network: its maps at each step, and how good it was by then.

import { finder, isStill, pair, put, speaker, write } from "../dom.js";
import { bytesOf } from "../numbers/base64.js";
import { Film } from "../numbers/film.js";
import { percent } from "../numbers/format.js";
import { Payload } from "../numbers/payload.js";
import { Curves } from "../drawing/curves.js";
import { index, moving } from "../state.js";

const STEP = 500; // milliseconds
const CALM_STEP = 1500;

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "time",
  place: "explore",
  order: 15,
  html: `
    <section class="viz-time" aria-label="$time" hidden>
      <div class="viz-row">
        <label><span data-term="training">$time</span></label>
        <button class="viz-time-play" aria-pressed="false" title="$time_play" aria-label="$time_play">&#9654;</button>
        <input class="viz-time-at" type="range" min="0" max="1" step="1" value="0" title="$time_help" />
        <output class="viz-time-value"></output>
      </div>
      <div class="viz-time-curves"></div>
      <p class="viz-time-said"></p>
    </section>`,
  keys: { "<": "", ">": "" },
  state: { moment: moving(index(null)) }, // a step of the training; null: the one that the network was opened at
  mount(root, { state, ask, words, change }) {
    const find = finder(root);
    const speak = speaker(find("time-said"));
    const curves = new Curves(find("time-curves"), words, (at) => go(at));
    /** @type {Film | null} */
    let film = null;
    /** @type {Payload | null} */
    let home = null; // what the server sent for this picture
    /** @type {Map<number, Payload>} */
    let known = new Map(); // maps by their step
    let why = new Map(); // why there are none
    /** @type {Payload | null} */
    let shown = null;
    let playing = 0;

    pair(root.querySelector("label"), find("time-at"));
    find("time-at").addEventListener("input", ({ target }) => go(Number(target.value)));
    find("time-play").addEventListener("click", () => play());

    // The number of the step that is chosen.
    const at = () => film?.nearest(state.get("moment") ?? home?.film.at) ?? 0;

    function go(number) {
      if (!film) return;
      const step = film.steps[Math.min(Math.max(0, number), film.steps.length - 1)];
      state.set({ moment: step === home?.film.at ? null : step });
    }

    function play() {
      if (playing) return stop();
      const calm = isStill();
      // A step whose maps are not here yet is waited for.
      const on = () => {
        if (!film || (shown && shown.film.at !== film.steps[at()])) return;
        if (at() + 1 < film.steps.length) go(at() + 1);
        else stop();
      };
      playing = setInterval(on, calm ? CALM_STEP : STEP);
      go(at() + 1 < (film?.steps.length ?? 0) ? at() + 1 : 0);
      showPlayer();
    }

    function stop() {
      clearInterval(playing);
      playing = 0;
      showPlayer();
    }

    function showPlayer() {
      put(find("time-play"), { "aria-pressed": Boolean(playing) });
      write(find("time-play"), playing ? "\u2016" : "\u25B6");
    }

    // Maps from the server start a new film. Maps that this panel put on the stage belong to the current one.
    function begin(payload) {
      shown = payload;
      if (payload.film && known.get(payload.film.at) === payload) return;
      stop();
      home = payload;
      film = payload.film ? new Film(payload.film) : null;
      known = new Map(film ? [[payload.film.at, payload]] : []);
      why = new Map();
      put(find("time"), { hidden: !film });
      if (!film) return;
      put(find("time-at"), { max: film.steps.length - 1 });
      curves.begin(film);
      fetchAll(film);
    }

    // Fetch the steps one after the other, starting with the one on the stage, so that other questions get their turn in between.
    async function fetchAll(mine) {
      const run = home?.run ?? "";
      for (;;) {
        const step = mine.next(at(), (one) => known.has(one) || why.has(one));
        if (mine !== film || step === undefined) return;
        const answer = await ask("moments", run, step);
        if (mine !== film || !home) return;
        if (answer.maps) known.set(step, payloadOf(answer, home));
        else why.set(step, answer.why ?? words.say("asked_lost"));
        settle();
      }
    }

    // Put the chosen step on the stage once its maps are here. Until then the old one stays.
    function settle() {
      const wanted = film && known.get(film.steps[at()]);
      if (wanted && wanted !== shown) change(wanted);
      else if (film && lastView) show(lastView);
    }

    /** @type {import("../panel.js").View | null} */
    let lastView = null;

    /** @param {import("../panel.js").View} view */

    function show(view) {
      lastView = view;
      if (!film || !shown) return;
      const number = at();
      const step = film.steps[number];
      put(find("time-at"), { value: number, "aria-valuetext": words.say("time_at", { step, last: film.last }) });
      write(find("time-value"), words.say("time_at", { step, last: film.last }));
      curves.show(number, view.layer);
      write(find("time-said"), sentence(film, step, number, view.layer));
      speak(() => find("time-said").textContent);
      const wanted = known.get(step);
      if (wanted && wanted !== shown) queueMicrotask(settle);
    }

    function sentence(film, step, number, layer) {
      if (why.has(step)) return words.say("time_none", { step, why: why.get(step) });
      if (!known.has(step)) return words.say("time_wait", { step, shown: shown?.film.at });
      const accuracy = film.curve("accuracy");
      if (!accuracy) return "";
      const parts = [];
      const unmarked = film.curve("unmarked");
      /** @type {import("../../../vocabulary.js").Curve} */
      const place = film.curve("mark", layer) ? "mark" : "object";
      const shares = { n: film.pictures, right: percent(accuracy[number]), chance: percent(film.levels.accuracy) };
      if (unmarked) parts.push(words.say("time_right_both", { ...shares, unmarked: percent(unmarked[number]) }));
      else parts.push(words.say("time_right", shares));
      const row = film.curve(place, layer);
      if (row) {
        const said = { layer: layer + 1, share: percent(row[number]), even: percent(film.levels[place]) };
        parts.push(words.say(`time_on_${place}`, said));
      }
      const labels = film.known(step);
      const n = labels.length;
      if (n === film.classes) parts.push(words.say("time_knows_all", { n }));
      else if (n) parts.push(words.say("time_knows", { n, all: film.classes, list: words.list(labels) }));
      else parts.push(words.say("time_knows_none"));
      return words.told(parts);
    }

    function press(key) {
      if (!film) return false;
      go(at() + (key === "<" ? -1 : 1));
    }

    return { reset: begin, swap: begin, show, press, stop };
  },
};

// Maps as the server sends them whole. What belongs to the picture is that of the maps which came with it.
function payloadOf({ maps, run, sinks }, { bitmap, lesson, caution }) {
  const bytes = bytesOf(maps);
  const payload = Payload.parse(bytes, bytes.length);
  payload.arrived = bytes.length;
  return Object.assign(payload, { run, sinks: sinks ?? payload.sinks, bitmap, lesson, caution });
}
