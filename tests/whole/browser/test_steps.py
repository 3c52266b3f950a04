"""How a number is made, on the page: what is shown is what Python finds, each step opens, and any cell can be followed."""

import base64
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vizapp
from support.english import VIEWER
from support.expected import percent
from support.pictures import NOISE
from support.viz import Viz
from vizapp.core.signals.steps import Steps
from vizapp.pipeline.step_by_step import steps
from vizapp.ui.viewer.answers.steps import in_json
from vizapp.ui.words import words_for

ONE_PAGE = "as it opened"


def unpacked(answer: dict[str, Any]) -> dict[str, np.ndarray]:
    return {
        name: np.frombuffer(base64.b64decode(packed), np.float32).reshape(shape)
        for name, (shape, packed) in answer["vectors"].items()
    }


def open_steps(viz: Viz) -> Viz:
    viz.find("number").click()
    viz.page.locator(".viz-steps-list li").first.wait_for()
    return viz


@pytest.fixture
def viz(viz: Viz) -> Viz:
    """The page with the steps to its largest number."""
    return open_steps(viz)


@pytest.mark.parametrize("name", ["toy", "crate", "timm:vit_small_patch16_dinov3?pretrained=no"])
def test_what_is_sent_is_what_python_has(name: str) -> None:
    """Each vector in float32, as `tests/unit/core/signals/test_steps.py` holds them against the equations."""
    seen = vizapp.analyse(name, NOISE)
    found = steps(seen, (1, 1), layer=1, query=(2, 2))
    answer = in_json(seen, found, words_for("en"))
    sent = unpacked(answer)
    assert {"attention", "scores", "values", "mixed", "written", "between", "rest", "after"} <= sent.keys()
    for vector, value in sent.items():
        side, _, what = vector.rpartition(".")
        np.testing.assert_array_equal(value, getattr(of(found, side), what).numpy().astype(np.float32))
    assert answer["keys"][answer["at"]] == found.key.token
    if seen.trace.logits is None:
        assert "lens" not in answer
        return
    n, share = answer["lens"][-1]
    assert (n, answer["label"]) == (len(seen.trace.layers), seen.top(1)[0][0])
    assert share == pytest.approx(seen.top(1)[0][1], rel=1e-3)


def of(found: Steps, side: str) -> Any:
    return getattr(found, side) if side else found


def test_the_largest_number_is_followed_at_once(viz: Viz, models: SimpleNamespace) -> None:
    values = viz.values(viz.js("view.query"))
    prefix = viz.js("payload.layers[0].queries.first")
    token = prefix + int(np.argmax(values[prefix:]))
    cols = viz.js("payload.grid")[1]
    row, col = divmod(token - prefix, cols)
    heads = viz.find("steps-heads").inner_text()
    assert percent(float(values[token])) in heads, "the mean is that of the map"
    assert VIEWER["patch_name"].split("{")[0] in viz.find("steps-said").inner_text()
    assert f"({row + 1}, {col + 1})" in viz.find("steps-said").inner_text()
    shares = [one.split(": ")[1] for one in viz.page.locator(".viz-steps-heads button").all_inner_texts()]
    layer = viz.js("view.layer")
    expected = [
        viz.values(viz.js("view.query"), layer=layer, fusion="one", head=head)[token] for head in range(len(shares))
    ]
    found = [float(one.removesuffix("\u00a0%")) / 100 for one in shares]
    assert found == pytest.approx([float(one) for one in expected], rel=0.06, abs=6e-6)  # two digits


