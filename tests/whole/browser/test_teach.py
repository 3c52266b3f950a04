"""Things that are taught on the page: marks, labels and methods have Python's numbers; and what a browser may send."""

import base64
import csv
import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

import vizapp
from support.checkpoints import save_vit
from support.english import PAGE, VIEWER
from support.methods_tab import Tab, name_of
from support.together import together
from support.viz import Viz
from vizapp import pipeline
from vizapp.analysis import Request
from vizapp.core.methods import method_named
from vizapp.core.trust.faithfulness import FINE
from vizapp.errors import VizError
from vizapp.pipeline.teaching import MOST, from_prototypes
from vizapp.ui import examples
from vizapp.ui.jobs import Processor
from vizapp.ui.method_choice import _offered
from vizapp.ui.session import Session
from vizapp.ui.targets import Aims, choices_of
from vizapp.ui.taught_classes import WIDEST, Things, things_of
from vizapp.ui.words import words_for
from vizapp.vocabulary import ORDERS, THING_LETTERS

HAVE = "document.querySelector('.viz').viewer.state.get('taught')?.run === document.querySelector('.viz').viewer.payload.run"


def labels(viz: Viz) -> np.ndarray:
    """(rows, cols): of each patch the number of its thing."""
    viz.page.wait_for_function(HAVE)
    viz.painted()
    return np.array(viz.js("state.get('taught').labels.map(([thing]) => thing)")).reshape(viz.js("payload.grid"))


