"""Queries of networks with cross-attention."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support.cross import LATE, PICTURE
from vizapp import VizError
from vizapp.cli import main
from vizapp.core.methods import methods


@pytest.mark.parametrize("which", LATE)
def test_the_default_query_always_works(which: str) -> None:
    seen = LATE[which]()
    refused = {}
    for name, one in methods().items():
        if one.cost == "slow":
            continue
        try:
            assert np.isfinite(vizapp.explain(seen, name).scores).all()
        except VizError as error:
            refused[name] = str(error)
    assert not {"grad_cam", "attn_lrp", "attention", "centre"} & set(refused)
    assert not [said for said in refused.values() if "no query" in said or "no token" in said], refused
    for index in range(len(seen.trace.layers)):
        assert float(seen.trace.query(None, index).sum()) == pytest.approx(1)
        assert vizapp.explain(seen, "attention", layer=index).asked == seen.trace.readout


def test_the_command_line_asks_it_too(tmp_path: Path) -> None:
    Image.fromarray(PICTURE).save(tmp_path / "a.png")
    model, out = "timm:cait_xxs24_224?pretrained=no", tmp_path / "map.npz"
    assert main(["explain", str(tmp_path / "a.png"), "--model", model, "--method", "grad_cam", "-o", str(out)]) == 0
    assert np.load(out)["scores"].shape == (14, 14)


@pytest.mark.parametrize("which", ["cait", "volo", "own", "own, said"])
def test_a_class_token_that_joins_late_stands_for_what_it_reads(which: str) -> None:
    """Its own weights in the last class block, on the patches."""
    seen = LATE[which]()
    trace = seen.trace
    assert trace.readout == "cls"
    assert trace.queries == ("cls", "mean")
    read = trace.cross[-1].map().mean(0)[0, 1:]
    torch.testing.assert_close(trace.query(), read / read.sum())
    torch.testing.assert_close(trace.query("cls"), trace.query())
    expected = trace.layers[-1].attend(read / read.sum()).mean(0)
    torch.testing.assert_close(torch.tensor(vizapp.explain(seen, "attention").scores.ravel()), expected)
