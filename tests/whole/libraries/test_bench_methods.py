"""bench/METHODS.md: pictures that nothing was chosen on, differences on the same pictures, and a broken run that goes on."""

import re
from pathlib import Path

import numpy as np
import pytest

import vizapp
from bench import methods, pages
from train.card import CHOSEN_ON
from vizapp.analysis.unfinished import Unfinished
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.intervals import mean_of
from vizapp.data.statistics import MapKey

SILENT = ("rollout", "attention")


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "STEPS", 2)


def test_methods_are_measured_on_pictures_that_nothing_was_chosen_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small, whole: scenes after the first 100, on a run that is broken off and goes on; the page says how many, and how sure."""
    monkeypatch.setattr(methods, "FEWEST", 2)
    toy, clock = vizapp.load("toy", "cpu"), methods.Clock()
    output, lines = tmp_path / "methods", list[str]()

    def broken(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        methods.on_scenes([toy], 4, Unfinished(output), clock, broken, SILENT)
    clock = methods.Clock()
    [found] = methods.on_scenes([toy], 4, Unfinished(output), clock, lines.append, SILENT)
    assert [one.picture for one in found.quick.answers] == [str(CHOSEN_ON + one) for one in range(4)]
    assert found.two is not None
    assert [one.picture for one in found.two.answers] == [str(CHOSEN_ON + one) for one in range(2)]
    assert found.slow is None, "a quarter of four is too few"
    assert len(lines) == 4 + 2, "no picture is looked at twice"
    assert clock.computed > 0

    rollout, random = MapKey("rollout"), MapKey("random")
    apart = found.quick.difference(rollout, random, INSERTION.name)
    each = [
        {row["method"]: row[INSERTION.name] for row in one.rows() if row["head"] is None} for one in found.quick.answers
    ]
    assert apart == mean_of(np.array([one["rollout"] - one["random"] for one in each]))
    made = methods.content([found], clock, "")
    [network] = made["networks"]
    [row] = [one for one in network["rows"] if one["method"] == "rollout"]
    assert row["insertion_beyond"] == [round(one, 4) for one in (apart.mean, apart.low, apart.high)]
    assert network["verdicts"].keys() == {DELETION.name, INSERTION.name}
    text = pages.methods_page(made)
    assert f"{apart.mean:+.3f} ±{(apart.high - apart.low) / 2:.3f}" in text
    assert f"from number {CHOSEN_ON} on" in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| method")]
    last = [row.split("|")[-2] for row in rows]
    beyond = [float(found[0]) if (found := re.findall(r"[-+]\d\.\d+", cell)) else 0.0 for cell in last]
    assert beyond == sorted(beyond, reverse=True), "methods of many pictures and of few are ranked by the same figure"
    assert "what each patch shows" in text, "what the network was taught stands above its table"


def test_photographs_are_those_of_installed_packages_and_the_page_says_how_few(tmp_path: Path) -> None:
    names = [file.name for file in sorted(methods.photographs_in(tmp_path / "photographs").iterdir())]
    assert "matplotlib-grace_hopper.jpg" in names
    toy, clock = vizapp.load("toy", "cpu"), methods.Clock()
    for file in (tmp_path / "photographs").iterdir():
        if file.name != "matplotlib-grace_hopper.jpg":
            file.unlink()
    kept = Unfinished(tmp_path / "methods")
    found = methods.on_photographs(toy, tmp_path / "photographs", kept, clock, lambda line: None, SILENT)
    text = pages.methods_page(methods.content([found], clock, "Weights of a test."))
    assert "Only photographs that installed packages bring with them (matplotlib-grace_hopper.jpg)" in text
    assert "1 pictures" in text
    assert "Weights of a test." in text
    assert str(tmp_path) not in text
