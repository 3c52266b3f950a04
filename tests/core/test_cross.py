"""Attention whose queries are no patches: every one is kept, and the default query of a class token that joins late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from conftest import sharpen
from PIL import Image
from torch import Tensor, nn

import vizapp
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.cli import main
from vizapp.core.attention.grids import by_area
from vizapp.core.methods import methods
from vizapp.model.preprocess import Preprocess
from vizapp.model.zoo import timm_models

PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
SIZE = Preprocess((64, 64), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


def of_timm(name: str, **options: object) -> Analysis:
    net = sharpen(timm.create_model(name, num_classes=3, **options))
    model = timm_models.describe(net, name=name, labels=("a", "b", "c"))
    return vizapp.analyse(replace(model, preprocess=SIZE) if "img_size" in options else model, PICTURE)


class Heads(nn.Module):
    """Attention of 2 heads, spelled out; `last` is what it showed last, (head, query, key)."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(16, 16), nn.Linear(16, 32)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        q = self.q(x).unflatten(-1, (2, 8)).transpose(1, 2)
        k, v = self.kv(y).unflatten(-1, (2, 2, 8)).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1) * 8**-0.5).softmax(-1)
        self.last = a.detach()[0]
        return (a @ v).transpose(1, 2).flatten(2)


class ClassAttention(nn.Module):
    """Patches look at patches; then CLS joins and looks at all, twice. No network of timm is spelled so."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.patches, self.late = nn.ModuleList(Heads() for _ in "ab"), nn.ModuleList(Heads() for _ in "ab")
        self.head = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x).flatten(2).transpose(1, 2)
        for block in self.patches:
            x = x + block(x, x)
        cls = self.cls.expand(len(x), -1, -1)
        for block in self.late:
            cls = cls + block(cls, torch.cat([cls, x], 1))
        return self.head(cls[:, 0])


def own(readout: str = "") -> Analysis:
    torch.manual_seed(0)
    net = sharpen(ClassAttention())
    return vizapp.analyse(vizapp.describe(net, preprocess=SIZE, labels=("a", "b", "c"), readout=readout), PICTURE)


LATE: dict[str, Callable[[], Analysis]] = {
    "cait": lambda: of_timm("cait_xxs24_224", img_size=64, depth=2),
    "volo": lambda: of_timm("volo_d1_224", img_size=64),
    "crossvit": lambda: of_timm("crossvit_tiny_240"),
    "pit": lambda: of_timm("pit_ti_distilled_224"),
    "own": own,
    "own, said": lambda: own("cls"),
}


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
    """CLS of which the first layer knows nothing: as the last layer has it, on the same patches."""

    class Joining(ClassAttention):
        def forward(self, x: Tensor) -> Tensor:
            x = self.embed(x).flatten(2).transpose(1, 2)
            x = x + self.patches[0](x, x)
            x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
            return self.head((x + self.patches[1](x, x))[:, 0])

    torch.manual_seed(0)
    net = sharpen(Joining())
    seen = vizapp.analyse(vizapp.describe(net, preprocess=SIZE, labels=("a", "b", "c")), PICTURE)
    assert [layer.layout.prefix for layer in seen.trace.layers] == [(), ("cls",)]
    row = net.patches[1].last.mean(0)[0, 1:]
    torch.testing.assert_close(seen.trace.query(None, 0), row / row.sum())
    assert vizapp.explain(seen, "attention", layer=0).asked == "cls"
    with pytest.raises(VizError, match="no query"):
        seen.trace.query("dist", 0)


def test_a_readout_that_no_layer_knows_is_no_query() -> None:
    trace = replace(own().trace, readout="dist")
    assert trace.late == ()
    with pytest.raises(VizError, match=r"'dist' is no query of this model\. Say one of: pool, mean,"):
        trace.query()


def test_the_command_line_asks_it_too(tmp_path: Path) -> None:
    Image.fromarray(PICTURE).save(tmp_path / "a.png")
    model, out = "timm:cait_xxs24_224?pretrained=no", tmp_path / "map.npz"
    assert main(["explain", str(tmp_path / "a.png"), "--model", model, "--method", "grad_cam", "-o", str(out)]) == 0
    assert np.load(out)["scores"].shape == (14, 14)


@pytest.mark.parametrize(("source", "target"), [((4, 6), (8, 12)), ((8, 6), (4, 2)), ((5, 4), (3, 7))])
def test_shares_are_handed_on_by_area(source: tuple[int, int], target: tuple[int, int]) -> None:
    """Drawn in pixels that both grids divide: each patch's share is the sum of its pixels."""
    torch.manual_seed(0)
    shares = torch.rand(2, source[0] * source[1], dtype=torch.float64)
    height, width = source[0] * target[0], source[1] * target[1]
    drawn = shares.unflatten(-1, source).repeat_interleave(target[0], -2).repeat_interleave(target[1], -1)
    drawn = drawn / (target[0] * target[1])
    expected = drawn.unflatten(-1, (target[1], -1)).sum(-1).unflatten(-2, (target[0], -1)).sum(-2)
    assert (height, width) == tuple(drawn.shape[-2:])
    torch.testing.assert_close(by_area(shares, source, target), expected.flatten(-2))
