"""For walks that read the page after each step, and read no address."""

# Until the viewer has nothing to do, and nothing moves. The address may come later: it waits for a third of a second after each
# step, which is most of what a step takes.
STILL = """async () => {
  const { viewer } = document.querySelector(".viz");
  const moves = () => document.getAnimations().filter(({ playState, effect }) =>
    playState === "running" && effect.getComputedTiming().endTime !== Infinity && !effect.target?.closest(".timer"));
  for (let isStill = false; !isStill; isStill = !viewer.pending().length && !moves().length) {
    await viewer.idle();
    await Promise.allSettled(moves().map(({ finished }) => finished));
  }
}"""
