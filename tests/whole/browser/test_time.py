"""The slider through a training: maps and labels are those of the network at that step, and a link leads to it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import vizapp
from support.english import VIEWER
from support.films_of_training import FILM, LINK, PICTURE, Looker
from support.viz import Viz
from vizapp.analysis import Request
from vizapp.ui import examples
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.answers import moments
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for

EN = words_for("en")


def remembered(name: str, model_name: str) -> Looker:
    seen = vizapp.analyse(model_name, PICTURE)
    assert seen.context is not None
    looker = Looker(seen)
    request = Request("a.png", model_name, "as_trained")
    ask.remember(Run(name, seen, seen.context.model, looker.look, (request,), True))
    return looker


def test_nonsense_is_answered_by_nothing_and_a_strange_step_by_words() -> None:
    lookers = [remembered("a film", FILM), remembered("none", "toy")]
    assert "no step 7" in moments.answer("a film", 7, EN)["why"]
    for what in (None, "0", [0]):
        assert moments.answer("a film", what, EN) == {}
    assert moments.answer("nobody's", 0, EN) == {}
    assert moments.answer("none", 0, EN) == {}, "toy is no film"
    assert len(lookers) == 2


ARRIVED = "(step) => document.querySelector('.viz').viewer.payload.film.at === step"


def rewind(viz: Viz, step: int) -> None:
    """Move the slider, and wait until that step is on the stage."""
    steps = viz.js("payload.film.steps")
    viz.slide("time-at", steps.index(step))
    viz.page.wait_for_function(ARRIVED, arg=step)
    viz.painted()


def test_time_is_gone_through_and_once_all_steps_are_here_nobody_is_asked(viz: Viz, cache: Path) -> None:
    """Other networks have no slider."""
    assert not viz.find("time").is_visible()
    viz.find("stage").press("<")
    assert viz.choice("moment") is None

    asked: list[str] = []
    viz.page.on("request", lambda request: asked.append(request.post_data or ""))
    viz.follow(LINK)
    viz.wait_for("payload.film?.at === 320")
    viz.wait_for_maps()
    picture = examples.lesson("shortcut", 3, str(cache))
    at_last = viz.values(viz.js("view.query"))
    for step in (0, 160):
        rewind(viz, step)
        seen = vizapp.analyse(f"{FILM}?step={step}", picture)
        own = vizapp.explain(seen, "attention", layer=viz.js("view.layer")).scores.ravel()
        shown = viz.values("cls")[1:]
        np.testing.assert_allclose(shown, own, atol=1e-2 * own.max())
        assert not np.allclose(shown, at_last[1:], atol=1e-2 * own.max())
        label, share = seen.top(1)[0]
        row = viz.page.locator(".viz-prediction div").first.inner_text()
        assert label in row
        assert f"{100 * share:.0f}" in row or share < 0.1
        assert viz.find("time-at").get_attribute("aria-valuetext") == f"step {step} of 320"
        assert f"step {step} of 320" in viz.find("time-value").inner_text()
    mark = viz.page.locator(".viz-curve-marks button").first.get_attribute("title")
    assert VIEWER["time_learnt"].split("{")[0] in mark
    viz.page.wait_for_function("location.hash.includes('moment=160')")

    steps = viz.js("payload.film.steps")
    for step in steps:  # each is waited for
        rewind(viz, step)
    begun = len(asked)
    for step in (0, 56, 104, 320):
        rewind(viz, step)
    assert [one for one in asked[begun:] if '"moments"' in one] == [], "others may ask"
    assert sum('"moments"' in one for one in asked[:begun]) == len(steps) - 1, "each once, but the one that came first"


def test_a_link_leads_to_a_step_keys_go_through_time_and_what_was_chosen_stays(visit: Callable[..., Viz]) -> None:
    viz = visit(LINK + "&moment=88&layer=1&head=2&fusion=one&place=0.5,0.5&pinned=1")
    viz.page.wait_for_function(ARRIVED, arg=88)
    assert "step 88 of 320" in viz.find("time-value").inner_text()
    for key, step in (("<", 80), ("<", 64), (">", 80)):
        viz.find("stage").press(key)
        viz.page.wait_for_function(ARRIVED, arg=step)
    viz.painted()
    assert (viz.js("view.layer"), viz.js("view.head"), viz.js("view.fusion")) == (1, 2, "one")
    assert viz.js("view.pinned")
    assert VIEWER["time_right_both"].split("}")[2].split("{")[0] in viz.find("time-said").inner_text()


def test_until_a_step_is_here_the_one_before_stays_and_the_page_says_so(visit: Callable[..., Viz]) -> None:
    viz = visit()
    viz.page.route("**/component_server/", lambda route: None)  # never answered
    viz.follow(LINK)
    viz.page.wait_for_function("document.querySelector('.viz').viewer.payload.film?.at === 320")
    viz.slide("time-at", 0)
    assert viz.find("time-said").inner_text() == VIEWER["time_wait"].format(step=0, shown=320)
    assert viz.js("payload.film.at") == 320
