"""Queries of networks with cross-attention."""

import numpy as np
import pytest
import torch

import vizapp
from support.cross import LATE
from vizapp import VizError
from vizapp.core.methods import methods


@pytest.mark.parametrize("which", ["cait", "crossvit", "own, said"])
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


@pytest.mark.parametrize("which", ["cait", "own", "own, said"])
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
