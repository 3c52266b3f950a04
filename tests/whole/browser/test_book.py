"""The textbook in a browser: a chapter drives the page, asks, answers with what is shown, and gives everything back."""

from collections.abc import Callable
from typing import Any

from support.english import VIEWER
from support.viz import Viz
from vizapp.ui import textbook

ONE_PAGE = "as it opened"

CHAPTERS = textbook.chapters()
ORDER = [one.name for one in CHAPTERS]


def open_chapter(viz: Viz, name: str) -> None:
    """By the drawing of the whole network, as a reader does; the book is opened first where it is closed."""
    if not viz.find("book").is_visible():
        viz.open_book()
    if viz.find("book-whole").is_visible():
        viz.find("book-whole").click()
    if name != ORDER[0]:
        viz.page.locator(f'.viz-way [data-chapter="{name}"]').click()
    viz.wait_for("state.get('chapter') === argument", name)
    viz.wait_for_rest()
    viz.idle()
    viz.find("picture").element_handle().wait_for_element_state("stable")


def shown(viz: Viz) -> Any:
    """The picture, the network and the view that a reader sees."""
    return viz.js("[viewer.payload.id, viewer.payload.model, state.save()]")


def answers(viz: Viz) -> list[str]:
    return viz.find("answer").all_inner_texts()


def test_a_chapter_by_keys_alone(viz: Viz) -> None:
    """From the door to the last answer, without a mouse; what is answered is said, too."""
    page = viz.page
    viz.find("learn").focus()
    page.keyboard.press("Enter")
    viz.find("book").wait_for()
    open_chapter(viz, "patches")
    page.locator(".viz-stage").focus()
    page.keyboard.press("ArrowRight")
    viz.find("answer").first.wait_for()
    assert answers(viz)[0].startswith("Patch (8, 8) is 8 × 8 pixels")
    options = page.locator(".viz-options button")
    options.last.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.viz-answer').length === 2")
    assert viz.find("verdict").first.inner_text() == VIEWER["book_right"]
    page.wait_for_function("document.querySelector('.viz-book .viz-spoken').textContent.includes('8 × 8 pixels')")
    for n, button in ((3, ".viz-options button >> nth=1"), (4, ".viz-task-body button")):
        page.locator(f".viz-task:not([data-done]) {button}").focus()
        page.keyboard.press("Enter")
        page.wait_for_function("(n) => document.querySelectorAll('.viz-answer').length === n", arg=n)
    page.locator(".viz-book-next[data-ready=true]:focus").wait_for()  # it would fall to the body with the last button
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.viz').viewer.state.get('chapter') === 'head'")
    viz.find("book-whole").focus()
    page.keyboard.press("Enter")
    page.locator('[data-chapter="patches"]', has_text="\u2713").wait_for()  # a chapter that is done
    assert viz.find("way-whole").locator("button").count() == len(CHAPTERS) - 1, "each chapter is found in the drawing"
    page.keyboard.press("Escape")
    viz.find("book").wait_for(state="hidden")


def test_a_link_to_a_chapter_brings_its_picture(viz: Viz) -> None:
    viz.page.evaluate("location.hash = '#v=1&chapter=patches&opacity=0.5'")
    viz.find("book").wait_for()
    viz.wait_for_rest()
    viz.page.wait_for_function("location.hash.includes('picture=lesson/one/3')")
    assert (viz.choice("layer"), viz.js("state.get('opacity')")) == (0, 0.5), (
        "the chapter's view, and what the link says"
    )
    number = ORDER.index("patches")
    assert viz.find("book-text").locator("h2").inner_text() == f"{number} {CHAPTERS[number].title}"
    assert viz.find("book-whole").locator("[data-lit]").get_attribute("data-part") == CHAPTERS[number].part


def test_it_gives_back_what_was_there(viz: Viz) -> None:
    """Three pairs of chapters: each sets the same as without the other, and closing the book undoes both."""
    viz.js("state.set({ layer: 1, head: 2, fusion: 'one', colours: 'magma' })")
    viz.painted()
    before = shown(viz)
    pairs = [("patches", "cls"), ("mixing", "sinks"), ("cls", "shortcut")]
    fresh: dict[str, Any] = {}
    for first, second in pairs:
        for name in (first, second):
            open_chapter(viz, name)
            state = shown(viz)
            assert fresh.setdefault(name, state) == state, f"{first}, {second}"
            viz.js("state.set({ opacity: 0.5, skipWeight: 0.9, head: 4, place: [0.2, 0.2], pinned: true })")
            viz.painted()
        viz.close_book()
        viz.idle()
        assert shown(viz) == before, f"{first}, {second}"
    assert viz.errors == []