def test_a_click_on_the_picture_and_in_the_atlas_follows_another(viz: Viz) -> None:
    box = viz.find("picture").bounding_box()
    # As soon as it stands still
    viz.find("picture").click(position={"x": 0.1 * box["width"], "y": 0.1 * box["height"]})
    viz.page.wait_for_function("document.querySelector('.viz-steps-said').textContent.includes('(1, 1)')")
    assert not viz.js("view.pinned"), "it asks of the same query"
    viz.page.locator(".viz-steps-heads button").nth(1).click()
    viz.page.wait_for_function("document.querySelector('.viz-steps-said').textContent.includes('head 2')")
    assert viz.choice("head") == 1
    assert viz.choice("fusion") == "one"
    viz.slide("layer", 0)
    viz.page.wait_for_function("document.querySelector('.viz-steps-said').textContent.includes('Layer 1, head 2')")


def test_steps_are_walked_by_buttons_and_keys(viz: Viz) -> None:
    opened = "[...document.querySelectorAll('.viz-steps-list details')].findIndex((one) => one.open)"
    walk = [viz.page.evaluate(opened)]
    for _ in range(10):
        viz.find("steps-on").click()
        viz.painted()
        walk.append(viz.page.evaluate(opened))
        assert viz.page.locator(".viz-step-body").count() == 1
    assert walk == list(range(11))
    assert viz.find("steps-on").is_disabled()
    viz.page.locator(".viz-steps-list summary").nth(4).focus()
    viz.page.keyboard.press("Enter")
    viz.painted()
    assert viz.page.evaluate(opened) == 4
    viz.find("steps-back").focus()
    viz.page.keyboard.press("ArrowLeft")
    viz.painted()
    assert viz.page.evaluate(opened) == 3
    viz.page.keyboard.press("Escape")
    viz.painted()
    assert not viz.find("steps").is_visible()


def test_the_softmax_adds_up_to_the_number_in_the_heading(viz: Viz) -> None:
    viz.js("state.set({ step: 5 })")
    viz.idle()  # what comes later draws the steps anew, and nothing is pointed at then
    share = viz.page.locator(".viz-sum").inner_text().rsplit("= ", 1)[1]
    assert share in viz.find("steps-said").inner_text()
    bars = viz.page.locator("[data-of=tokens] .viz-place-of-bar")
    titles = bars.evaluate_all("(all) => all.map((one) => one.textContent)")
    assert sum(one.endswith(share) for one in titles) >= 1
    # what is pointed at is said, and lit wherever it stands
    bars.first.dispatch_event("pointerover")
    assert viz.page.locator(".viz-step-pointed").inner_text() == titles[0]
    assert viz.page.locator("rect.viz-pointed").count() == 2


def test_pixels_become_a_token(viz: Viz) -> None:
    """The sum of the step is the number of the token that the first layer gets; a bar shows another filter."""
    viz.js("state.set({ layer: 0, step: 1 })")
    viz.page.locator("[data-step=tokens] [data-of=stream]").nth(1).wait_for()
    titles = "(row) => [...row.querySelectorAll('title')].map((one) => one.textContent)"
    entered = viz.page.locator("[data-of=stream]").nth(1).evaluate(titles)
    viz.js("state.set({ step: 0 })")
    viz.page.locator(".viz-patch canvas").nth(2).wait_for()
    assert viz.page.locator("[data-of=patch]").evaluate(titles) == entered
    for number in (4, 9):
        viz.page.locator(f"[data-of=patch] .viz-place-of-bar[data-index='{number}']").click()
        said = VIEWER["patch_number"].format(i=number + 1)
        viz.wait_for("document.querySelector('.viz-step-body .viz-steps-walk span').textContent === argument", said)
        sums = viz.page.locator(".viz-sum").inner_text().replace("\u2212", "-")
        dot, bias, place, token = (float(one) for one in re.findall(r"-?[\d.]+(?:e-\d+)?", sums))
        assert dot + bias + place == pytest.approx(token, abs=0.02)
        assert entered[number] == VIEWER["bar_one"].format(
            i=number + 1, value=sums.rsplit("= ")[1].replace("-", "\u2212")
        )
    viz.page.locator(".viz-patch canvas").first.hover(position={"x": 5, "y": 5})
    pointed = viz.page.locator(".viz-step-pointed").inner_text()
    assert pointed.startswith(VIEWER["patch_pixel"].split("{sums}")[0].format(row=1, col=1))
    assert viz.page.locator(".viz-patch i:visible").count() == 3


