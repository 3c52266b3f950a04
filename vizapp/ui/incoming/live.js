// The live camera of the served page. A frame is sent when the maps of the one before are painted, so a page asks one thing at a
// time, however slow its server is. A frame that is frozen is a picture like any other.

import { camera, rateOf, release } from "./camera.js";
import { drawn, jpegOf } from "./frames.js";

const NAME = "webcam.jpg";

/**
 * @typedef {object} Frame
 * @property {File} file
 * @property {MediaStream} film which it is of
 * @property {string} on its path on the server, once it was uploaded
 * @property {boolean} isKept whether it is frozen
 */

export class Live {
  /**
   * @param {HTMLElement} root what is seen while it runs: the camera's own picture, the rate, and two buttons
   * @param {{look: (frame: Frame) => Promise<boolean>, keep: (frame: Frame) => Promise<void>, tell: (text?: string) => void}} on
   *   `look` shows a frame, and resolves to whether its maps were painted; `keep` makes it a picture like any other
   * @param {(key: string, values?: Record<string, any>) => string} say
   */
  constructor(root, on, say) {
    this.root = root;
    this.on = on;
    this.say = say;
    /** @type {MediaStream | null} */
    this.stream = null;
    /** @type {Frame | null} */
    this.frame = null; // the one that is looked at
    /** @type {Frame | null} */
    this.painted = null;
    this.looking = Promise.resolve(false);
    this.keeping = Promise.resolve(); // a frozen frame is on its way until then
    this.before = ""; // a link to what was there before it
    this.video = root.querySelector("video");
    this.rate = root.querySelector(".live-rate");
    const [freeze, stop] = [root.querySelector(".live-freeze"), root.querySelector(".live-stop")];
    Object.assign(freeze, { textContent: say("freeze"), title: say("freezeHelp") });
    stop.textContent = say("cameraStop");
    freeze.addEventListener("click", () => this.freeze());
    stop.addEventListener("click", () => this.back());
    // Nobody looks at a page that is hidden, and a camera that nobody looks at is off.
    document.addEventListener("visibilitychange", () => document.hidden && this.freeze());
  }

  get isOn() {
    return Boolean(this.stream);
  }

  async start() {
    if (this.isOn) return;
    await this.keeping;
    const { stream, why } = await camera();
    if (why) return this.on.tell(this.say(why));
    if (this.isOn) return release(stream); // it was asked for twice
    this.stream = stream;
    this.before = /** @type {any} */ (window).vizappLink?.here() ?? "";
    stream.getVideoTracks()[0].addEventListener("ended", () => this.isOn && this.stop("cameraGone"));
    Object.assign(this.video, { muted: true, playsInline: true, srcObject: stream });
    this.rate.textContent = this.say("starting");
    this.turn();
    this.on.tell("");
    await this.video.play().catch(() => {}); // it was stopped at once
    const shown = /** @type {{at: number}[]} */ ([]);
    while (this.stream === stream) {
      const file = new File([await jpegOf(drawn(this.video, this.video.videoWidth, this.video.videoHeight))], NAME, { type: "image/jpeg" });
      if (this.stream !== stream) return; // it was stopped while the frame became a file
      const frame = (this.frame = { file, film: stream, on: "", isKept: false });
      this.looking = this.on.look(frame);
      if (!(await this.looking) || this.stream !== stream) return;
      this.painted = frame;
      shown.push({ at: performance.now() });
      const rate = rateOf(shown);
      if (rate) this.rate.textContent = this.say("perSecond", { rate });
    }
  }

  /** Switch it off, and its light. The last frame stays where it is. @param {string} [why] the word that says why */
  stop(why) {
    if (!this.isOn) return;
    release(this.stream);
    this.stream = this.frame = this.painted = this.video.srcObject = null;
    this.turn();
    this.on.tell(why && this.say(why));
  }

  // It is sent once more: then it has a place in the browser's memory and in the history.
  freeze() {
    const { painted } = this;
    this.stop();
    if (painted) this.keeping = this.on.keep(painted);
  }

  // What was there before it comes back.
  async back() {
    const { before, looking } = this;
    this.stop();
    await looking;
    if (before && !this.isOn) /** @type {any} */ (window).vizappLink.show(before);
  }

  turn() {
    document.documentElement.classList.toggle("is-live", this.isOn);
    this.root.hidden = !this.isOn;
  }
}