def test_guesses_are_scored_by_the_map(viz: Viz) -> None:
    """While one guesses nothing tells where the map is; marks on the brightest patches beat the middle, and it is kept."""
    open_chapter(viz, "cls")
    told = viz.page.locator(
        ".viz-told, .viz-legend, .viz-strip, .viz-found, [data-place=maps] > :not([data-panel=book])"
    )
    assert told.count() > 8
    assert all(one.evaluate("(one) => getComputedStyle(one).visibility === 'hidden'") for one in told.all())
    places = viz.js(
        "[...view.map.values.keys()].filter((i) => i >= payload.prefix.length)"
        ".sort((a, b) => view.map.values[b] - view.map.values[a]).slice(0, 3)"
        ".map((token) => stage.centre?.(token) ?? view.placeOf(view.map.layout.cellOf(token)))"
    )
    box = viz.page.locator(".viz-picture").bounding_box()
    for x, y in places:
        viz.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
    viz.find("taps").locator("button").click()
    viz.find("answer").first.wait_for()
    verdict = viz.find("verdict").first.inner_text()
    assert viz.find("told").first.evaluate("(one) => getComputedStyle(one).visibility") == "visible"
    kept = viz.page.evaluate("JSON.parse(localStorage.getItem('vizapp-book'))")
    guess = kept["guesses"]["cls/0"]
    assert guess["chance"] < guess["centre"] < guess["mine"] <= 1
    share = f"{round(100 * guess['mine'])}\u00a0%"
    assert verdict.startswith(f"Your squares hold {share}")
    open_chapter(viz, "yours")
    viz.page.set_input_files(
        "#picture input[type=file]",
        {"name": "a.png", "mimeType": "image/png", "buffer": viz.page.locator("#viewer canvas").first.screenshot()},
    )
    viz.page.locator(".viz-guesses i").wait_for()
    assert share in viz.find("guesses").inner_text()


def test_by_keys_a_patch_is_marked_and_let_go(viz: Viz) -> None:
    open_chapter(viz, "cls")
    viz.page.locator(".viz-stage").focus()
    for key in ("ArrowUp", "Enter", "ArrowUp", "Enter", "Enter"):
        viz.press(key)
    assert len(viz.js("state.get('guess')")) == 1
    viz.find("book-close").click()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.state.get('guess') === null")


def test_the_bar_code_is_dragged_off_and_the_label_falls(viz: Viz) -> None:
    """The label falls by a new forward pass, on the picture without its bar code."""
    open_chapter(viz, "shortcut")
    assert viz.js("payload.top[0][0]") == "car"
    before = viz.js("payload.top[0][1]")
    box = viz.page.locator(".viz-picture").bounding_box()
    for x in (0.3, 0.5, 0.7):
        viz.page.mouse.click(box["x"] + x * box["width"], box["y"] + 0.5 * box["height"])
    viz.find("taps").locator("button").click()
    viz.find("mark").wait_for()
    handle = viz.find("mark").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    viz.page.mouse.move(x, y)
    viz.page.mouse.down()
    viz.page.mouse.move(x + 20, y + 20, steps=3)
    viz.page.mouse.up()
    assert viz.js("payload.lesson.isBare") is False, "let go on the picture it goes back"
    viz.page.mouse.move(x, y)
    viz.page.mouse.down()
    viz.page.mouse.move(box["x"] - 60, box["y"] - 20, steps=5)
    viz.page.mouse.up()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.payload?.lesson?.isBare")
    viz.find("answer").nth(1).wait_for()
    left = dict(viz.js("payload.top")).get("car", 0)
    assert left < before / 3
    assert answers(viz)[1].startswith("Before: car, 92")
    assert viz.js("payload.truth.every(({ object }) => object)")


def test_two_classes_and_a_trial(viz: Viz) -> None:
    open_chapter(viz, "class")
    viz.page.locator(".viz-options button").first.click()
    viz.page.locator(".viz-task:not([data-done]) button").click()
    viz.page.locator(".viz-pairs canvas").nth(1).wait_for()
    said = viz.page.locator(".viz-pairs figcaption").all_inner_texts()
    assert said[0] != said[1]
    open_chapter(viz, "why")
    viz.page.locator(".viz-options button").first.click()
    viz.page.locator(".viz-task:not([data-done]) button").click()
    viz.page.locator(".viz-task-body td").first.wait_for()
    assert "rollout" in viz.find("verdict").last.inner_text()


