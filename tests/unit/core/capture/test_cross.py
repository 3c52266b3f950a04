"""Attention whose queries are no patches: every one is kept, and the default query of a class token that joins late."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

import vizapp
from support.cross import LATE, PICTURE, SIZE, ClassAttention, own
from support.networks import sharpen
from vizapp import VizError


def test_two_tokens_in_one_parameter() -> None:
    """Of the distilled PiT, whose logits are the mean of those of both: its default query was none."""
    trace = LATE["pit"]().trace
    assert (trace.layout.prefix, trace.readout) == (("cls", "dist"), "cls+dist")
    torch.testing.assert_close(trace.query()[:2], torch.tensor([0.5, 0.5]))


def test_its_weights_are_mapped_onto_other_grids() -> None:
    trace = LATE["volo"]().trace
    assert trace.layouts(0)[0].grid == (8, 8)
    fine, coarse = trace.query(None, 0).reshape(4, 2, 4, 2), trace.query().reshape(4, 4)
    torch.testing.assert_close(fine, coarse[:, None, :, None].expand(4, 2, 4, 2) / 4)


def test_a_token_that_joins_in_self_attention_too() -> None:
    """CLS of which the first of three layers knows nothing: as the last layer has it, on the same patches."""

    class Joining(ClassAttention):
        def forward(self, x: Tensor) -> Tensor:
            x = self.embed(x).flatten(2).transpose(1, 2)
            x = x + self.patches[0](x, x)
            x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
            for block in (self.patches[1], self.late[1]):
                x = x + block(x, x)
            return self.head(x[:, 0])

    torch.manual_seed(0)
    net = sharpen(Joining())
    seen = vizapp.analyse(vizapp.describe(net, preprocess=SIZE, labels=("a", "b", "c")), PICTURE)
    assert [layer.layout.prefix for layer in seen.trace.layers] == [(), ("cls",), ("cls",)]
    first, second, last = (block.last.mean(0) for block in (*net.patches, net.late[1]))
    torch.testing.assert_close(seen.trace.query(None, 0), last[0, 1:] / last[0, 1:].sum())
    expected = (last[0] + torch.eye(65)[0]) @ (second + torch.eye(65))[:, 1:] @ (first + torch.eye(64)) / 8
    torch.testing.assert_close(torch.from_numpy(vizapp.explain(seen, "rollout").scores.ravel()), expected)
    assert vizapp.explain(seen, "attention", layer=0).asked == "cls"
    with pytest.raises(VizError, match="no query"):
        seen.trace.query("dist", 0)


def test_a_readout_that_no_layer_knows_is_no_query() -> None:
    trace = replace(own().trace, readout="dist")
    assert trace.late == ()
    with pytest.raises(VizError, match=r"'dist' is no query of this model\. Say one of: pool, mean,"):
        trace.query()