def test_marks_colour_this_picture_and_the_next(viz: Viz, pictures: SimpleNamespace, models: SimpleNamespace) -> None:
    viz.upload(pictures.square)
    viz.find("teach-open").click()
    viz.page.get_by_text(VIEWER["teach_hint"]).wait_for()
    viz.click(0, 1)
    viz.click(2, 0)
    viz.click(2, 0)  # and not any more
    viz.page.locator(".viz-teach-choose").nth(1).click()
    viz.find("stage").focus()
    viz.leave()
    viz.press("ArrowDown")  # from the middle
    viz.press("ArrowRight")
    viz.press("Enter")
    rows, cols = viz.js("payload.grid")
    net = pipeline.load(models.registers, "cpu")
    seen = vizapp.analyse(net, str(pictures.square))
    taught = vizapp.teach(seen, {"a": [(0, 1)], "b": [(rows // 2 + 1, cols // 2 + 1)]})
    assert np.array_equal(labels(viz), taught.labels(seen).nearest)
    shares = viz.page.locator(".viz-teach-share").all_inner_texts()
    assert "of the picture" in shares[0]
    shown = viz.pixels()
    viz.find("teach-colours").click()
    viz.painted()
    assert not np.array_equal(viz.pixels(), shown), "the attention map again"
    viz.find("teach-colours").click()
    viz.upload(pictures.landscape)
    later = vizapp.analyse(net, str(pictures.landscape))
    assert np.array_equal(labels(viz), taught.labels(later).nearest)
    assert viz.js("state.get('things').map(({ at }) => at.length)") == [0, 0]
    assert not viz.errors


NAMED = "document.querySelector('.viz').viewer.lesson?.names[0] === 'mine'"
MINE, REST = (PAGE["taught_class"].format(name=name) for name in ("mine", "rest"))


def teach(viz: Viz) -> None:
    """One patch of "mine", and one of "rest"."""
    viz.go("teach")
    viz.click(0, 1)
    viz.page.locator(".viz-teach-choose").nth(1).click()
    viz.click(1, 0)
    viz.js("state.set({ things: state.get('things').map((one, i) => ({ ...one, name: ['mine', 'rest'][i] })) })")
    viz.page.wait_for_function(NAMED)


def open_tab(viz: Viz, name: str) -> None:
    viz.page.get_by_role("tab", name=PAGE[f"tab_{name}"]).click()


def test_a_thing_is_a_target_like_a_class(
    viz: Viz, cache: Path, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    path = examples.first("scenes", str(cache))
    truth = examples.known_of(path, str(cache))
    seen = pipeline.analyse(pipeline.load(models.registers, "cpu"), path, truth=truth)
    best, aim = seen.top(1)[0][0], viz.page.locator("#methods-target input")
    tab = Tab(viz)  # it was open before anything was taught
    assert tab.options("target")[0].startswith(best)
    open_tab(viz, "attention")
    teach(viz)
    open_tab(viz, "methods")
    viz.page.get_by_text(PAGE["taught_help"]).wait_for(state="attached")
    aim.focus()
    expect(viz.page.get_by_text(PAGE["taught_help"])).to_be_visible()
    viz.page.evaluate("document.activeElement.blur()")
    assert aim.input_value().startswith(best), "a class, until a thing is chosen"
    assert tab.options("target")[:2] == [MINE, REST]
    tab.choose("target", MINE)
    tab.choose("other", REST)
    tab.tick_only("chefer", "transformer_attribution", "attention")
    tab.compare()
    titled = PAGE["title_classes"].format(label=MINE, other=REST, model=seen.model_name)
    assert tab.page.inner_text("#methods-heading h2") == titled
    assert tab.cards().keys() >= {"chefer", "attention"}
    assert "transformer_attribution" not in tab.cards()
    assert name_of("transformer_attribution") in tab.page.inner_text("#methods-heading summary")

    # The same numbers as in Python, with what the browser made of the marks.
    means = np.array(viz.js("viewer.lesson.prototypes.map((row) => [...row])"), np.float32)
    by_marks = vizapp.teach(seen, {MINE: [(0, 1)], REST: [(1, 0)]})
    np.testing.assert_allclose(means, by_marks.prototypes, atol=1e-3)  # features come in half precision
    of_things = pipeline.analyse(from_prototypes(seen, [MINE, REST], means).model, path, truth=truth)
    rows = list(csv.DictReader(io.StringIO(tab.download("csv").decode())))
    for label in (MINE, REST):
        found = {row["method"]: row for row in rows if row["class"] == label}
        for row in vizapp.compare(of_things, ["chefer"], target=label, steps=FINE, orders=ORDERS).rows():
            for measure in ("deletion", "insertion"):
                assert float(found[row["method"]][measure]) == pytest.approx(row[measure], abs=1e-5), row["method"]

    # Beside a class of the network, and while the network forgets; then in the next picture.
    tab.choose("other", best)
    tab.compare()
    assert tab.page.inner_text("#methods-heading h2") == titled.replace(REST, best)
    assert f"{MINE} \u2212 {best}" in tab.cards()["chefer"].inner_text()
    tab.drawer("more")
    tab.page.get_by_text(PAGE["forget"]).click()
    tab.page.click("#methods-forget-go")
    tab.page.locator("#methods-forgotten svg").wait_for()
    viz.upload(pictures.square)
    tab.page.get_by_text(PAGE["stale"]).wait_for()
    assert aim.input_value() == MINE, "the same network: it stays"
    viz.choose_model(models.wide)
    expect(aim).not_to_have_value(MINE)
    expect(viz.page.get_by_text(PAGE["target_help"])).to_be_attached()
    assert MINE not in tab.options("target"), "another network was not taught it"


def sent(rows: int = 2, width: int = 3, **other: object) -> dict[str, object]:
    means = np.arange(rows * width, dtype="<f4").tobytes()
    names = [f"thing {n}" for n in range(rows)]
    return {"model": "toy", "names": names, "prototypes": base64.b64encode(means).decode()} | other


def test_what_a_browser_sends_is_read() -> None:
    things = things_of(sent(names=["cat ", "the rest"]))
    assert things is not None
    assert (things.model, things.names) == ("toy", ("cat", "the rest"))
    assert np.array_equal(things.means, [[0, 1, 2], [3, 4, 5]])
    assert things_of({}) is None
    assert things_of(sent(MOST, 5)) is not None


@together(
    "nonsense",
    [
        None,
        {"names": ["a", "b"]},
        sent(names="ab"),
        sent(names=["a", " "]),
        sent(names=["a", "b", "c", "d"]),
        sent(MOST + 1),
        sent(names=["a", "b" * (THING_LETTERS + 1)]),
        sent(prototypes="?"),
        sent(prototypes=base64.b64encode(np.full(6, np.nan, "<f4").tobytes()).decode()),
        sent(prototypes="A" * (MOST * WIDEST * 8)),
    ],
)
def test_nonsense_is_refused_in_words(nonsense: object) -> None:
    with pytest.raises(VizError) as said:
        things_of(nonsense)
    assert said.value.hint


def test_things_of_another_network_are_no_choice(
    models: SimpleNamespace, tmp_path: Path, pictures: SimpleNamespace
) -> None:
    """It has the same width, so that only the name tells. A choice that is left of it explains the most probable class."""
    session = Session([models.registers], str(tmp_path), "cpu", processor=Processor())
    request, words = Request(str(pictures.square), models.registers, "as_trained"), words_for("en")
    seen = session.analysis(request)
    rows = vizapp.teach(seen, {"a": [(0, 0)], "b": [(1, 1)]}).prototypes.numpy()
    own, strange = (Things(name, ("a", "b"), rows) for name in (seen.model_name, "other"))
    assert Aims(session, request, own, words).of("taught 1").seen.labels == ("a (taught)", "b (taught)")
    for things, choice in (
        (strange, "taught 1"),
        (None, "taught 1"),
        (own, "taught 2"),
        (own, "taught x"),
        (own, 10**6),
    ):
        aim = Aims(session, request, things, words).of(choice)
        assert aim.seen is seen
        assert aim.target is None
    shown = [name for name, _ in choices_of(words, seen, own)]
    assert shown[:2] == ["a (taught)", "b (taught)"]
    assert len(shown) == 2 + len(seen.labels)


def test_a_network_without_classes_has_those_that_it_was_taught(tmp_path: Path, pictures: SimpleNamespace) -> None:
    """Before its largest output, which is explained as long as it was taught none."""
    name = save_vit(tmp_path / "features.safetensors", num_classes=0)
    seen = pipeline.analyse(pipeline.load(name, "cpu"), str(pictures.square))
    rows = vizapp.teach(seen, {"a": [(0, 0)], "b": [(1, 1)]}).prototypes.numpy()
    words, own = words_for("en"), Things(seen.model_name, ("a", "b"), rows)
    kinds = {"class": [method_named("chefer")]}
    for things, taught in ((None, []), (own, ["taught 0", "taught 1"])):
        assert [value for _, value in choices_of(words, seen, things)] == [*taught, seen.trace.largest]
        groups, aside = _offered(words, kinds, seen, {"chefer"}, [["chefer"]], things)
        assert (groups[0].choices, aside) == ([(name_of("chefer"), "chefer")], [])
