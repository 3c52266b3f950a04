// A film of the visitor's: its frames are decoded by the browser, looked at one after the other, and kept with their maps, so that
// a slider goes through time as the other one through layers. Nothing leaves the page.

import { cautionOf, modelOf } from "./webcam.js";
import { framed, largestOf, pixelsOf, placeOf, pngOf } from "./moving.js";

const RATE = 10; // frames a second that are looked at, of a film of many
const MOST = 240; // frames, in all: about 20 MB
const SIDE = 640; // longest side of what is kept
const QUALITY = 0.92;
const FILM = /\.(mp4|m4v|webm|mov|ogv|mkv)$/i;
const MANY = 1e7; // seconds: where a film that does not know its length is asked for its end

/** @param {File} file */
export const isFilm = ({ type, name }) => type.startsWith("video/") || FILM.test(name);

/** @typedef {{count: number, rate: number, frame: (number: number) => Promise<HTMLCanvasElement>, close: () => void}} Source */

/**
 * @param {import("./desk.js").Desk} desk
 * @param {import("./moving.js").Moving} moving
 * @returns {(file: File) => Promise<boolean>} shows a film; false for a .gif that does not move, or whose frames cannot be had
 */
export function film(desk, moving) {
  const words = desk.words.export;
  return async (file) => {
    let source;
    try {
      source = isFilm(file) ? await decoded(file) : await animated(file);
    } catch {
      desk.said(words.filmUnreadable);
      return true;
    }
    if (source) await show(file.name, source);
    return Boolean(source);
  };

  /** @param {string} name @param {Source} source */
  async function show(name, source) {
    const { count, rate } = source;
    /** @type {{blob: Blob, found: import("../engine/glance.js").Glance}[]} */
    const kept = [];
    let highs = new Float32Array(0);
    let [isOn, at, timer, drawing] = [true, 0, 0, false];
    let isLed = false; // by the visitor: else the frame that was looked at last is shown
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
        const picture = await pngOf(await source.frame(at));
        moving.close();
        await desk.look({ picture: desk.bring(picture, "image/png"), model });
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
        const found = await desk.glance(model, pixelsOf(canvas));
        kept.push({ blob: await jpegOf(canvas), found });
        const most = largestOf(found);
        highs = highs.length ? highs.map((high, place) => Math.max(high, most[place])) : most;
        if (!isOn) return;
        moving.say(words.filmLooking.replace("{done}", String(i + 1)).replace("{count}", String(count)));
        if (isLed)
          moving.draw(); // on the scale of now
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

    // The last one that was asked for; those between that came too quickly are left out.
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

    // The canvas, as it plays once from the first frame to the last: in a film's own time.
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

/** By the browser's own video element. @param {File} file @returns {Promise<Source>} */
async function decoded(file) {
  const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "auto" });
  const url = URL.createObjectURL(file);
  const heard = (event) =>
    new Promise((done, failed) => {
      video.addEventListener(event, done, { once: true });
      video.addEventListener("error", () => failed(video.error), { once: true });
    });
  try {
    const loaded = heard("loadeddata");
    video.src = url;
    await loaded;
    if (!Number.isFinite(video.duration)) await seek(MANY); // as a camera's recording, which has no length in its head
    if (!video.videoWidth || !(video.duration > 0)) throw new Error("no pictures in it");
  } catch (error) {
    URL.revokeObjectURL(url);
    throw error;
  }
  const count = Math.min(MOST, Math.max(1, Math.round(video.duration * RATE)));
  return {
    count,
    rate: count / video.duration,
    frame: async (number) => {
      await seek(((number + 0.5) * video.duration) / count);
      return drawn(video, video.videoWidth, video.videoHeight);
    },
    close: () => {
      video.removeAttribute("src");
      URL.revokeObjectURL(url);
    },
  };

  async function seek(seconds) {
    const there = heard("seeked");
    video.currentTime = seconds;
    await there;
  }
}

/** A .gif that moves; null for one that does not, and in a browser that gives no single frames. @param {File} file @returns {Promise<Source | null>} */
async function animated(file) {
  const { ImageDecoder } = /** @type {any} */ (globalThis);
  if (!ImageDecoder) return null;
  const decoder = new ImageDecoder({ data: await file.arrayBuffer(), type: "image/gif" });
  await decoder.tracks.ready;
  await decoder.completed;
  const whole = decoder.tracks.selectedTrack.frameCount;
  if (whole < 2) return null;
  const count = Math.min(MOST, whole);
  const { image: first } = await decoder.decode({ frameIndex: 0 });
  const seconds = (first.duration || 100_000) / 1e6;
  first.close();
  return {
    count,
    rate: count / (seconds * whole),
    frame: async (number) => {
      const { image } = await decoder.decode({ frameIndex: Math.floor((number * whole) / count) });
      const canvas = drawn(image, image.displayWidth, image.displayHeight);
      image.close();
      return canvas;
    },
    close: () => decoder.close(),
  };
}

function drawn(picture, width, height) {
  const scale = Math.min(1, SIDE / Math.max(width, height));
  return framed(picture, Math.round(width * scale), Math.round(height * scale));
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
const jpegOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
