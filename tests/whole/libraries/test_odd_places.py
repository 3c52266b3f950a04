"""Tokens that a network moves about in odd ways, or in another order after a look: on the right patches, or refused in words."""

import types
from collections.abc import Callable
from dataclasses import make_dataclass
from functools import partial
from typing import Any

import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.networks import pixels_for
from support.odd import GRID, SIDE, WIDTH, Attention, Net, built, off, picture, seen
from vizapp.core import ops
from vizapp.core.capture.forward import capture
from vizapp.core.state import state_of
from vizapp.errors import VizError
from vizapp.model.own_network import describe

PERM = torch.randperm(16, generator=torch.Generator().manual_seed(3))
EVEN = (torch.arange(16) % 2 == 0)[None, :, None]
LOST = "where its tokens stand on the picture could not be followed"

Move = Callable[[Tensor], Tensor]


def index(x: Tensor) -> Tensor:
    return PERM[None, :, None].expand(x.shape)


def sampled(x: Tensor) -> Tensor:
    turned = torch.tensor([[[0.0, 1, 0], [1, 0, 0]]]).expand(len(x), -1, -1)
    return F.grid_sample(x, F.affine_grid(turned, list(x.shape), align_corners=False), "nearest", align_corners=False)


def one_by_one(x: Tensor) -> Tensor:
    made = x.clone()
    for to, at in enumerate(PERM):
        made[:, to].copy_(x[:, at])
    return made


def through_a_view(x: Tensor) -> Tensor:
    made = x.clone()
    made.view(-1, 4, 4, WIDTH)[:] = x.flip(1).unflatten(1, (4, 4))
    return made


def taken_before(x: Tensor) -> Tensor:
    made = torch.zeros_like(x)
    rows = made.unflatten(1, (4, 4))
    made[:, PERM] = x
    return rows.flatten(1, 2)


def by_data(x: Tensor) -> Tensor:
    made = x.clone()
    made.data = x.flip(1)
    return made


def into_data(x: Tensor) -> Tensor:
    made = x.clone()
    made.data.copy_(x.flip(1))
    return made


def out_of(x: Tensor) -> Tensor:
    made = x.clone()
    torch.roll(x, 1, 1).mul_(1.0)
    torch.add(x.roll(1, 1), 0.0, out=made)
    return made


PIXELS: dict[str, Move] = {
    "rot90": lambda x: torch.rot90(x, 1, (2, 3)),
    "moveaxis": lambda x: torch.moveaxis(x, 2, 3),
    "grid_sample": sampled,
}
RIGHT: dict[str, Move] = {
    "scatter": lambda x: torch.zeros_like(x).scatter(1, index(x), x),
    "scatter_": lambda x: torch.zeros_like(x).scatter_(1, index(x), x),
    "index_copy": lambda x: torch.zeros_like(x).index_copy(1, PERM, x),
    "index_copy_": lambda x: torch.empty_like(x).index_copy_(1, PERM, x),
    "index_put": lambda x: torch.zeros_like(x).index_put((torch.zeros(1, dtype=torch.long), PERM), x[0]),
    "take": lambda x: torch.take(x, torch.arange(x.numel()).reshape(x.shape)[:, PERM]),
    "fliplr": torch.fliplr,
    "copy_": lambda x: torch.empty_like(x).copy_(x.flip(1)),
    "copy_ into views": one_by_one,
    "setitem into a view": through_a_view,
    "a view from before": taken_before,
    "data": by_data,
    "a write into data": into_data,
    "where": lambda x: torch.where(EVEN, x.roll(2, 1), x),
}
REFUSED: dict[str, Move] = {
    "index_add": lambda x: torch.zeros_like(x).index_add(1, PERM, x),
    "a mask and its opposite": lambda x: EVEN.float() * x.roll(2, 1) + (~EVEN).float() * x,
    "the same in place": lambda x: (EVEN.float() * x.roll(2, 1)).add_((~EVEN).float() * x),
    "sort": lambda x: x.sort(1).values,
    "cumsum": lambda x: x.cumsum(1),
    "as_strided": lambda x: (
        x.contiguous().as_strided((1, 4, 4, WIDTH), (16 * WIDTH, WIDTH, 4 * WIDTH, 1)).flatten(1, 2)
    ),
    "out=": out_of,
}