def test_curves_grow_with_pictures(viz: Viz) -> None:
    open_chapter(viz, "cls")
    box = viz.page.locator(".viz-picture").bounding_box()
    for x in (0.3, 0.5, 0.7):
        viz.page.mouse.click(box["x"] + x * box["width"], box["y"] + 0.5 * box["height"])
    viz.find("taps").locator("button").click()
    viz.page.locator(".viz-options button").first.click()
    curves = viz.find("curves")
    curves.wait_for()
    for n in (1, 2):
        assert curves.locator("figure").first.locator("polyline").count() == n
        viz.page.locator(".viz-task:not([data-done]) button").click()
        viz.page.wait_for_function(
            "(n) => document.querySelectorAll('.viz-curves figure:first-child polyline').length > n", arg=n
        )
        viz.wait_for_rest()
    viz.find("answer").nth(2).wait_for()
    chart = curves.locator("svg").nth(1)
    chart.scroll_into_view_if_needed()
    box, mouse = chart.bounding_box(), viz.page.mouse
    x, y = (lambda share: box["x"] + (0.04 + 0.92 * share) * box["width"]), box["y"] + box["height"] / 2
    mouse.move(x(1), y)
    assert viz.js("state.get('layer')") == 4, "nothing is pressed"
    mouse.down()
    for share, layer in ((0.75, 3), (0.3, 1), (-0.5, 0), (0.5, 2)):  # beside a chart is its edge
        mouse.move(x(share), y)
        assert viz.js("state.get('layer')") == layer
    mouse.up()
    mouse.move(x(0), y)
    assert viz.js("state.get('layer')") == 2, "let go"


def test_a_chapter_shows_what_it_needs(viz: Viz) -> None:
    """What a chapter is about has its ground, in view, also what stands behind *Display*; the rest comes back with the page."""
    seen = """() => [...document.querySelectorAll('.viz-side .viz-panel')].filter((one) => {
        const box = (one.matches('.viz-lit') ? one : one.firstElementChild).getBoundingClientRect();
        return !one.hidden && box.height > 0 && box.bottom <= innerHeight && box.top >= 0;
    }).map((one) => (one.matches('.viz-lit') ? '*' : '') + one.dataset.panel)"""
    open_chapter(viz, "patches")
    assert [one for one in viz.page.evaluate(seen) if one not in ("book", "*tokens")] == []
    open_chapter(viz, "mixing")
    assert {"*heads", "*fusion"} <= set(viz.page.evaluate(seen))
    before = viz.find("picture").bounding_box(), viz.find("head-strip").bounding_box()
    viz.page.locator(".viz-task button").click()
    viz.find("answer").first.wait_for()
    assert (viz.find("picture").bounding_box(), viz.find("head-strip").bounding_box()) == before, "nothing jumps"
    viz.close_book()
    assert viz.page.locator(".viz-lit").count() == 0
    assert viz.page.locator("[data-place=show] [data-panel=fusion]").count() == 1


def test_a_link_opens_a_chapter(visit: Callable[..., Viz]) -> None:
    """If a link has opened the book, closing it leaves the chapter's picture."""
    number = ORDER.index("mixing")
    viz = visit(f"#v=1&{CHAPTERS[number].opens}&chapter=mixing")
    assert viz.find("book").is_visible()
    assert viz.find("book-text").locator("h2").inner_text() == f"{number} {CHAPTERS[number].title}"
    viz.close_book()
    assert viz.js("payload.lesson.number") == 16


def test_a_lesson_goes_on_and_back_and_answers(visit: Callable[..., Viz]) -> None:
    """The number stands in the link; the answer says what is right, in numbers."""
    viz = visit("#v=1&picture=lesson/clutter/16&model=toy&layer=4")
    viz.go("score")
    assert viz.find("lesson-at").inner_text() == "Among clutter 17 of 40"
    viz.find("lesson-on").click()
    viz.page.wait_for_function("document.querySelector('.viz-lesson-at').textContent.includes('18 of 40')")
    viz.page.wait_for_function("location.hash.includes('picture=lesson/clutter/17')")
    viz.find("lesson-back").click()
    viz.page.wait_for_function("document.querySelector('.viz-lesson-at').textContent.includes('17 of 40')")
    viz.find("lesson-answer").click()
    said = viz.find("lesson-says").inner_text()
    label, share = viz.js("payload.top[0]")
    assert said.startswith(f"It says {label} ({100 * share:.0f}\u00a0%), which is right.")
    assert "on the face 84\u00a0%" in said


