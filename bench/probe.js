// What page.py runs in the page. All times are milliseconds of performance.now().
const viewer = document.querySelector(".viz").viewer;
const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));

// The end of the next frame in which `isReady()` is true: its animation callbacks have run, and what was drawn is painted.
const frame = (isReady = () => true) =>
  new Promise((resume) => {
    const look = () => {
      if (!isReady()) return requestAnimationFrame(look);
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resume(performance.now());
      channel.port2.postMessage(null);
    };
    requestAnimationFrame(look);
  });

window.probe = {
  // All numbers of the present picture have arrived, and nothing is computed any more.
  async settle() {
    viewer.use();
    while (!viewer.payload?.complete || !viewer.attention.hasFused("mean")) await sleep(20);
    await sleep(200);
  },

  // From the moment when the page gets a file until the first map of another picture is painted. Call it, then choose.
  async upload() {
    const before = viewer.payload;
    performance.clearResourceTimings();
    const started = await new Promise((resume) => {
      addEventListener("change", () => resume(performance.now()), { capture: true, once: true });
    });
    const painted = await frame(() => viewer.payload !== before);
    await this.settle();
    const all = performance.getEntriesByType("resource");
    const upload = all.find((one) => one.name.includes("/upload?"));
    const file = all.find((one) => one.name.endsWith(".bin"));
    return {
      total: painted - started,
      sent: upload.responseEnd - started,
      answered: file.startTime - upload.responseEnd,
      opened: file.responseStart - file.startTime,
      shown: painted - file.responseStart,
    };
  },

  // Point at `count` patches, one after the other, at any moment of a frame: [to the painted frame, the viewer's part].
  async hover(count) {
    const canvas = viewer.root.querySelector(".viz-picture");
    const times = [];
    for (let i = 0; i < count; i++) {
      const area = canvas.getBoundingClientRect();
      const at = (share) => 0.2 + 0.6 * ((i * share) % 1); // a walk over the middle that never stays on a patch
      const place = { clientX: area.left + at(0.381966) * area.width, clientY: area.top + at(0.618034) * area.height };
      times.push(
        await this.timed(() =>
          canvas.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", ...place })),
        ),
      );
    }
    canvas.dispatchEvent(new PointerEvent("pointerleave"));
    return times;
  },

  // Move the layer slider `count` times.
  async slide(count) {
    const slider = viewer.root.querySelector(".viz-layer");
    const times = [];
    for (let i = 0; i < count; i++) {
      times.push(
        await this.timed(() => {
          slider.value = 1 + (((i + 1) * 7) % slider.max); // another layer each time, be they five or twelve
          slider.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      );
    }
    return times;
  },

  async timed(act) {
    await sleep(20 + 40 * Math.random());
    const paints = viewer.paints;
    const started = performance.now();
    act();
    const painted = await frame();
    if (viewer.paints === paints) throw new Error("the event painted nothing");
    return [painted - started, viewer.paintTime];
  },
};
