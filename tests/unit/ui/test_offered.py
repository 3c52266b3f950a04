"""What cannot run here is not offered, and the page says what would bring it."""

import importlib.util
from importlib.machinery import ModuleSpec

import gradio as gr
import pytest

from vizapp.core.methods import methods
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
