"""What cannot run here is not offered; each button for pictures has its own words; type has five sizes."""

import importlib.util
import re
from html import unescape
from importlib.machinery import ModuleSpec
from pathlib import Path

import gradio as gr
import pytest

import vizapp
from vizapp.core.methods import methods
from vizapp.ui import incoming
from vizapp.ui.session import Session
from vizapp.ui.views import methods as tab
from vizapp.ui.words import words_for


@pytest.fixture
def no_captum(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without it."""
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "captum" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


def built(public: bool) -> tuple[set[str], str]:
    """Names of the methods that the tab offers, and all that its HTML says."""
    with gr.Blocks() as page:
        tab.build(Session(["toy"], "", public=public), words_for("en"))
    parts = list(page.blocks.values())
    offered = {value for part in parts if isinstance(part, gr.CheckboxGroup) for _, value in part.choices}
    return offered, " ".join(str(part.value) for part in parts if isinstance(part, gr.HTML))


@pytest.mark.usefixtures("no_captum")
def test_a_method_without_its_package_is_not_offered() -> None:
    captum = {name for name, one in methods().items() if one.package == "captum"}
    offered, said = built(public=False)
    assert len(captum) == 4
    assert offered & captum == set()
    assert offered, "the others are"
    assert "<code>pip install captum</code>" in said
    assert methods()["input_gradient"].title in said
    offered, said = built(public=True)
    assert "input_gradient" not in offered
    assert "pip install" not in said


def test_where_all_is_installed_nothing_is_said() -> None:
    pytest.importorskip("captum")
    pytest.importorskip("scipy")
    offered, said = built(public=False)
    assert offered == {name for name, one in methods().items() if not one.baseline}
    assert "pip install" not in said
    offered, said = built(public=True)
    assert offered == {name for name, one in methods().items() if not one.baseline and one.cost == "quick"}
    assert words_for("en")["page"]["methods_public"] in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_button_is_called_by_what_it_does(language: str) -> None:
    """The script of the page acts on the id: incoming/page.js."""
    words = words_for(language)
    said = words["incoming"]
    button = r'<button type="button" id="([\w-]+)" title="([^"]+)">([^<]+)</button>'
    found = {
        name: (unescape(title), unescape(text)) for name, title, text in re.findall(button, incoming.pickers(words))
    }
    assert found == {
        "pick-pictures": (said["upload_help"], said["upload"]),
        "pick-folder": (said["folder_help"], said["folder"]),
        "webcam": (said["webcam_help"], said["webcam"]),
    }


SIZES = {"11px", "12px", "13px", "15px", "22px"}
GROWS = {
    "clamp(17px, 2.7vh, 22px)",  # the sentence above the picture: the largest, unless the window is low
    "clamp(15px, 2.1vh, 22px)",  # the text of a chapter: for a laptop and for a projector
    "1.25em",  # the title of a chapter, which grows with its text
}
SIZE = re.compile(r"font(?:-size)?:(?: \d{3})? (clamp\([^)]*\)|[\d.]+(?:px|em|rem|vh|vw|%))")


def test_a_size_of_type_is_one_of_five() -> None:
    root = Path(vizapp.__file__).parent
    found = {
        (str(style.relative_to(root)), size)
        for style in root.rglob("*.css")
        for size in SIZE.findall(style.read_text("utf-8"))
    }
    assert len(found) > len(SIZES)
    assert not [one for one in sorted(found) if one[1] not in SIZES | GROWS]
