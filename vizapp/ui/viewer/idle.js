// When a viewer is idle: all that was asked for is there and painted, and nothing moves. Whoever films or prints a page waits for
// this, and so do the tests.
//
// What only screen readers are told, once the hand rests, is not waited for; nor is what plays until somebody stops it.

import { isAnyRunning } from "./numbers/timers.js";

/**
 * What a viewer still has to do, in words; nothing if there is nothing.
 * @param {any} viewer
 * @returns {string[]}
 */
export function pending({ root, waiting, slices, asking, working, attention }) {
  const all = {
    "the maps of another choice": root.dataset.waiting === "true",
    "pieces of the payload": working > 0,
    "a paint": waiting || slices.isWaiting,
    "answers to questions": asking > 0,
    "rows of the maps": attention?.asker.isBusy,
    "what waits for the hand to rest": isAnyRunning(),
    "what moves": root.getAnimations({ subtree: true }).some(isPassing),
  };
  return Object.keys(all).filter((one) => all[one]);
}

/** Resolves when nothing is pending and the viewer stands still. @param {any} viewer */
export async function idle(viewer) {
  const placeOf = () => Object.values(viewer.root.getBoundingClientRect().toJSON()).join();
  let before = "";
  // What a painted frame has begun is pending in the next one.
  for (let frames = 0; frames < 2;) {
    await new Promise(requestAnimationFrame);
    const place = placeOf();
    frames = pending(viewer).length || place !== before ? 0 : frames + 1;
    before = place;
  }
}

/** @param {Animation} one */
const isPassing = ({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity;
