"""`vizapp doctor`: what a report of a fault needs, and nothing that is nobody's business."""

import os
import re
import tomllib

import pytest

import vizapp
from support.paths import ROOT
from vizapp import pipeline
from vizapp.cli import main


def test_the_doctor_says_what_a_report_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Versions of everything that is declared, the device, where weights lie, and one look at toy with its self-test."""
    for name in [one for one in os.environ if one.startswith("HF_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_ENDPOINT", "https://me:word@mirror.example")
    monkeypatch.setenv("HOME", str(ROOT))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {name: lines for name, lines in declared["optional-dependencies"].items() if name != "test"}
    packages = [
        re.match(r"[\w-]+", line)[0]
        for line in [*declared["dependencies"], *(one for some in extras.values() for one in some)]
    ]
    assert [one for one in packages if not re.search(rf"\b{one} (\d|is not installed)", said)] == []
    assert [one for one in extras if f"vizapp[{one}]" not in said] == []
    for words in (
        f"vizapp {vizapp.__version__}",
        "Python 3",
        "device: ",
        "memory: ",
        "~/assets/weights",
        "deit: ",
        "exact",
    ):
        assert words in said, words
    label, share = vizapp.analyse("toy", "example").top(1)[0]
    assert f"toy on example: {label} {share:.1%}" in said
    assert "HF_ENDPOINT, HF_TOKEN" in said, "that they are set"
    assert [one for one in ("hf_secret", "word@", str(ROOT)) if one in said] == [], "what they are is nobody's business"


def test_a_doctor_who_finds_something_says_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where toy itself fails, what was found until then is there, with the reason, and the code is not 0."""

    def broken(*given: object, **named: object) -> None:
        raise RuntimeError("no kernel image is available")

    monkeypatch.setattr(pipeline, "analyse", broken)
    monkeypatch.setattr("vizapp.memory.free_memory", broken)
    assert main(["doctor"]) == 2
    said = capsys.readouterr()
    assert "memory: RuntimeError: no kernel image" in said.out
    assert "torch " in said.out
    assert "Traceback" in said.out
    assert "no kernel image is available" in said.err
