"""The self-test: it passes what is right, and a capture that is broken on purpose is found out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import timm
import torch
from torch import Tensor, nn

from support.networks import Encoder, Routed, pixels_for, sharpen, small_vit
from support.refused import REFUSED
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.capture.check import Check, check
from vizapp.core.capture.forward import CapturedCall, layer_of
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.watch import Watch
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel


def biased() -> VisionModel:
    """A BEiT, whose attention has a position bias, and a q/k bias that is easily forgotten."""
    net = timm.create_model("beit_base_patch16_224", depth=2, img_size=64, embed_dim=48, num_heads=4, num_classes=2)
    for name, parameter in net.named_parameters():
        if "table" in name or name.endswith("_bias"):
            nn.init.normal_(parameter)
    return VisionModel("beit", sharpen(net), (), ("cls",), None, Preprocess((64, 64)), labels=("a", "b"))


def of(model: VisionModel) -> Check:
    return check(model, pixels_for(model))


class Followed(nn.Module):
    """The small network; something is done to its logits."""

    def __init__(self, then: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inner, self.then = small_vit().net, then

    def forward(self, pixels: Tensor) -> Tensor:
        return self.then(self.inner(pixels))


def of_net(net: nn.Module) -> Check:
    return of(replace(small_vit(), net=net.eval(), attention=(), patch=None))


def test_what_is_right_passes() -> None:
    for model in (small_vit(), biased()):
        found = of(model)
        assert found.holds, found.problems
        assert len(found.calls) == found.seen == found.softmaxes
        assert found.worst < 1e-5


def test_in_double_precision_it_is_exact_to_ten_digits() -> None:
    model = small_vit()
    model.net.double()
    assert of(model).holds
    assert of(model).worst < 1e-12


class Alone(nn.Module):
    """Three attentions of PyTorch's own, without an encoder around them."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.parts = nn.ModuleList(nn.MultiheadAttention(16, 2, batch_first=True) for _ in range(3))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for part in self.parts:
            x = x + part(x, x, x, need_weights=False)[0]
        return x.mean(1)


@pytest.mark.parametrize("make", [Alone, lambda: Encoder(False, depth=3)], ids=["attention", "encoder"])
def test_attention_that_runs_as_one_kernel_is_counted(make: Callable[[], nn.Module]) -> None:
    """PyTorch runs each as one function, of kernels of its own where no gradient is asked for."""
    found = of(VisionModel("whole", make().eval(), (), (), None, Preprocess((32, 32))))
    assert found.holds, found.problems
    assert found.softmaxes == found.seen == len(found.calls) == 3


@pytest.mark.parametrize("part", ["bias", "scale", "k"])
def test_a_forgotten_part_is_caught(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    call = Watch._call
    broken = {"bias": lambda value: None, "scale": lambda value: 1.0, "k": lambda value: value.roll(1, -1)}[part]

    def forget(self: Watch, *args: Any, **parts: Any) -> Tensor:
        return call(self, *args, **parts | {part: broken(parts[part])})

    monkeypatch.setattr(Watch, "_call", forget)
    problems = of(biased()).problems
    assert len(problems) == 2
    assert all("attention x values differs" in problem for problem in problems)


@pytest.mark.parametrize("queries", ["all", "mean"])
def test_queries_that_may_look_at_no_key_are_right(queries: str) -> None:
    """Their row is nothing, and so is what attention gives them: in windows, in a whole picture, and where it is not placed."""

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches, self.qkv, self.head = nn.Conv2d(3, 8, 8, 8), nn.Linear(8, 24), nn.Linear(8, 2)
            mask = torch.ones(16, 16, dtype=torch.bool)
            mask[2] = False
            self.register_buffer("mask", mask)

        def forward(self, x: Tensor) -> Tensor:
            q, k, v = self.qkv(self.patches(x).flatten(2).mT).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
            if queries == "mean":  # of channels: not on patches
                q, k, v = (one.mT for one in (q, k, v))
            given = torch.nn.functional.scaled_dot_product_attention(q, k, v, self.mask[: q.shape[-2], : k.shape[-2]])
            given = given.mT if queries == "mean" else given
            return self.head(given.transpose(1, 2).flatten(2)).sum(1)

    torch.manual_seed(0)
    model = VisionModel("masked", Masked().eval(), (), (), None, Preprocess((32, 32)))
    found = replace(of(model), refused=None)  # attention of channels has no map of the picture, and its identities hold
    assert found.problems == ()
    assert found.calls[0].kind == ("channels" if queries == "mean" else "tokens")
    assert found.calls[0].row_sum is not None


def test_a_wrong_order_of_heads_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(one: CapturedCall, axes: AxisLayout) -> LayerAttention:
        return layer_of(replace(one, q=one.q.flip(1), k=one.k.flip(1)), axes)

    monkeypatch.setattr("vizapp.core.capture.check.layer_of", swapped)
    assert len(of(small_vit()).problems) == 3


def test_a_softmax_that_no_call_claims_is_counted() -> None:
    found = of_net(Followed(lambda logits: logits.softmax(-1)))
    assert (found.softmaxes, found.seen, found.elsewhere) == (4, 3, ("the network",))


def test_the_module_of_a_softmax_without_values_is_named() -> None:
    assert of_net(Routed(small_vit().net)).elsewhere == ("router",)
    assert of(small_vit()).elsewhere == ()


def test_a_network_that_notices_is_caught() -> None:
    found = of_net(Followed(lambda logits: logits + len(torch.overrides._get_current_function_mode_stack())))
    assert any("changes" in problem for problem in found.problems)


def test_a_network_that_draws_random_numbers_is_told_from_one_that_notices() -> None:
    """It was said to change when it is watched, which it does not."""
    found = of_net(Followed(lambda logits: nn.functional.dropout(logits, 0.5, True)))
    assert not found.holds
    assert any("it draws random numbers" in problem for problem in found.problems)
    assert not any("when watched" in problem for problem in found.problems)


def test_a_hook_that_stays_behind_is_caught_and_another_threads_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_vit()
    with Watch(model.net, lambda call: None):
        assert of(model).holds, "somebody else is watching"
    monkeypatch.setattr(Watch, "_remove_hooks", lambda self: None)
    assert any("hooks were not removed" in problem for problem in of(model).problems)


def test_a_network_without_attention_does_not_pass() -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(1)).eval()
    found = of(VisionModel("conv", net, (), (), None, Preprocess((16, 16))))
    assert found.problems[0] == "no attention was seen"
    assert found.problems[1].startswith("conv shows no attention: no softmax that weighs values was seen")


@pytest.mark.parametrize("name", ["channels", "no axis of pictures"])
def test_what_an_analysis_refuses_does_not_hold(name: str) -> None:
    """Its identities do. All of them are walked in tests/whole/libraries/test_gaps.py."""
    make, words = REFUSED[name]
    found = of(make())
    assert found.calls
    assert [words in problem for problem in found.problems] == [True]
    assert words in found.verdict
    assert words in str(found.refusal("net"))