@pytest.mark.parametrize("name", PIXELS)
def test_pixels_that_are_turned_before_the_patches(name: str) -> None:
    move = PIXELS[name]

    class Turned(Net):
        def pre(self, pixels: Tensor) -> Tensor:
            return move(pixels)

    net, pixels = built(Turned), picture()
    slots = move(GRID[None, None].float())[0, 0].long()
    assert off(net, seen(net, pixels), pixels, slots) < 1e-5


@pytest.mark.parametrize("name", RIGHT)
def test_tokens_that_are_moved_lie_on_the_right_patches(name: str) -> None:
    move = RIGHT[name]

    class Moved(Net):
        def moved(self, x: Tensor) -> Tensor:
            return move(x)

    net, pixels = built(Moved), picture()
    slots = move(torch.arange(16.0)[None, :, None].repeat(1, 1, WIDTH))[0, :, 0].long()
    assert not torch.equal(slots, torch.arange(16))
    assert off(net, seen(net, pixels), pixels, slots) < 1e-5


@pytest.mark.parametrize("name", REFUSED)
def test_tokens_that_are_lost_are_refused(name: str) -> None:
    move = REFUSED[name]

    class Moved(Net):
        def moved(self, x: Tensor) -> Tensor:
            return move(x)

    with pytest.raises(VizError, match=LOST):
        seen(built(Moved))


def test_what_pytorch_calls_value_by_value_is_and_nothing_else() -> None:
    stay = "add __iadd__ __rsub__ __rtruediv__ mul_ relu_ gelu hardswish layer_norm softmax where masked_fill_ detach float"
    move = "cumsum sort topk rot90 scatter_ index_add copy_ fill_ flip as_strided conv2d matmul fft_fft embedding fold"
    assert [name for name in stay.split() if not ops.is_value_wise(name)] == []
    assert [name for name in move.split() if ops.is_value_wise(name)] == []


class InTheMiddle(Net):
    """CLS stands among the patches, as in Vision Mamba."""

    def joined(self, cls: Tensor, x: Tensor) -> Tensor:
        return torch.cat([x[:, :6], cls, x[:, 6:]], 1)

    def read(self, x: Tensor) -> Tensor:
        return self.head(self.norm(x)[:, 6])


def test_a_learned_token_among_the_patches_is_no_padding() -> None:
    net, pixels = built(InTheMiddle), picture()
    analysis = seen(net, pixels)
    assert str(analysis.trace.layout) == "17 tokens (cls + 4x4 patches)"
    assert analysis.trace.readout == "cls"
    order = torch.tensor([6, *range(6), *range(7, 17)])
    for layer, block in zip(analysis.trace.layers, net.blocks, strict=True):
        torch.testing.assert_close(layer.map(), block.attn.kept[0][0][:, order][:, :, order])


class Mirrored(Net):
    """The mirrored picture in the same batch, as in test-time augmentation."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(torch.cat([pixels, pixels.flip(-1)])).mean(0, keepdim=True)


class RowsAndColumns(Attention):
    """One head looks along rows, the other along columns."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x[:, 1:]).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        grids = [t.unflatten(2, (4, 4)) for t in (q, k, v)]
        q, k, v = (torch.cat([t[:, :1], t[:, 1:].transpose(2, 3)], 1) for t in grids)
        made = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        made = torch.cat([made[:, :1], made[:, 1:].transpose(2, 3)], 1).flatten(2, 3)
        return F.pad(self.proj(made.transpose(1, 2).flatten(2)), (0, 0, 1, 0))


class InRows(Net):
    attention = RowsAndColumns


@pytest.mark.parametrize("kind", [Mirrored, InRows])
def test_windows_that_ask_for_the_same_patches_are_no_windows(kind: type[Net]) -> None:
    with pytest.raises(VizError, match="the order of its tokens"):
        seen(built(kind))


