// For a photograph with a network that knows no photographs: one line offers a better network, and one press fetches it.

/**
 * @param {HTMLElement} root
 * @param {import("./desk.js").Desk} desk
 * @returns {(offer: import("./sources/source.js").Offer | null) => void} shows an offer; null: there is none
 */
export function offer(root, desk) {
  const { page } = desk.words;
  root.innerHTML = `<div><p></p><small></small><progress max="1" hidden></progress></div>
    <button type="button" class="get"></button><button type="button" class="stop" hidden></button><button type="button" class="close"></button>`;
  const find = (css) => /** @type {any} */ (root.querySelector(css));
  const [said, made, bar, get, stop, close] = ["p", "small", "progress", ".get", ".stop", ".close"].map(find);
  stop.textContent = page.stop;
  close.textContent = page.close;
  said.setAttribute("role", "status");
  let isClosed = false; // the visitor wants none at a photo
  let now = /** @type {import("./sources/source.js").Offer | null} */ (null);

  const turn = (isRunning) => {
    get.hidden = close.hidden = isRunning;
    stop.hidden = bar.hidden = !isRunning;
  };
  const show = (one) => {
    if (!stop.hidden) return; // a download is running
    now = one;
    root.hidden = !one || (isClosed && !one.chosen);
    if (!one) return;
    said.textContent = one.said;
    made.textContent = one.made;
    get.textContent = one.get;
    turn(false);
  };
  close.addEventListener("click", () => {
    isClosed = true;
    root.hidden = true;
  });
  // Escape closes the line, unless somebody else has taken the key: an open drawer, a held patch.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || root.hidden || close.hidden) return;
    close.click();
    event.preventDefault();
  });
  stop.addEventListener("click", () => desk.source.stopFetching());
  get.addEventListener("click", async () => {
    const { here, chosen } = now;
    if (here) return desk.look({ model: here });
    turn(true);
    const far = (share, text) => {
      bar.value = share;
      said.textContent = text || said.textContent;
    };
    /** @returns {import("./sources/source.js").Fetched} */
    const failed = (error) => ({ offer: { ...now, said: error.message } });
    const found = await desk.source.fetch(chosen, far).catch(failed);
    turn(false);
    if (found.model) return desk.look({ model: found.model });
    return show(found.offer ?? null);
  });
  return show;
}