def test_a_symbol_and_its_bars_light_each_other(viz: Viz) -> None:
    viz.js("state.set({ step: 3 })")
    viz.idle()  # what comes later draws the steps anew
    step = viz.page.locator("[data-step=product]")
    step.locator(".viz-bars.viz-of-q .viz-place-of-bar").first.dispatch_event("pointerover")
    lit = step.locator(".viz-formula .viz-pointed").all_inner_texts()
    assert lit
    assert {one[0] for one in lit} == {"q"}
    step.locator(".viz-formula .viz-of-k").first.dispatch_event("pointerover")
    assert step.locator(".viz-bars.viz-pointed").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('class'))"
    ) == ["viz-bars viz-of-k viz-pointed"]
    assert {one[0] for one in step.locator(".viz-formula .viz-pointed").all_inner_texts()} == {"k"}


def test_before_a_class_the_steps_are_read_from_the_last_row(viz: Viz) -> None:
    """In presenter mode they stand beside the picture, in large text, and the clicker's keys lead through them."""
    viz.press("p")
    viz.painted()
    said = viz.page.locator(".viz-step-body p").first
    assert said.is_visible()
    assert float(said.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")) >= 20
    viz.find("steps-on").focus()
    viz.page.keyboard.press("PageDown")
    viz.painted()
    assert viz.js("state.get('step')") == 1


def test_a_network_with_registers_has_a_step_for_them(viz: Viz) -> None:
    """The head's shares on tokens without a place and on all patches sum to one."""
    viz.js("state.set({ step: 6 })")
    viz.idle()
    body = viz.page.locator("[data-step=registers]")
    names = body.locator("dt").all_inner_texts()
    assert (names[0], names[-1]) == (VIEWER["name_cls"], VIEWER["chip_mean"])
    shares = [float(one.replace("\u00a0", "").rstrip("%")) for one in body.locator("dd").all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=1)
    said = float(re.search(r"gives them ([\d.]+)", body.inner_text())[1])
    assert said == pytest.approx(sum(shares[1:-1]), abs=0.5), "the registers"


# Whether the middle of an element is to be seen: nothing lies on it, and it is not scrolled away.
IN_SIGHT = """(css) => {
  const one = document.querySelector(css), { left, top, width, height } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_step_that_is_reached_is_in_sight(visit: Any, size: tuple[int, int]) -> None:
    """So is what leads on, which stays where it is; layers and heads make room."""
    is_phone = {"is_mobile": True, "has_touch": True} if size[0] < 500 else {}
    viz = open_steps(visit(viewport={"width": size[0], "height": size[1]}, **is_phone))
    assert not viz.find("layer-strip").is_visible()
    assert not viz.find("head-strip").is_visible()
    places = set()
    for step in range(11):
        viz.idle()
        assert viz.js("state.get('step')") == step
        assert viz.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for css in (".viz-steps-list details[open] summary", ".viz-steps-on", ".viz-picture"):
            assert viz.page.evaluate(IN_SIGHT, css), (step, css)
        places.add(round(viz.find("steps-on").bounding_box()["y"]))
        viz.find("steps-on").evaluate("(button) => button.click()")  # no scrolling into view by the test
    assert len(places) == 1, "what is pressed stays under the finger"


def test_what_has_no_single_number_says_so(viz: Viz) -> None:
    viz.js("state.set({ method: 'rollout' })")
    viz.painted()
    assert viz.find("steps-said").inner_text() == VIEWER["steps_no_rollout"]
    viz.js("state.set({ method: 'attention', token: 'mean', pinned: true })")
    viz.painted()
    assert viz.find("steps-said").inner_text() == VIEWER["steps_no_mean"]
