"""A network of one's own: what docs/add-a-model.md says works as it stands there; each slip is a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import ROOT, small_vit
from PIL import Image
from torch import nn

import vizapp
from model.own import input_size
from vizapp import TokenLayout, VizError


def test_the_page_about_it_runs(tmp_path: Path, picture: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Image.fromarray(picture).save("photo.jpg")
    page = (ROOT / "docs" / "add-a-model.md").read_text()
    names: dict[str, object] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "add-a-model.md", "exec"), names)
    assert str(names["seen"].trace.layout) in page
    assert Path("figure.png").stat().st_size > 1000
    assert "Assumed: pictures of 64x64" in names["seen"].notes[0]
    assert names["result"].worst < 1e-5
    assert names["model"].labels == ("cat", "dog")


def test_the_same_maps_as_by_its_name(picture: np.ndarray) -> None:
    model = small_vit()
    described = vizapp.describe(model.net, preprocess=model.preprocess, labels=model.labels)
    one, other = vizapp.analyse(model, picture), vizapp.analyse(described, picture)
    assert one.top() == other.top()
    for method in ("attention", "rollout"):
        np.testing.assert_array_equal(vizapp.explain(one, method).scores, vizapp.explain(other, method).scores)


def test_an_expectation_is_checked(picture: np.ndarray) -> None:
    net = small_vit().net
    seen = vizapp.analyse(net, picture, layout=TokenLayout(("class",), (4, 4)))
    assert seen.trace.layout == TokenLayout(("class",), (4, 4))
    with pytest.raises(VizError, match=r"expected 26 tokens \(cls \+ 5x5 patches\).*17 tokens"):
        vizapp.analyse(net, picture, layout=TokenLayout(("cls",), (5, 5)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["torch.compile(net)", "net.compile()", "its blocks", "its blocks, in place"])
def test_a_compiled_network_shows_what_it_did_before(picture: np.ndarray, way: str) -> None:
    compiled: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: object) -> object:
        compiled.append("a graph")
        return graph.forward

    given = net = small_vit().net
    before = vizapp.analyse(net, picture)
    if way == "torch.compile(net)":
        given = torch.compile(net, backend=backend)
    elif way == "net.compile()":
        net.compile(backend=backend)
    else:
        for index, block in enumerate(net.blocks):
            if way == "its blocks":
                net.blocks[index] = torch.compile(block, backend=backend)
            else:
                block.compile(backend=backend)
    seen = vizapp.analyse(given, picture)
    assert [layer.name for layer in seen.trace.layers] == [layer.name for layer in before.trace.layers]
    for one, other in zip(seen.trace.layers, before.trace.layers, strict=True):
        torch.testing.assert_close(one.map(), other.map(), rtol=0, atol=0)
    assert seen.model == "ViT"
    assert vizapp.check(given).holds
    assert compiled == []
    with torch.no_grad():
        given(torch.randn(1, 3, 32, 32))
    assert compiled != [], "it is still what its owner made of it"


@pytest.mark.filterwarnings("ignore")
def test_slips_are_sentences(picture: np.ndarray) -> None:
    net = small_vit().net
    with pytest.raises(VizError, match="training mode"):
        vizapp.analyse(net.train(), picture)
    net.eval()
    with pytest.raises(VizError, match="traced or scripted"):
        vizapp.analyse(torch.jit.trace(net, torch.zeros(1, 3, 32, 32)), picture)
    with pytest.raises(VizError, match="no attention"):
        vizapp.analyse(nn.Sequential(nn.Conv2d(3, 2, 8), nn.Flatten(1)).eval(), picture)
    with pytest.raises(VizError, match="was expected, but got dict"):
        vizapp.analyse({}, picture)


def test_the_input_size_is_read_where_a_network_says_it() -> None:
    assert input_size(small_vit(img_size=(32, 48)).net) == (32, 48)
    assert input_size(nn.Identity()) == (224, 224)


@pytest.mark.parametrize("batch", [1, 2, 8])
def test_many_pictures_are_each_as_alone(batch: int) -> None:
    model = small_vit()
    pictures = [np.random.default_rng(i).integers(0, 256, (30 + i, 40, 3), dtype=np.uint8) for i in range(5)]
    told: list[int] = []
    many = list(vizapp.analyse_many(model, pictures, batch=batch, tell=told.append))
    assert told == [1, 2, 3, 4, 5]
    for picture, seen in zip(pictures, many, strict=True):
        alone = vizapp.analyse(model, picture)
        assert seen.frame == alone.frame
        np.testing.assert_allclose(vizapp.explain(seen).scores, vizapp.explain(alone).scores, rtol=1e-4, atol=1e-7)
