"""The live viewer in a notebook's cell: what it holds, and that it reaches nothing; and the notebook of the docs runs."""

import base64
import gzip
import html
import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.networks import small_vit
from support.paths import ROOT
from support.starting import in_python
from vizapp.analysis import Analysis
from vizapp.analysis.notebook import still
from vizapp.browser.in_notebook import MOST
from vizapp.errors import VizError
from vizapp.ui.viewer.payload import Packed


def photo(side: int) -> np.ndarray:
    """Smooth and with noise, as photos are."""
    rng, place = np.random.default_rng(0), np.linspace(0, 3, side)
    smooth = np.sin(place)[:, None, None] * np.cos(place)[None, :, None] * np.array([90, 70, 50]) + 120
    return (smooth + rng.normal(0, 8, (side, side, 3))).clip(0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def large() -> Analysis:
    torch.manual_seed(0)
    # The maps of a ViT-B, quickly
    net = timm.create_model("vit_tiny_patch16_224", pretrained=False, num_heads=12).eval()
    with torch.no_grad():
        for block in net.blocks:  # a fresh network looks everywhere alike, which packs too well
            block.attn.qkv.weight *= 6
    return vizapp.analyse(net, photo(224))


@pytest.fixture(scope="module")
def little() -> Analysis:
    return vizapp.analyse(small_vit(), photo(64))


def page_in(cell: str) -> str:
    (frame,) = re.findall(r"<iframe ([^>]*)>", cell)
    assert 'sandbox="allow-scripts allow-downloads"' in frame, "neither the notebook's origin nor windows of its own"
    return html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])  # type: ignore[index]


def payload_in(page: str) -> bytes:
    about = json.loads(re.search(r'id="about">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    text = re.search(rf'data-blob="{about["payload"]}"[^>]*>([^<]*)<', page)[1]  # type: ignore[index]
    way, *rest = gzip.decompress(base64.b64decode(text))
    if way == 1:
        return bytes(rest)
    half = -(-len(rest) // 2)
    return bytes(rest[at // 2 + half * (at % 2)] for at in range(len(rest)))


def block_of(payload: bytes, name: str) -> np.ndarray:
    header: dict[str, Any] = Packed.of(payload).header
    offset, kind, shape = header["blocks"][name]
    start = 8 + int.from_bytes(payload[4:8], "little") + offset
    type_ = {"f16": np.float16, "f32": np.float32, "bytes": np.uint8}[kind]
    return np.frombuffer(payload, type_, int(np.prod(shape)), start).reshape(shape).astype(np.float32)


def test_a_vit_b_takes_a_megabyte_and_holds_what_it_says(large: Analysis) -> None:
    cell = large._repr_html_()
    assert cell is not None
    assert len(cell.encode()) <= MOST == 1_000_000
    payload = payload_in(page_in(cell))
    trace = large.trace
    every = torch.stack([layer.map() for layer in trace.layers]).numpy()
    rows = block_of(payload, "rows.cls").reshape(12, 12, 197)
    assert np.abs(rows - every[:, :, 0]).max() < 5e-4, "each head of CLS, in half precision"
    kinds = [layer["kind"] for layer in Packed.of(payload).header["layers"]]
    fitting = kinds.count("mean")
    assert fitting >= 8, kinds
    assert kinds == ["asked"] * (12 - fitting) + ["mean"] * fitting, "the last layers first"
    for index in range(12 - fitting, 12):
        mean = every[index].mean(0)
        off = np.abs(block_of(payload, f"mean.{index}") - mean)
        assert (off <= np.minimum(5e-4, 0.02 * mean) + 1e-6).all(), "any query, of the mean of the heads"


def test_of_a_little_network_nothing_is_missing(little: Analysis) -> None:
    kinds = {layer["kind"] for layer in Packed.of(payload_in(page_in(little._repr_html_() or ""))).header["layers"]}
    assert kinds <= {"factors", "dense"}


def test_full_has_every_head_of_every_query(large: Analysis) -> None:
    shown = vizapp.show(large, size="full", height=500)
    assert "height:500px" in shown._repr_html_()
    assert {layer["kind"] for layer in Packed.of(payload_in(page_in(shown.html))).header["layers"]} == {"factors"}
    assert len(repr(shown)) < 100


def test_it_reaches_nothing(little: Analysis) -> None:
    """The policy forbids it, and nothing names an address."""
    page = page_in(little._repr_html_() or "")
    assert "default-src 'none'" in page
    outside = re.sub(r'<script type="text/plain".*?</script>', "", page, flags=re.DOTALL)
    assert not re.findall(r"(?:src|href)=|https?://", outside)


def test_without_frames_the_still_picture_is_left(little: Analysis) -> None:
    cell = little._repr_html_() or ""
    left = re.sub(r"<iframe.*?</iframe>", "", cell, flags=re.DOTALL)
    assert still(little) in left
    assert "a notebook that you trust" in left


def test_what_cannot_be_is_said(little: Analysis) -> None:
    with pytest.raises(VizError, match="size='huge'"):
        vizapp.show(little, size="huge")
    with pytest.raises(VizError, match="too low"):
        vizapp.show(little, height=20)


def test_no_gradio_is_loaded_for_it() -> None:
    """It takes seconds, and a notebook has no server. `import vizapp` alone brings nothing that is slow."""
    heavy = "{'gradio', 'timm', 'torchvision', 'matplotlib.pyplot', 'transformers'}"
    code = (
        f"import sys, vizapp; assert not {heavy} & set(sys.modules); import numpy as np; "
        "seen = vizapp.analyse(vizapp.load('toy'), np.zeros((40, 40, 3), np.uint8)); seen._repr_html_(); "
        "assert 'gradio' not in sys.modules"
    )
    in_python(code)


def test_a_page_of_nbconvert_asks_for_no_more_with_a_viewer_in_it(little: Analysis) -> None:
    """What it asks a network for is its own template's: the same without our cell, and nothing with the template "basic"."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat writes notebooks: pip install vizapp[test]")
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert makes pages of notebooks: pip install vizapp[test]")
    data = {"text/html": vizapp.show(little).html}
    output = nbformat.v4.new_output("display_data", data=data)
    asked = {}
    for template in ("lab", "basic"):
        for name, outputs in {"bare": [], "ours": [output]}.items():
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("seen", outputs=outputs)])
            page, _ = nbconvert.HTMLExporter(template_name=template).from_notebook_node(notebook)
            assert ("<iframe" in page) == bool(outputs)
            asked[template, name] = sorted(re.findall(r"""(?:src|href|from|url)\s*=\s*["'](https?:[^"']+)""", page))
    assert asked["lab", "ours"] == asked["lab", "bare"] != []
    assert asked["basic", "ours"] == []


NEEDED = "nbclient and ipykernel run notebooks: pip install vizapp[test]"
DOCS = ROOT / "docs"
FILE = DOCS / "notebook.ipynb"


def test_it_is_what_its_script_makes() -> None:
    """docs/notebook.ipynb."""
    pytest.importorskip("nbformat", reason=NEEDED)
    made = runpy.run_path(str(DOCS / "notebook.py"))["notebook"]()
    assert made == FILE.read_text("utf-8"), "run `python docs/notebook.py`"
    assert FILE.stat().st_size < 300_000


def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell, in a kernel of its own; each shows what it says."""
    nbformat, nbclient = (pytest.importorskip(name, reason=NEEDED) for name in ("nbformat", "nbclient"))
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
