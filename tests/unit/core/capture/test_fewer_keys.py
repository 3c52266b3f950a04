"""Keys that are fewer than the patches: picked out, merged, or each a mixture of the whole picture."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.odd import Attention, Block, Net, built, picture, seen
from vizapp.core.capture.check import check
from vizapp.core.signals.steps import steps_to

Change = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
SECOND = [0, *range(1, 17, 2)]  # CLS, and every second patch of a row


def network(change: Change, at: int = 1, depth: int = 3) -> nn.Module:
    """One block looks at keys and values that `change` made of (1, head, CLS and 16 patches, d)."""

    class Fewer(Attention):
        def sides(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            q, k, v = super().sides(x)
            return q, *change(k, v)

    class Between(Net):
        def __init__(self) -> None:
            super().__init__(depth)
            self.blocks[at] = Block(Fewer)

    return built(Between)


def by_hand(net: nn.Module, slots: dict[int, list[int]]) -> list[Tensor]:
    """The mean maps that the network applied, with the columns of `slots` (block -> tokens) where they belong."""
    with torch.no_grad():
        net(picture())
    maps = []
    for number, block in enumerate(net.blocks):
        applied = block.attn.kept[0][0]
        whole = applied.new_zeros(2, 17, 17)
        whole[..., slots.get(number, list(range(17)))] = applied
        maps.append(whole)
    return maps


@pytest.mark.parametrize(
    ("change", "slots"),
    [
        (lambda k, v: (k[:, :, SECOND], v[:, :, SECOND]), SECOND),
        (lambda k, v: (k[:, :, 1::2], v[:, :, 1::2]), SECOND[1:]),
    ],
    ids=["every second one", "without CLS"],
)
def test_what_is_picked_out_stays_where_it_is(change: Change, slots: list[int]) -> None:
    """Each weight lies on its patch; the patches between get nothing, in the layer's map and in a rollout."""
    net = network(change)
    analysis = seen(net)
    maps = by_hand(net, {1: slots})
    layers = analysis.trace.layers
    assert [layer.name for layer in layers] == [f"blocks.{i}.attn" for i in range(3)]
    for layer, expected in zip(layers, maps, strict=True):
        torch.testing.assert_close(layer.map(), expected, rtol=0, atol=1e-6)
    row = torch.eye(17)[0]
    for one in reversed(maps):
        row = row @ (torch.eye(17) + one.mean(0)) / 2
    rolled = vizapp.explain(analysis, "rollout").scores
    np.testing.assert_allclose(rolled.ravel(), row[1:], atol=1e-6)
    vectors = analysis.context.written[1].vectors
    assert vectors.shape[1] == 17
    assert not vectors[:, [i for i in range(17) if i not in slots]].any()
    found = steps_to(analysis.context.model, analysis.context.pixels, analysis.trace, 1, 5, slots[-1])
    torch.testing.assert_close(found.attention[:, found.at], maps[1][:, 5, slots[-1]], rtol=0, atol=1e-5)
    with pytest.raises(vizapp.VizError, match="this query does not look there"):
        steps_to(analysis.context.model, analysis.context.pixels, analysis.trace, 1, 5, 16)


def test_what_a_convolution_merges_has_a_grid_of_its_own() -> None:
    weight = torch.randn(8, 8, 1, 2, generator=torch.Generator().manual_seed(0))

    def merged(values: Tensor) -> Tensor:
        grid = values[0, :, 1:].unflatten(1, (4, 4)).permute(0, 3, 1, 2)
        return F.conv2d(grid, weight, stride=(1, 2)).flatten(2).transpose(1, 2)[None]

    analysis = seen(network(lambda k, v: (merged(k), merged(v))))
    assert analysis.trace.layouts(1)[1].grid == (4, 2)


def mixed(values: Tensor) -> Tensor:
    """Six summaries of all tokens, as in Linformer (Wang et al. 2020), eq. 7."""
    weight = torch.randn(6, 17, generator=torch.Generator().manual_seed(0)) / 4
    return F.linear(values.transpose(-2, -1), weight).transpose(-2, -1)


@pytest.mark.parametrize("alone", [False, True])
def test_mixtures_of_the_whole_picture_are_no_channels(alone: bool) -> None:
    """They were once taken for channels, over which a rollout goes on as if there were no layer."""
    net = network(lambda k, v: (mixed(k), mixed(v)), at=0 if alone else 1, depth=1 if alone else 3)
    why = "each of its keys is a mixture of patches from the whole picture"
    name = f"blocks.{0 if alone else 1}.attn"
    if alone:
        with pytest.raises(vizapp.VizError, match=why):
            seen(net)
        return
    analysis = seen(net)
    (left,) = check(analysis.context.model, analysis.context.pixels).ledger.left_out
    assert (left.name, str(left.why)) == (name, why)
    with pytest.raises(vizapp.VizError, match=f"rollout means nothing here: {name} attends, too.*{why}"):
        vizapp.explain(analysis, "rollout")
