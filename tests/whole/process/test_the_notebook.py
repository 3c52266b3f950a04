"""docs/notebook.ipynb is what its script makes, and runs from the first cell to the last."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

nbformat = pytest.importorskip("nbformat", reason="nbclient and ipykernel run notebooks: pip install vizapp[test]")
nbclient = pytest.importorskip("nbclient", reason="nbclient and ipykernel run notebooks: pip install vizapp[test]")

DOCS = ROOT / "docs"
FILE = DOCS / "notebook.ipynb"


def test_it_is_what_its_script_makes() -> None:
    made = runpy.run_path(str(DOCS / "notebook.py"))["notebook"]()
    assert made == FILE.read_text("utf-8"), "run `python docs/notebook.py`"
    assert FILE.stat().st_size < 300_000


def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell, in a kernel of its own; each shows what it says."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # of the kernel: another thread would wait for other tests
    book = nbformat.read(FILE, 4)
    nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [results(cell) for cell in book.cells if cell.cell_type == "code"]
    live, checked, shape, figure, compared, best = shown
    assert "<iframe" in live["text/html"]
    assert "vizapp" in live["text/plain"] or "Analysis" in live["text/plain"]
    assert "<b>exact</b>" in checked["text/html"]
    assert shape["text/plain"].endswith("[197, 197])") or shape["text/plain"] == "(197, 197)"
    assert "image/png" in figure
    assert "<th>deletion</th>" in compared["text/html"]
    assert 0 < float(eval(best["text/plain"])["on_mask"]) <= 1


def results(cell: Any) -> dict[str, Any]:
    """What a cell shows at its end."""
    errors = [one for one in cell.outputs if one.output_type == "error"]
    assert not errors, errors
    return [one for one in cell.outputs if one.output_type in ("execute_result", "display_data")][-1].data
