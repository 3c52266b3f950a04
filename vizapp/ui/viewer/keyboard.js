// The keys that a viewer hears, and which of its panels gets one.

// Where Escape is for what has the focus: a field, and what is open.
const OWN = "input, select, textarea, [role=dialog], [aria-expanded=true], details[open], .drawer";

/** @param {any} viewer */
export function listen(viewer) {
  const { root } = viewer;
  root.addEventListener("keydown", (event) => viewer.payload && press(viewer, event));
  // Where nothing has the focus, Escape leads back, and before a room full of people all keys work: nobody clicks the picture first.
  // Otherwise letters do nothing without a focus, as somebody may only read, or speak (WCAG 2.1.4). Escape leads back from a
  // button of the page, too, unless it closes what that has opened.
  root.ownerDocument.addEventListener("keydown", (event) => {
    const { target } = event;
    const isFree =
      target === root.ownerDocument.body || (event.key === "Escape" && !root.contains(target) && !target.closest(OWN));
    if (isFree && !event.defaultPrevented && viewer.payload && hears(root, event.key)) press(viewer, event);
  });
}

// Whether a key without a focus is meant for this viewer.
function hears(root, key) {
  const isAlone = root.getClientRects().length > 0 && root.ownerDocument.querySelectorAll(".viz").length === 1;
  return isAlone && (key === "Escape" || key === "p" || root.classList.contains("viz-presented"));
}

// "?" is asked for a list of keys wherever there are some. It is closed as any other that opens.
function openKeys(root, event) {
  const box = /** @type {HTMLDetailsElement} */ (root.querySelector(".viz-keys-more"));
  if (!box.getClientRects().length) return;
  box.open = true;
  /** @type {HTMLElement} */ (box.firstElementChild).focus();
  event.preventDefault();
}

function press(viewer, event) {
  viewer.use(); // without a focus, the key is heard by the page
  // On many keyboards [ and ] need AltGr, which browsers report as Ctrl + Alt on Windows and Alt (Option) on a Mac.
  const typed = "[]".includes(event.key) && event.altKey;
  if (event.target.matches("input, select") || event.metaKey || ((event.ctrlKey || event.altKey) && !typed)) return;
  if (event.key === "?") return openKeys(viewer.root, event);
  const mine = viewer.panels.filter(({ keys }) => Object.hasOwn(keys, event.key));
  if (!mine.length || ([" ", "Enter"].includes(event.key) && event.target.matches("button, summary, a, [role=button]"))) return;
  // Only the first panel that has something to do gets the key.
  if (mine.find(({ mounted }) => mounted.press(event.key) !== false)) event.preventDefault();
}
