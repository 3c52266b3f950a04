"""Orders that change after a network was looked at: places are followed anew, or refused."""

import types
from collections.abc import Callable
from dataclasses import make_dataclass
from functools import partial
from typing import Any

import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.networks import pixels_for
from support.odd import SIDE, Net, built, off, picture
from vizapp.core.capture.forward import capture
from vizapp.core.state import is_stock
from vizapp.errors import VizError
from vizapp.model.own_network import describe


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
    assert is_stock(net)

    def turned(self: nn.Module, x: Tensor) -> Tensor:
        made = old(x)
        return torch.cat([made[:, :1], made[:, 1:].flip(1)], 1)

    net._pos_embed = types.MethodType(turned, net)
    assert not is_stock(net)
    torch.testing.assert_close(capture(model, pixels).layers[0].map(), straight)
