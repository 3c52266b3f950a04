"""The live viewer in Jupyter Lab and in Notebook, in a browser: a cell is run, and the frame in it shows what Python has."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import vizapp
from support.paths import ROOT
from support.waiting import patience, until
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui.server.address import any_port
from vizapp.ui.words import words_for

for needed in ("jupyterlab", "notebook", "ipykernel", "anywidget"):
    pytest.importorskip(needed, reason=f"{needed} opens notebooks: pip install vizapp[test]")
nbformat = pytest.importorskip("nbformat", reason="nbformat writes notebooks: pip install vizapp[test]")

FILE = ROOT / "docs" / "notebook.ipynb"
# The widget; what Python knows of it; what Python changes.
WIDGET = (
    """import vizapp
from vizapp.model.toy.lessons import LESSONS

w = vizapp.widget(vizapp.analyse("toy", LESSONS["clutter"].example(16, 448).picture))
w.layer = 2
w""",
    "print([w.layer, w.head, w.query, w.mask.nonzero()[0].tolist(), w.mask.nonzero()[1].tolist()])",
    """import numpy as np

w.layer, w.head, w.query = 1, None, "cls"
w.mask = np.arange(w.mask.size).reshape(w.mask.shape) < 3""",
)


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has both; its settings are its own."""
    folder = tmp_path_factory.mktemp("jupyter")
    (folder / "notebook.ipynb").write_bytes(FILE.read_bytes())
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(one) for one in WIDGET]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "widget.ipynb")
    port = any_port("127.0.0.1")
    own = {name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    root = str(FILE.parents[1])
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--port-retries=0"]
    quiet = [
        "--IdentityProvider.token=",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, *quiet, f"--ServerApp.root_dir={folder}"],
            cwd=folder,
            env=os.environ | own | {"PYTHONPATH": root},
            stdout=log,
            stderr=log,
        )
        try:
            url = f"http://127.0.0.1:{port}/"
            wait_for(url, server, folder / "log")
            yield url
        finally:
            httpx.post(f"{url}api/shutdown", timeout=10) if server.poll() is None else None
            server.terminate()
            server.wait(20)


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        try:
            return httpx.get(f"{url}api/status", timeout=patience()).status_code == 200
        except httpx.HTTPError:
            assert server.poll() is None, log.read_text("utf-8")[-2000:]
            return False

    until(answers, lambda: log.read_text("utf-8")[-2000:], lambda: time.sleep(0.5))


def run(page: Any, cell: Any) -> None:
    """Run a cell. Lab forgets what is asked before its kernel is there, so ask until the cell has a star or a number."""
    prompt = cell.locator(".jp-InputPrompt").first

    def runs() -> bool:
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(1500)
        return prompt.inner_text().strip() not in ("", "[ ]:")

    until(runs, lambda: "no kernel has come")


