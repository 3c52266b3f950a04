"""The self-test: it passes what is right, and a capture that is broken on purpose is found out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import timm
import torch
from torch import Tensor, nn

from support.networks import Encoder, OnePatch, Routed, pixels_for, sharpen, small_vit
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


@pytest.mark.parametrize(("make", "count"), [(lambda: OnePatch(0), 1), (lambda: Encoder(False, depth=3), 3)])
def test_attention_that_runs_as_one_kernel_is_counted(make: Callable[[], nn.Module], count: int) -> None:
    """PyTorch runs each as one function, of kernels of its own where no gradient is asked for."""
    found = of(VisionModel("whole", make().eval(), (), (), None, Preprocess((32, 32))))
    assert found.holds, found.problems
    assert found.softmaxes == found.seen == len(found.calls) == count


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


def test_a_wrong_order_of_heads_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(one: CapturedCall, axes: AxisLayout) -> LayerAttention:
        return layer_of(replace(one, q=one.q.flip(1), k=one.k.flip(1)), axes)

    monkeypatch.setattr("vizapp.core.capture.check.layer_of", swapped)
    assert len(of(small_vit()).problems) == 3


def test_a_softmax_that_no_call_claims_is_counted_and_its_module_named() -> None:
    found = of_net(Routed(small_vit().net))
    assert (found.softmaxes, found.seen, found.elsewhere) == (4, 3, ("router",))
    assert of_net(Followed(lambda logits: logits.softmax(-1))).elsewhere == ("the network",)
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


@pytest.mark.parametrize("name", ["channels", "no axis of pictures"])
def test_what_an_analysis_refuses_does_not_hold(name: str) -> None:
    """Its identities do. All of them are walked in tests/whole/libraries/test_gaps.py."""
    make, words = REFUSED[name]
    found = of(make())
    assert found.calls
    assert [words in problem for problem in found.problems] == [True]
    assert words in found.verdict
    assert words in str(found.refusal("net"))