# How far what is asked reaches beyond the box in which the chapter scrolls, above and below.
BEYOND = """(() => {
  const box = viewer.root.querySelector(".viz-side > .viz-deep").getBoundingClientRect();
  const task = viewer.root.querySelector(".viz-task:last-child").getBoundingClientRect();
  return Math.max(box.top - task.top, task.bottom - box.bottom, task.bottom - innerHeight + 62);
})()"""


def test_what_a_chapter_asks_is_in_view(visit: Callable[..., Viz]) -> None:
    """Where text and task are higher than the room beside the picture, the text scrolls behind the task."""
    viz = visit(viewport={"width": 1280, "height": 800})
    unseen = []
    for name in ORDER:
        open_chapter(viz, name)
        for width, height in ((1280, 800), (1280, 720), (1366, 657)):
            viz.page.set_viewport_size({"width": width, "height": height})
            viz.idle()
            if (beyond := viz.js(BEYOND)) > 1:
                unseen.append((name, width, height, beyond))
    assert not unseen


def test_the_question_stands_where_a_scene_was_chosen_and_comes_back_with_the_view(visit: Callable[..., Viz]) -> None:
    """It is part of the view: a reload, and the book that is opened and closed, change neither the row nor the address."""
    viz = visit()
    asks = viz.find("lesson-asks")

    def is_the_same_after_book_and_reload(seen: bool) -> None:
        viz.idle()
        address, note = viz.page.evaluate("location.hash"), viz.find("opens-more").is_visible()
        for leave_and_return in (lambda: None, viz.reload, lambda: (viz.open_book(), viz.close_book())):
            leave_and_return()
            viz.idle()
            now = asks.is_visible(), viz.find("opens-more").is_visible(), viz.page.evaluate("location.hash")
            assert now == (seen, note, address)

    is_the_same_after_book_and_reload(seen=False)
    viz.lesson("clutter")
    is_the_same_after_book_and_reload(seen=True)
    viz.find("lesson-on").click()
    viz.wait_for_maps()
    is_the_same_after_book_and_reload(seen=True)


def test_a_clicker_turns_the_pages_before_a_class(viz: Viz) -> None:
    """Page Down and Page Up, wherever the focus is; otherwise they scroll the page."""
    open_chapter(viz, "patches")
    viz.page.evaluate("document.activeElement.blur()")
    viz.page.keyboard.press("PageDown")
    viz.idle()
    assert viz.js("state.get('chapter')") == "patches"
    viz.find("present").click()
    viz.page.evaluate("document.activeElement.blur()")
    for key, name in (("PageDown", "head"), ("PageDown", "cls"), ("PageUp", "head")):
        viz.page.keyboard.press(key)
        viz.wait_for("state.get('chapter') === argument", name)
        viz.wait_for_rest()
    size = viz.find("book").evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    assert size >= 20, "to be read from the last row"


def test_what_is_asked_and_told_stays_in_view_above_the_steps(viz: Viz) -> None:
    """The steps come below the book in the same column, and later, with an answer of the server: they scrolled it away."""

    def is_seen(told: str) -> bool:
        viz.find("steps-list").locator(".viz-step-body").wait_for()
        viz.find("steps").element_handle().wait_for_element_state("stable")
        return viz.page.evaluate(
            """(told) => {
              const { top, bottom } = document.querySelector(".viz-deep").getBoundingClientRect();
              const boxes = [[...document.querySelectorAll(told)].at(-1), document.querySelector(".viz-steps-list")];
              const [said, list] = boxes.map((one) => one.getBoundingClientRect());
              return said.top >= top - 1 && said.bottom <= bottom && list.top < bottom;
            }""",
            told,
        )

    open_chapter(viz, "head")
    viz.find("number").click()
    assert is_seen(".viz-question")
    viz.page.locator(".viz-task-body button").click()  # "Show me"
    viz.find("answer").first.wait_for()
    viz.until(lambda: is_seen(".viz-answer"))
    # The step that was opened is in view with its number, and so are the bars that the answer names.
    viz.until(
        lambda: viz.page.evaluate(
            """() => {
              const { top, bottom } = document.querySelector(".viz-deep").getBoundingClientRect();
              const bars = document.querySelector("[data-step=softmax] .viz-bars")?.getBoundingClientRect();
              return bars && bars.top > top && bars.bottom <= bottom;
            }"""
        )
    )
    assert (
        viz.page.locator(".viz-steps-list summary").evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility({ visibilityProperty: true })).length"
        )
        == 1
    )
