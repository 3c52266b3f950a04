// The frames of a film, decoded one at a time by the browser: by its video element, or those of a picture that moves by its
// decoder of pictures.

const RATE = 10; // frames a second, if the film has more
const SIDE = 640; // longest side of a frame
const FILM = /\.(mp4|m4v|webm|mov|ogv|mkv)$/i;
const MANY = 1e7; // seconds: seeking this far makes the browser find the end of a film that does not tell its length
const QUALITY = 0.92;

/** @typedef {{count: number, rate: number, frame: (number: number) => Promise<HTMLCanvasElement>, close: () => void}} Source */

/** @param {{type: string, name: string}} file */
const isFilm = ({ type, name }) => type.startsWith("video/") || FILM.test(name);

/** Whether it is a film, or may be a picture that moves. @param {{type: string, name: string}} file */
export const mayMove = (file) => isFilm(file) || /^image\/(gif|webp)$/.test(file.type);

/** @param {File} file @param {number} most frames in all @returns {Promise<Source | null>} null: a picture that does not move */
export const framesOf = (file, most) => (isFilm(file) ? decoded(file, most) : animated(file, most).catch(() => null));

/** @param {File} file @param {number} most @returns {Promise<Source>} */
async function decoded(file, most) {
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
    if (!Number.isFinite(video.duration)) await seek(MANY); // a camera's recording has no length in its header
    if (!video.videoWidth || !(video.duration > 0)) throw new Error("no pictures in it");
  } catch (error) {
    URL.revokeObjectURL(url);
    throw error;
  }
  const count = Math.min(most, Math.max(1, Math.round(video.duration * RATE)));
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

// Decode a picture that moves (.gif, .webp); null if it has one frame, or if the browser has no ImageDecoder.
/** @param {File} file @param {number} most @returns {Promise<Source | null>} */
async function animated(file, most) {
  const { ImageDecoder } = /** @type {any} */ (globalThis);
  if (!ImageDecoder) return null;
  const decoder = new ImageDecoder({ data: await file.arrayBuffer(), type: file.type });
  await decoder.tracks.ready;
  await decoder.completed;
  const whole = decoder.tracks.selectedTrack.frameCount;
  if (whole < 2) return null;
  const count = Math.min(most, whole);
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

/** Draw a frame of a film, no larger than is kept. @param {CanvasImageSource} picture @param {number} width @param {number} height */
export function drawn(picture, width, height) {
  const scale = Math.min(1, SIDE / Math.max(width, height));
  return framed(picture, Math.round(width * scale), Math.round(height * scale));
}

/** Draw a frame on a canvas that is made for reading its pixels. @param {CanvasImageSource} picture @param {number} width @param {number} height */
export function framed(picture, width, height) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(picture, 0, 0, width, height);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export const jpegOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
