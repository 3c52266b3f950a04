// Tells the server during a long run that the visitor is still there. A closed tab closes its connection, but that of a laptop that was
// shut, or of a phone without a network, goes silent without an end.

const SECONDS = 5; // between two signs of life; several may be lost before the silence counts

export class Alive {
  /** @param {() => void} beat tells it */
  constructor(beat) {
    this.beat = beat;
    this.runs = 0;
    this.stop = () => {};
  }

  /** @template T @param {Promise<T>} run @returns {Promise<T>} */
  async during(run) {
    if (!this.runs++) this.stop = paced(this.beat);
    return run.finally(() => --this.runs || this.stop());
  }
}

// In a background tab the browser slows the page's timers down to one tick a minute, which would look like silence. Those of a Worker
// are not slowed down, and neither are its messages to the page.
function paced(beat) {
  try {
    const tick = `setInterval(() => postMessage(0), ${1000 * SECONDS})`;
    const url = URL.createObjectURL(new Blob([tick], { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onmessage = beat;
    return () => {
      worker.terminate();
      URL.revokeObjectURL(url);
    };
  } catch {
    const timer = setInterval(beat, 1000 * SECONDS); // where a policy allows no Worker
    return () => clearInterval(timer);
  }
}