def test_the_viewer_in_a_cell_shows_what_python_has(jupyter: str, browser: Any) -> None:
    """In Notebook; the widget below, in Lab."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.goto(jupyter + "notebooks/notebook.ipynb")
    first = page.locator(".jp-CodeCell").first
    first.locator(".cm-content").click()
    run(page, first)
    frame = page.frame_locator(".jp-OutputArea iframe[srcdoc]")
    viz = frame.locator('.viz[data-state="ready"]')
    viz.wait_for()
    shown = viz.evaluate(
        """({ viewer: { attention, payload, view } }) => ({
            rows: payload.layers.map(({ heads }, l) => Array.from({ length: heads }, (_, h) => [...attention.row(l, h, 0)])),
            mean: payload.layers.map((_, l) => [...attention.fuse(l, 100, "from", "mean")]),
            map: [...view.map.values], layer: view.layer })"""
    )
    trace = vizapp.analyse("toy", LESSONS["clutter"].example(16, 448).picture).trace
    every = [layer.map().numpy() for layer in trace.layers]
    for layer, whole in enumerate(every):
        assert np.abs(np.array(shown["rows"][layer]) - whole[:, 0]).max() < 1e-3
        assert np.abs(np.array(shown["mean"][layer]) - whole[:, 100].mean(0)).max() < 1e-3
    assert np.abs(np.array(shown["map"]) - every[shown["layer"]][:, 0].mean(0)).max() < 1e-3, "on the stage"
    cut = "() => document.documentElement.scrollHeight > innerHeight"
    until(lambda: not viz.evaluate(cut), lambda: "something is cut, or scrolls", lambda: page.wait_for_timeout(100))
    inked = frame.locator(".viz-stage canvas").first.evaluate(
        """(canvas) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size"""
    )
    assert inked > 50, "it is painted"
    viz.evaluate("""({ viewer }) => viewer.state.set({ fusion: "one", place: [0.5, 0.5], pinned: true })""")
    missing = frame.locator(".viz-status", has_text=words_for("en")["viewer"]["only_mean"])
    missing.wait_for()  # what a small page does not have, it says
    viz.evaluate("""({ viewer }) => viewer.state.set({ fusion: "mean", place: null, pinned: false })""")
    with page.expect_download() as saved:
        viz.evaluate("""(root) => root.querySelector('[data-format="npz"]').click()""")
    assert saved.value.path().stat().st_size > 1000, "files can be saved from the sandbox"
    if folder := os.environ.get("VIZAPP_SHOTS"):
        page.screenshot(path=Path(folder) / "notebook.png")
    page.close()


def test_nothing_in_a_cell_is_cut_or_scrolls(browser: Any) -> None:
    """At any width, and when the width changes: the frame is as high as what stands in it, unless a height was given."""
    seen = vizapp.analyse("toy", LESSONS["clutter"].example(16, 448).picture)
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    room = """() => [document.documentElement.scrollHeight - innerHeight,
        innerHeight - document.querySelector('.viz').getBoundingClientRect().bottom]"""
    over = """() => { const [a, b] = [...document.querySelectorAll('iframe')].map((one) => one.clientHeight); return [a, b] }"""
    page.set_content(f"{vizapp.show(seen).html}\n{vizapp.show(seen, height=300).html}")
    first = page.frames[1]
    first.wait_for_selector('.viz[data-state="ready"]')
    for width in (1300, 900, 760):
        page.set_viewport_size({"width": width, "height": 900})
        first.wait_for_function(f"() => Math.abs(innerWidth - {width}) < 60 && document.body.scrollHeight > 400")
        until(
            lambda: (lambda below, spare: below == 0 and 0 <= spare < 40)(*first.evaluate(room)),
            lambda width=width: f"at {width}, below what is seen and below the viewer: {first.evaluate(room)}",
            lambda: page.wait_for_timeout(100),
        )
    assert page.evaluate(over)[1] == 300, "as it was asked for"
    page.close()


def test_a_widget_and_python_have_the_same_choices(jupyter: str, browser: Any) -> None:
    """Chosen in the browser, known in Python; set in Python, shown in the browser; and the kernel answers for its network."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.goto(jupyter + "lab/tree/widget.ipynb")
    cells = page.locator(".jp-CodeCell")
    cells.nth(0).locator(".cm-content").click()
    run(page, cells.nth(0))
    viz = page.locator('.vizapp-widget .viz[data-state="ready"]')
    viz.wait_for()
    assert viz.evaluate("({ viewer }) => viewer.view.layer") == 2, "chosen before it was shown"
    answer = viz.evaluate("({ viewer }) => viewer.ask('steps', viewer.payload.run, [2, 0, 7])")
    assert answer.keys() >= {"vectors", "keys"}, "what a frame cannot be asked"
    viz.evaluate(
        """({ viewer: { state, view } }) => {
          state.set({ layer: 3, fusion: "one", head: 4, place: view.placeOf([5, 6]), pinned: true });
          const [[left, top], [right, bottom]] = [view.placeOf([2, 3]), view.placeOf([4, 5])];
          state.set({ shapes: [{ box: [left, top, right, bottom] }] });
        }"""
    )
    said, answers = cells.nth(1).locator(".jp-OutputArea-output").last, list[Any]()

    def is_known() -> bool:
        """Ask the kernel, which is told a moment after the choice."""
        cells.nth(1).locator(".cm-content").click()
        run(page, cells.nth(1))
        said.wait_for()
        answers.append(eval(said.inner_text()))
        return answers[-1][:3] == [3, 4, (5, 6)] and len(answers[-1][3]) > 0

    until(is_known, lambda: answers[-1], lambda: page.wait_for_timeout(500))
    *_, rows, cols = answers[-1]
    assert (3, 4) in zip(rows, cols, strict=True), "the patch in the middle of the box"
    cells.nth(2).locator(".cm-content").click()
    run(page, cells.nth(2))
    page.wait_for_function("() => document.querySelector('.vizapp-widget .viz').viewer.view.layer === 1")
    shown = viz.evaluate(
        """({ viewer: { view, state } }) => [view.fusion, view.query, [...view.truth.target.cover].map((one) => one >= 0.5)]"""
    )
    assert shown[0] == "mean"
    assert [at for at, one in enumerate(shown[2]) if one] == [0, 1, 2]
    if folder := os.environ.get("VIZAPP_SHOTS"):
        page.screenshot(path=Path(folder) / "widget.png")
    page.close()
