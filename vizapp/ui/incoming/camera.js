// Asks the browser for its camera.

const WANTED = { width: { ideal: 480 }, height: { ideal: 360 } }; // networks of 112 or 224 pixels gain nothing from more
const WHY = {
  NotAllowedError: "cameraRefused",
  SecurityError: "cameraRefused",
  NotFoundError: "cameraNone",
  OverconstrainedError: "cameraNone",
};
const COUNTED = 12; // frames over which the rate is averaged

/** @returns {Promise<{stream?: MediaStream, why?: string}>} the camera's stream, or the word that says why there is none */
export async function camera() {
  if (!navigator.mediaDevices?.getUserMedia) return { why: "cameraNotHere" };
  try {
    return { stream: await navigator.mediaDevices.getUserMedia({ video: WANTED, audio: false }) };
  } catch (error) {
    return { why: WHY[error.name] ?? "cameraBusy" };
  }
}

/** Switch it off, and its light. @param {MediaStream} stream */
export function release(stream) {
  for (const one of stream.getTracks()) one.stop();
}

/** How many a second are shown, as a number to be read; "" after too few. @param {{at: number}[]} shown the last ones */
export function rateOf(shown) {
  if (shown.length > COUNTED) shown.shift();
  if (shown.length < 3) return "";
  const rate = (1000 * (shown.length - 1)) / (shown.at(-1).at - shown[0].at);
  return rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
}
