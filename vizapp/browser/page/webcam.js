// The live camera: a new frame goes to the network when the last one is shown. No frame leaves the page. A frozen frame becomes a
// picture like any other.

import { camera, rateOf, release } from "../../ui/incoming/camera.js";
import { framed } from "../../ui/incoming/frames.js";
import { largestOf, placeOf, pngOf } from "./moving.js";

const AHEAD = 25; // milliseconds before the network is done; a frame takes about ten from the camera to the network

/** @param {import("./desk.js").Desk} desk @param {HTMLElement} root the choices on the left @param {import("./moving.js").Moving} moving */
export function webcam(desk, root, moving) {
  const {
    words: { export: words },
  } = desk;
  const { isLive } = desk;
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "webcam",
    textContent: words.webcam,
  });
  button.hidden = !isLive || !desk.source.glance;
  root.querySelector(".ways").prepend(button);
  button.addEventListener("click", async () => {
    button.disabled = true; // while the browser asks
    try {
      await start();
    } finally {
      button.disabled = false;
    }
  });

  async function start() {
    const { stream, why } = await camera();
    if (why) return desk.said(words[why]);
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, srcObject: stream });
    const [track] = stream.getVideoTracks();
    // Nobody looks at a page that is hidden, and a camera that nobody looks at is off.
    const hide = () => document.hidden && moving.close();
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
        const [frame, { sent }] = [picture, found];
        moving.close();
        const name = desk.bring(sent ?? (await pngOf(frame)), "webcam");
        await desk.look({ picture: name, model: modelOf(desk) });
        desk.viewer.state.set(head < 0 ? { layer } : { layer, head, fusion: "one" });
      },
      ended: () => {
        isOn = false;
        document.removeEventListener("visibilitychange", hide);
        release(stream);
        video.srcObject = null;
      },
    });
    desk.said("");
    document.addEventListener("visibilitychange", hide);
    track.addEventListener("ended", () => isOn && (moving.close(), desk.said(words.cameraGone)));
    await video.play();
    const { shown } = moving;
    let [next, took] = [Promise.resolve(ask(video)), Infinity];
    while (isOn) {
      const { frame, answer } = await next;
      // Take the next frame a little before the network is done with this one. So the network never waits, and the frame is
      // recent.
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
      // The top colour stands for the largest value so far. It never falls, so the map does not flicker.
      const most = largestOf(seen);
      const isSame = highs.length === most.length && found?.layers === seen.layers;
      highs = isSame ? highs.map((high, i) => Math.max(high, most[i])) : most;
      found = seen;
      picture = frame;
      moving.show(frame, seen);
      shown.push({ at: performance.now(), took: seen.took });
      const rate = rateOf(shown);
      if (rate) moving.say(words.perSecond.replace("{rate}", rate));
    }
  }

  // Take a frame of the camera, and start the network on it.
  function ask(video) {
    const frame = framed(video, video.videoWidth, video.videoHeight);
    const answer = desk.glance(modelOf(desk), frame);
    answer.catch(() => {}); // errors are reported where the answer is awaited; after the end nobody awaits it
    return { frame, answer };
  }
}

/** The network for moving pictures: the chosen one, if it runs in the browser. @param {import("./desk.js").Desk} desk */
export function modelOf(desk) {
  const { model } = desk.wanted ?? desk.shown ?? desk.about.start;
  return desk.source.runs(model) ? model : desk.about.models.find(({ name }) => desk.source.runs(name)).name;
}

/** The warning for a network that knows only drawn scenes. @param {import("./desk.js").Desk} desk */
export const cautionOf = (desk) => (desk.modelOf(modelOf(desk))?.subject === "scenes" ? desk.words.page.caution_scenes : "");

function after(milliseconds) {
  return new Promise((go) => milliseconds < Infinity && setTimeout(go, Math.max(0, milliseconds)));
}
