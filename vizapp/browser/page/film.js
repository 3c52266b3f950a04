// A visitor's film. The browser decodes its frames, the network looks at each, and the page keeps them with their maps, so that
// one slider goes through time as the other goes through layers. Nothing leaves the page.

import { framesOf, jpegOf } from "../../ui/incoming/frames.js";
import { cautionOf, modelOf } from "./webcam.js";
import { largestOf, placeOf, pngOf } from "./moving.js";

const MOST = 240; // frames, in all: about 20 MB

/**
 * @param {import("./desk.js").Desk} desk
 * @param {import("./moving.js").Moving} moving
 * @returns {(file: File) => Promise<boolean>} shows a film; false for a picture that does not move, or if the browser cannot decode single frames
 */
export function film(desk, moving) {
  const words = desk.words.export;
  return async (file) => {
    if (!desk.source.glance) return false;
    let source;
    try {
      source = await framesOf(file, MOST);
    } catch {
      desk.said(words.filmUnreadable);
      return true;
    }
    if (source) await show(file.name, source);
    return Boolean(source);
  };

  /** @param {string} name @param {import("../../ui/incoming/frames.js").Source} source */
  async function show(name, source) {
    const { count, rate } = source;
    /** @type {{blob: Blob, found: import("../engine/glance.js").Glance}[]} */
    const kept = [];
    let highs = new Float32Array(0);
    let [isOn, at, timer, drawing] = [true, 0, 0, false];
    let isLed = false; // the visitor has moved the slider; before that the newest frame is shown
    const model = modelOf(desk);
    moving.open({
      title: name,
      end: words.filmClose,
      kept: [words.filmKept, cautionOf(desk)].join(" "),
      highest: words.filmHighest,
      holdsModel: true,
      highOf: (layer, head) => highs[placeOf(kept[0].found, layer, head)] ?? 0,
      freeze: async () => {
        const { layer, head } = moving;
        const picture = kept[at].found.sent ?? (await pngOf(await source.frame(at)));
        moving.close();
        await desk.look({ picture: desk.bring(picture, name), model });
        desk.viewer.state.set(head < 0 ? { layer } : { layer, head, fusion: "one" });
      },
      ended: () => {
        isOn = false;
        clearInterval(timer);
        source.close();
      },
    });
    desk.said("");
    const { slider, output, play, save } = controls();
    slider.max = String(count - 1);
    slider.addEventListener("input", () => {
      stop();
      isLed = true;
      go(Number(slider.value));
    });
    play.addEventListener("click", () => (timer ? stop() : start()));
    save.addEventListener("click", () => record());

    for (let i = 0; i < count && isOn; i++) {
      try {
        const canvas = await source.frame(i);
        const found = await desk.glance(model, canvas);
        kept.push({ blob: await jpegOf(canvas), found });
        const most = largestOf(found);
        highs = highs.length ? highs.map((high, place) => Math.max(high, most[place])) : most;
        if (!isOn) return;
        moving.say(words.filmLooking.replace("{done}", String(i + 1)).replace("{count}", String(count)));
        if (isLed)
          moving.draw(); // the scale has grown
        else paint(i, canvas);
      } catch (error) {
        if (isOn) moving.close();
        if (isOn) desk.said(`${words.failed} ${error.message}`);
        return;
      }
    }
    if (!isOn) return;
    moving.say(words.filmDone.replace("{count}", String(count)).replace("{rate}", String(Math.round(10 * rate) / 10)));
    play.disabled = false;
    save.disabled = !globalThis.MediaRecorder;

    function paint(number, picture) {
      at = number;
      slider.value = String(number);
      output.textContent = `${(number / rate).toFixed(1)} s`;
      moving.show(picture, kept[number].found);
    }

    // Show the latest frame that was requested; requests that come too quickly are skipped.
    async function go(number) {
      at = Math.min(number, kept.length - 1);
      if (drawing) return;
      drawing = true;
      for (let now = -1; now !== at && isOn;) {
        now = at;
        const picture = await createImageBitmap(kept[now].blob);
        if (isOn && now === at) paint(now, picture);
      }
      drawing = false;
    }

    function start() {
      isLed = true;
      play.textContent = words.filmPause;
      timer = window.setInterval(() => go((at + 1) % count), 1000 / rate);
    }

    function stop() {
      clearInterval(timer);
      timer = 0;
      play.textContent = words.filmPlay;
    }

    // Record the canvas while it plays once from the first frame to the last, which takes as long as the film.
    async function record() {
      stop();
      save.disabled = true;
      await go(0);
      const recorder = new MediaRecorder(moving.stage.canvas.captureStream(), { mimeType: "video/webm" });
      const parts = [];
      recorder.ondataavailable = ({ data }) => parts.push(data);
      const done = new Promise((end) => (recorder.onstop = end));
      recorder.start();
      for (let i = 0; i < count && isOn; i++) {
        await go(i);
        await new Promise((next) => setTimeout(next, 1000 / rate));
      }
      recorder.stop();
      await done;
      save.disabled = false;
      if (!isOn) return;
      const url = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
      Object.assign(document.createElement("a"), { href: url, download: `${name.replace(/\.\w+$/, "")}-${model}.webm` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    }
  }

  function controls() {
    const box = moving.find(".times");
    box.innerHTML = `<label class="time"><span></span> <input type="range" min="0" step="1" value="0"> <output></output></label>
      <button type="button" class="play" disabled></button><button type="button" class="save" disabled></button>`;
    const [slider, output, play, save] = ["input", "output", ".play", ".save"].map((css) => box.querySelector(css));
    box.querySelector("span").textContent = words.filmTime;
    play.textContent = words.filmPlay;
    Object.assign(save, { textContent: words.filmSave, title: words.filmSaveHelp });
    return { slider, output, play, save };
  }
}
