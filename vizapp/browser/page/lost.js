// Says that the server is away as long as it is, and goes on when it is there again: what was on its way to the stage is asked for again.

/** @param {HTMLElement} root the line for the sentence @param {import("./desk.js").Desk} desk */
export function lost(root, desk) {
  const { line, made } = /** @type {any} */ (desk.source);
  if (!line) return; // the engine is in the page
  line.changed = (isLost) => {
    root.textContent = isLost ? desk.words.export.lineLost : "";
    if (!isLost && isCutOff()) desk.again();
  };

  // Whether maps did not come to their end: the server had answered, and their file could not be fetched. A choice that has no answer
  // yet is asked again by the line itself.
  function isCutOff() {
    const { wanted, shown, viewer } = desk;
    if (wanted) return [...made.values()].some(({ choice }) => choice === wanted);
    const { payload } = viewer;
    const staged = made.get(payload?.run);
    return Boolean(shown && (!payload?.complete || (staged && staged.choice !== shown)));
  }
}
