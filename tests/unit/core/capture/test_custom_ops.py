"""Ops that a library registers with PyTorch: nothing shows their inside, so an op that mixes tokens is named, and no other."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.custom_ops import attend, blur, unit
from support.gaps import Hybrid, of
from support.networks import pixels_for
from vizapp.core import ops
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError


class Beside(nn.Module):
    """One op in the MLP's place, beside the stream."""

    def __init__(self, op: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.op = op

    def forward(self, x: Tensor) -> Tensor:
        return x + self.op(x)


def test_attention_in_an_op_is_named_by_the_op() -> None:
    """Also beside layers that are shown: one of three was missing, and the verdict was "exact"."""
    alone, model = of(Hybrid(attend, n=1, at=0)), of(Hybrid(attend))
    with pytest.raises(VizError, match=r"not understood: viztests::attend, in blocks\.0"):
        capture(alone, pixels_for(alone).double())
    trace = capture(model, pixels_for(model).double())
    assert trace.skipped["blocks.1"].endswith("not understood: viztests::attend")
    assert "viztests::attend" in vizapp.check(model).verdict
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.2"]


def test_an_op_that_leaves_each_token_by_itself_is_no_attention() -> None:
    alone, mixes = (of(Hybrid(between=Beside(op))) for op in (lambda x: unit(x, 1e-6), blur))
    assert not capture(alone, pixels_for(alone).double()).skipped
    assert capture(mixes, pixels_for(mixes).double()).skipped["between"].endswith("not understood: viztests::blur")


def test_an_op_is_not_taken_for_what_it_is_called_like() -> None:
    op = torch.ops.viztests.attend
    assert ops.name_of(op) == ops.name_of(op.default) == "viztests::attend"
    assert ops.name_of(torch.ops.aten.softmax.int) == "softmax"
    assert ops.custom_op(torch.softmax) == ops.custom_op(torch.ops.quantized.linear) == ""
