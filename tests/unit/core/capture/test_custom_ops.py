"""Ops that a library registers with PyTorch: nothing shows their inside, so an op that mixes tokens is named, and no other."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.custom_ops import OPS, blur, unit
from support.gaps import Hybrid, of
from support.networks import pixels_for
from vizapp.core import ops
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError


class Calls(nn.Module):
    """One op in the MLP's place, beside the stream."""

    def __init__(self, op: object) -> None:
        super().__init__()
        self.op = op

    def forward(self, x: Tensor) -> Tensor:
        return x + self.op(x)


def seen(net: nn.Module) -> AttentionTrace:
    model = of(net)
    return capture(model, pixels_for(model).double())


@pytest.mark.parametrize("name", OPS)
def test_attention_in_an_op_is_named_by_the_op(name: str) -> None:
    """Also beside layers that are shown: one of three was missing, and the verdict was "exact"."""
    with pytest.raises(
        VizError, match=rf"runs viztests::{name}, in blocks\.0: .*Give the network with that part written"
    ):
        seen(Hybrid(OPS[name], n=1, at=0))
    model = of(Hybrid(OPS[name]))
    trace = capture(model, pixels_for(model).double())
    assert f"it runs viztests::{name}, an op that is not PyTorch's own" in trace.skipped["blocks.1"]
    assert f"viztests::{name}" in vizapp.check(model).verdict
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.2"]


def test_an_op_that_leaves_each_token_by_itself_is_no_attention() -> None:
    assert not seen(Hybrid(between=Calls(lambda x: unit(x, 1e-6)))).ledger.left_out
    assert "between" in seen(Hybrid(between=Calls(blur))).skipped


def test_an_op_is_not_taken_for_what_it_is_called_like() -> None:
    assert (
        ops.name_of(torch.ops.viztests.softmax)
        == ops.name_of(torch.ops.viztests.softmax.default)
        == "viztests::softmax"
    )
    assert ops.name_of(torch.ops.aten.softmax.int) == "softmax"
    assert ops.custom_op(torch.softmax) == ops.custom_op(torch.ops.quantized.linear) == ""
