// The camera, live: a frame goes to the network when the last one is shown, and none leaves the page. A frame that is frozen
// becomes a picture like any other.

import { framed, largestOf, pixelsOf, placeOf, pngOf } from "./moving.js";

const WANTED = { width: { ideal: 480 }, height: { ideal: 360 } }; // of more, networks of 112 or 224 pixels see nothing
const AHEAD = 25; // milliseconds; from the camera to the network it takes about ten
const COUNTED = 12; // frames over which the rate is told
const WHY = {
  NotAllowedError: "cameraRefused",
  SecurityError: "cameraRefused",
  NotFoundError: "cameraNone",
  OverconstrainedError: "cameraNone",
};

/** @param {import("./desk.js").Desk} desk @param {HTMLElement} root the choices on the left @param {import("./moving.js").Moving} moving */
export function webcam(desk, root, moving) {
  const {
    words: { export: words },
  } = desk;
  const isLive = desk.about.models.some(({ blob }) => blob);
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "webcam",
    textContent: words.webcam,
  });
  button.hidden = !isLive;
  root.querySelector(".bring").after(button);
  button.addEventListener("click", async () => {
    button.disabled = true; // while the browser asks
    try {
      await start();
    } finally {
      button.disabled = false;
    }
  });

  async function start() {
    const stream = await opened();
    if (!stream) return;
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, srcObject: stream });
    const [track] = stream.getVideoTracks();
    let isOn = true;
    let highs = new Float32Array(0);
    let found = null;
    let picture = null; // the frame that is shown
    moving.open({
      title: words.webcam,
      end: words.cameraStop,
      kept: [words.cameraKept, cautionOf(desk)].join(" "),
      highest: words.highest,
      highOf: (layer, head) => highs[placeOf(found, layer, head)] ?? 0,
      anew: () => (highs = new Float32Array(0)),
      freeze: async () => {
        const { layer, head } = moving;
        const frame = picture;
        moving.close();
        const name = desk.bring(await pngOf(frame), "image/png");
        await desk.look({ picture: name, model: modelOf(desk) });
        desk.viewer.state.set(head < 0 ? { layer } : { layer, head, fusion: "one" });
      },
      ended: () => {
        isOn = false;
        for (const one of stream.getTracks()) one.stop();
        video.srcObject = null;
      },
    });
    desk.said("");
    track.addEventListener("ended", () => isOn && (moving.close(), desk.said(words.cameraGone)));
    await video.play();
    const { shown } = moving;
    let [next, took] = [Promise.resolve(ask(video)), Infinity];
    while (isOn) {
      const { frame, answer } = await next;
      // The next frame is on its way a little before the network is done with this one: it never waits, and sees what is new.
      next = Promise.race([after(took - AHEAD), answer.catch(() => {})]).then(() => isOn && ask(video));
      let seen;
      try {
        seen = await answer;
      } catch (error) {
        moving.close();
        desk.said(`${words.failed} ${error.message}`);
        return;
      }
      if (!isOn) return;
      ({ took } = seen);
      if (document.hidden) await visible();
      // The top colour is the largest value so far: it can rise, and never falls, so nothing flickers.
      const most = largestOf(seen);
      const isSame = highs.length === most.length && found?.layers === seen.layers;
      highs = isSame ? highs.map((high, i) => Math.max(high, most[i])) : most;
      found = seen;
      picture = frame;
      moving.show(frame, seen);
      shown.push({ at: performance.now(), took: seen.took });
      if (shown.length > COUNTED) shown.shift();
      if (shown.length > 2) {
        const rate = (1000 * (shown.length - 1)) / (shown.at(-1).at - shown[0].at);
        moving.say(words.perSecond.replace("{rate}", rate < 10 ? rate.toFixed(1) : rate.toFixed(0)));
      }
    }
  }

  // A frame of the camera, and what the network will have found of it.
  function ask(video) {
    const frame = framed(video, video.videoWidth, video.videoHeight);
    const answer = desk.glance(modelOf(desk), pixelsOf(frame));
    answer.catch(() => {}); // is said where it is awaited; after the end nobody asks
    return { frame, answer };
  }

  async function opened() {
    if (!navigator.mediaDevices?.getUserMedia) return desk.said(words.cameraNotHere);
    try {
      return await navigator.mediaDevices.getUserMedia({ video: WANTED, audio: false });
    } catch (error) {
      return desk.said(words[WHY[error.name] ?? "cameraBusy"]);
    }
  }
}

/** The network that looks at what moves: the one that is shown, if it runs here. @param {import("./desk.js").Desk} desk */
export function modelOf(desk) {
  const { model } = desk.wanted ?? desk.shown ?? desk.about.start;
  return desk.modelOf(model)?.blob ? model : desk.about.models.find(({ blob }) => blob).name;
}

/** What is to be said of a network that knows drawn things only. @param {import("./desk.js").Desk} desk */
export const cautionOf = (desk) => (desk.modelOf(modelOf(desk)).subject === "scenes" ? desk.words.page.caution_scenes : "");

function after(milliseconds) {
  return new Promise((go) => milliseconds < Infinity && setTimeout(go, Math.max(0, milliseconds)));
}

function visible() {
  return new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
}
