"""What the first screen shows before anything is touched."""

from typing import Any

from support.viz import Viz
from vizapp.ui.words import languages

MOST_CONTROLS = 25
MOST_WORDS = 130
SMALLEST_TYPE = 11  # px

# Window -> the least share of it that the painted picture takes. None: only nothing may scroll there.
PICTURE: dict[tuple[int, int], float | None] = {
    (1280, 720): None,
    (1280, 800): 0.38,
    (1366, 657): 0.27,
    (1920, 1080): 0.35,
    (390, 844): 0.45,
    (844, 390): 0.35,
}

PHONES = {(390, 844), (844, 390)}

# What can be seen, and does not stand in a closed fold: also below the window's edge. What is for screen readers alone stands
# in a box of one pixel; Gradio has such a copy of its tabs, too.
SEEN = """
  const isBox = (one) => one.offsetWidth <= 1 && getComputedStyle(one).overflow === "hidden";
  const isUnseen = (one) => one && (isBox(one) || isUnseen(one.parentElement));
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !one.closest("option") && one.getClientRects().length > 0 && !isUnseen(one);
"""

# The tray of photos and lessons is one control; so is a strip of maps, which is a slider. A word that only says what it means
# when it is pressed is no control.
CONTROLS = f"""(() => {{ {SEEN}
  const all = "button, input, select, textarea, summary, a[href], [tabindex]:not([tabindex='-1'])";
  const found = [...document.querySelectorAll(all)].filter((one) => isSeen(one) && !one.disabled && !one.dataset.term);
  const apart = found.filter((one) => !one.closest("#choose"));
  const named = apart.map((one) => [one.id || one.className || one.tagName, one.getBoundingClientRect().right]);
  return [...named, ...(apart.length < found.length ? [["tray", innerWidth]] : [])];
}})()"""

TEXTS = f"""(() => {{ {SEEN}
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
  while (walk.nextNode())
    if (walk.currentNode.data.trim() && isSeen(walk.currentNode.parentElement))
      texts.push([walk.currentNode.data.trim(), parseFloat(getComputedStyle(walk.currentNode.parentElement).fontSize)]);
  return texts;
}})()"""

# [left, top, right, bottom] of the picture in the window; the canvas may be larger than the picture on it.
BOX = """(() => {
  const area = stage.canvas.getBoundingClientRect(), ratio = area.width / stage.canvas.width, { x, y, w, h } = stage.box;
  const [left, top] = [area.left + ratio * x, area.top + ratio * y];
  return [left, top, left + ratio * w, top + ratio * h];
})()"""

OVERHANG = """(() => {
  const side = find("side");
  return [document.documentElement.scrollHeight - innerHeight, side.scrollHeight - side.clientHeight];
})()"""

# A word is a run of letters, and two Chinese characters; numbers are none.
WORDS = r"""(texts) => texts.reduce((sum, text) =>
  sum + (text.replace(/\p{Script=Han}/gu, " ").match(/\p{L}+/gu) ?? []).length
      + (text.match(/\p{Script=Han}/gu) ?? []).length / 2, 0)"""


def opened(browser: Any, url: str, window: tuple[int, int], language: str) -> Viz:
    is_phone, is_file = window in PHONES, url.startswith("file:")
    size = dict(zip(("width", "height"), window, strict=True))
    # What a test waits for is evaluated in the page, which the policy of a page in a file forbids.
    how: dict[str, Any] = {"viewport": size, "has_touch": is_phone, "is_mobile": is_phone, "bypass_csp": is_file}
    viz = Viz(browser.new_context(**how).new_page(), "" if is_file else url)
    viz.page.goto(f"{url}?lang={language}")
    viz.wait_for_maps()
    return viz


def beyond(browser: Any, url: str) -> list[str]:
    """What is beyond the budget, in every window and language, with the figures of each; none if nothing is."""
    lines, wrong = [], False
    for language in languages():
        for windows in (PICTURE.keys() - PHONES, PHONES):  # a window is resized, a phone is turned
            viz = None
            for window in sorted(windows):
                viz = viz or opened(browser, url, window, language)
                viz.page.set_viewport_size({"width": window[0], "height": window[1]})
                viz.wait_for_rest()
                viz.idle()
                figures, found = slips(viz, window)
                lines += [f"{window[0]} x {window[1]}, {language}: {figures}", *(f"    {slip}" for slip in found)]
                wrong |= bool(found)
            viz.page.context.close()
    print("\n".join(lines))
    return lines if wrong else []


def slips(viz: Viz, window: tuple[int, int]) -> tuple[str, list[str]]:
    """The figures of a window, and what is wrong with them."""
    controls, texts, (left, top, right, bottom) = viz.js(CONTROLS), viz.js(TEXTS), viz.js(BOX)
    words = viz.page.evaluate(WORDS, [text for text, _ in texts])
    wide, high = (min(right, window[0]) - max(left, 0), min(bottom, window[1]) - max(top, 0))
    share, least = wide * high / (window[0] * window[1]), PICTURE[window]
    page, side = viz.js(OVERHANG)
    found = []
    if len(controls) > MOST_CONTROLS:
        found.append(f"controls: {', '.join(name for name, _ in controls)}")
    if beyond := [name for name, edge in controls if edge > window[0] + 0.5]:
        found.append(f"beyond the right edge: {', '.join(beyond)}")
    if words > MOST_WORDS:
        found.append(f"words: {' | '.join(text for text, _ in texts)}")
    if least and share < least:
        found.append(f"the picture takes less than {least:.0%}")
    if window not in PHONES and max(page, side) > 0:
        found.append("it scrolls")
    if window == (390, 844) and (left > 0.5 or right < window[0] - 0.5):
        found.append(f"the picture leaves a margin: it lies from {left:.1f} to {right:.1f}")
    if small := [text for text, size in texts if size < SMALLEST_TYPE]:
        found.append(f"letters below {SMALLEST_TYPE} px: {small}")
    figures = f"{len(controls)} controls, {words:.0f} words, picture {share:.1%}, page overhangs by {page} px, side by {side} px"
    return figures, found
