// Timers whose end changes what is seen. While one runs, a viewer is not idle (idle.js).

/** @type {Set<number>} */
const running = new Set();

/** Do something later. @param {() => unknown} what @param {number} [pause] milliseconds @returns {number} for `callOff` */
export function later(what, pause = 0) {
  const timer = Number(
    setTimeout(() => {
      running.delete(timer);
      what();
    }, pause),
  );
  running.add(timer);
  return timer;
}

/** @param {number} timer 0 for none */
export function callOff(timer) {
  clearTimeout(timer);
  running.delete(timer);
}

export const isAnyRunning = () => running.size > 0;