class Overlapping(Net):
    """Patches of 8 pixels, 4 apart: 7 x 7 of them end half a step from the border, and see it."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Conv2d(3, WIDTH, 8, stride=4)
        self.pos = torch.nn.Parameter(torch.randn(1, 49, WIDTH))


def test_what_does_not_suffice_for_another_patch_is_no_part_of_the_map() -> None:
    """As of SigLIP at 384 pixels, whose patches have 14: each patch lies where the network looks, none is stretched."""
    found = seen(built(Net), side=38)
    assert found.frame.input == (32, 32)
    rows, cols = found.trace.layout.grid
    assert found.frame.box_of(rows - 1, cols - 1, (rows, cols)) == (32 - 32 / cols, 32 - 32 / rows, 32, 32)


def test_patches_that_overlap_see_all_of_the_picture() -> None:
    assert seen(built(Overlapping)).trace.layout.grid == (7, 7)


def model_of(net: nn.Module) -> Any:
    return vizapp.describe(net, preprocess=vizapp.Preprocess((SIDE, SIDE)))


class ByBrightness(Net):
    """Turns bright pictures round: dark ones and noise agree with one another."""

    def pre(self, pixels: Tensor) -> Tensor:
        return pixels.flip(-1) if bool(pixels.mean() > 0.5) else pixels


def test_an_order_that_a_threshold_decides_is_refused_once_it_is_passed() -> None:
    model = model_of(built(ByBrightness))
    assert len(vizapp.analyse(model, picture()).trace.layers) == 2
    with pytest.raises(VizError, match="an order that changes with the picture"):
        vizapp.analyse(model, picture() + 1)


def test_in_a_batch_as_well() -> None:
    model = model_of(built(ByBrightness))
    vizapp.analyse(model, picture())
    list(vizapp.analyse_many(model, [picture(seed=2), picture(seed=3)]))
    with pytest.raises(VizError, match="an order that changes with the picture"):
        list(vizapp.analyse_many(model, [picture() + 1, picture(seed=2) + 1]))


class Shifted(Net):
    def __init__(self, cfg: Any) -> None:
        super().__init__()
        self.cfg = cfg
        self.register_buffer("by", torch.zeros(()))

    def shift(self) -> int:
        return int(self.cfg["shift"] if isinstance(self.cfg, dict) else getattr(self.cfg, "shift", 0)) + int(self.by)

    def moved(self, x: Tensor) -> Tensor:
        return x.roll(self.shift(), 1)


class Ranked(Net):
    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Parameter(torch.arange(16.0))

    def moved(self, x: Tensor) -> Tensor:
        return x[:, self.score.argsort()]


def shift(net: Any) -> Tensor:
    if isinstance(net.cfg, dict):
        net.cfg["shift"] = 3
    elif net.cfg is None:
        net.by.fill_(3)
    else:
        net.cfg.shift = 3
    return torch.arange(16).roll(3)


def rank(net: Any) -> Tensor:
    with torch.no_grad():
        net.score.copy_(torch.randn(16, generator=torch.Generator().manual_seed(9)))
    return net.score.argsort()


CHANGES: dict[str, tuple[Callable[[], nn.Module], Callable[[Any], Tensor]]] = {
    "dict": (partial(built, Shifted, cfg={"shift": 0}), shift),
    "namespace": (partial(built, Shifted, cfg=types.SimpleNamespace(shift=0)), shift),
    "dataclass": (partial(built, Shifted, cfg=make_dataclass("Cfg", [("shift", int, 0)])()), shift),
    "float buffer": (partial(built, Shifted, cfg=None), shift),
    "a parameter that is trained": (partial(built, Ranked), rank),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_order_that_was_changed_is_followed_anew(name: str) -> None:
    make, change = CHANGES[name]
    net, pixels = make(), picture()
    model = model_of(net)
    assert off(net, vizapp.analyse(model, pixels), pixels, torch.arange(16)) < 1e-5
    slots = change(net)
    assert off(net, vizapp.analyse(model, pixels), pixels, slots) < 1e-5


def test_an_order_that_stays_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(built(Ranked))
    vizapp.analyse(model, picture())
    monkeypatch.setattr("vizapp.core.capture.reading.survey", lambda *_: pytest.fail("followed once more"))
    vizapp.analyse(model, picture(seed=5))


def test_a_method_that_was_replaced_makes_a_network_of_timm_an_unknown_one() -> None:
    net = timm.create_model("test_vit", img_size=64).eval()
    model = describe(net)
    pixels = pixels_for(model)
    straight, old = capture(model, pixels).layers[0].map(), net._pos_embed
    assert state_of(net).stock

    def turned(self: nn.Module, x: Tensor) -> Tensor:
        made = old(x)
        return torch.cat([made[:, :1], made[:, 1:].flip(1)], 1)

    net._pos_embed = types.MethodType(turned, net)
    assert not state_of(net).stock
    torch.testing.assert_close(capture(model, pixels).layers[0].map(), straight)
