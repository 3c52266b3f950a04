"""Token orders that hang on chance, on the picture, or on what somebody did to the network: placed right, or refused in words."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import timm
import torch
from torch import Tensor, nn

from support.networks import pixels_for, sharpen, small_vit
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.core.memo import Memo
from vizapp.core.methods import method_named
from vizapp.core.state import state_of
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

REFUSED = "an order that changes with the picture or by chance"


def found_of(model: VisionModel) -> VisionModel:
    """The same network, of which nothing is known."""
    return replace(model, attention=(), prefix=(), patch=None)


def mae(mask_ratio: float) -> nn.Module:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    config = transformers.ViTMAEConfig(**sizes, image_size=32, patch_size=8, mask_ratio=mask_ratio)
    return transformers.ViTMAEModel(config).eval()


@pytest.mark.parametrize("mask_ratio", [0.0, 0.75])
def test_a_masked_autoencoder_shuffles_and_is_refused(mask_ratio: float) -> None:
    model = describe(mae(mask_ratio), preprocess=Preprocess((32, 32)))
    for look in (capture, check):
        with pytest.raises(VizError, match=REFUSED):
            look(model, pixels_for(model))


class InOrder(nn.Module):
    """What the refusal advises: a masked autoencoder that is given an order which stays the same."""

    def __init__(self, order: Tensor) -> None:
        super().__init__()
        self.net, self.order = mae(0.0), order

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(pixels, noise=self.order[None].expand(len(pixels), -1)).last_hidden_state


def test_a_masked_autoencoder_with_an_order_of_its_own_is_placed_right() -> None:
    torch.manual_seed(0)
    net = InOrder(torch.arange(16.0)).eval()
    model = describe(net, preprocess=Preprocess((32, 32)))
    pixels = pixels_for(model)
    straight = capture(model, pixels).layers[1].map()
    net.order = torch.randperm(16).float()
    torch.testing.assert_close(capture(model, pixels).layers[1].map(), straight)
    assert check(model, pixels).holds


def shuffled(order: Tensor | None) -> nn.Module:
    """A forward pre-hook's body: tokens after CLS in another order; None: in the order of a toss."""

    def before(module: nn.Module, given: tuple[Tensor]) -> tuple[Tensor]:
        (x,) = given
        patches = x[:, 1:][:, torch.randperm(x.shape[1] - 1) if order is None else order]
        return (torch.cat([x[:, :1], patches], 1),)

    return before


def timm_vit() -> VisionModel:
    """A plain ViT, whose tokens need no second pass."""
    from vizapp.model.zoo.timm_models import describe as facts

    net = sharpen(timm.create_model("vit_tiny_patch16_224", depth=2, img_size=64, num_classes=3))
    model = facts(net, name="vit", labels=("a", "b", "c"))
    assert model.layout() is not None
    return model


def test_a_hook_that_reorders_the_tokens_of_a_plain_vit_is_noticed() -> None:
    model = timm_vit()
    pixels, order = pixels_for(model), torch.randperm(16, generator=torch.Generator().manual_seed(1))
    straight = capture(model, pixels)
    handle = model.net.blocks[1].register_forward_pre_hook(shuffled(order))
    turned = capture(model, pixels)
    # Positions were added before the hook, so attention is the same, in the order of the hook.
    torch.testing.assert_close(turned.layers[1].map(), straight.layers[1].map())
    assert check(model, pixels).holds
    handle.remove()
    model.net.blocks[0].register_forward_pre_hook(shuffled(None))
    with pytest.raises(VizError, match=REFUSED):
        capture(model, pixels)


def test_a_function_in_place_of_a_blocks_own_is_noticed() -> None:
    model = timm_vit()
    pixels, block = pixels_for(model), model.net.blocks[0]
    straight, forward = capture(model, pixels), block.forward
    block.forward = lambda x: forward(*shuffled(torch.arange(16).flip(0))(block, (x,)))
    torch.testing.assert_close(capture(model, pixels).layers[0].map(), straight.layers[0].map())
    assert check(model, pixels).holds


def test_the_self_test_finds_a_layout_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a network whose owner calls it plain, and which is not."""
    model = timm_vit()
    model.net.blocks[0].register_forward_pre_hook(shuffled(torch.arange(16).flip(0)))
    monkeypatch.setattr("vizapp.core.capture.reading.state_of", lambda net: state_of(net)._replace(stock=True))
    found = check(model, pixels_for(model))
    assert [str(one) for one in found.problems] == [
        f"blocks.{i}.attn: its tokens stand on other patches than its maps would say" for i in range(2)
    ]


def test_a_window_shift_that_is_changed_in_place_is_followed() -> None:
    sizes = dict(img_size=32, window_size=4, embed_dim=16, depths=(2,), num_heads=(2,), num_classes=1)
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **sizes))
    model = describe(net, preprocess=Preprocess((32, 32)))
    pixels = pixels_for(model)
    before = capture(model, pixels).layers[1]
    block = net.layers[0].blocks[1]
    assert block.shift_size == (2, 2)
    block.shift_size = (1, 1)
    after = capture(model, pixels).layers[1]
    assert isinstance(before, WindowedAttention)
    assert isinstance(after, WindowedAttention)
    assert torch.equal(after.queries[0], before.queries[0] - 9)  # a row and a column of 8 further up and to the left
    net.set_input_size((64, 64), window_size=4)
    assert capture(replace(model, preprocess=Preprocess((64, 64))), torch.randn(1, 3, 64, 64)).layers[0].n_windows == 16
    assert check(model, torch.randn(1, 3, 64, 64)).holds


class Keep(nn.Module):
    """Goes on with some of the patches, always the same."""

    def __init__(self, kept: list[int]) -> None:
        super().__init__()
        self.kept = [0, *(one + 1 for one in kept)]

    def forward(self, x: Tensor) -> Tensor:
        return x[:, self.kept]


GRID = torch.arange(16).reshape(4, 4)


def test_patches_that_are_always_dropped_are_not_stretched_over_the_picture() -> None:
    model = small_vit()
    model.net.blocks.insert(1, Keep(GRID[:2].flatten().tolist()))
    trace = capture(found_of(model), pixels_for(model))
    assert trace.skipped == dict.fromkeys(
        ("blocks.2.attn", "blocks.3.attn"), "its tokens stand on no grid of patches that covers the picture"
    )
    assert "blocks.2.attn" in trace.no_chain


def test_patches_that_are_dropped_evenly_are_no_merged_ones() -> None:
    """Rollout gave what each kept patch had to its dropped neighbours, too."""
    model = small_vit()
    model.net.blocks.insert(1, Keep(GRID[::2, ::2].flatten().tolist()))
    trace = capture(found_of(model), pixels_for(model))
    assert [layer.layout.grid for layer in trace.layers[1:3]] == [(2, 2)] * 2
    assert trace.no_chain == "blocks.2.attn has some of the patches of blocks.0.attn only: the others are dropped"
    with pytest.raises(VizError, match="the others are dropped"):
        method_named("rollout")(trace)


def test_what_changes_in_place_is_noticed_and_what_we_do_is_not() -> None:
    model = small_vit()
    net, made = model.net, Memo[int]()
    before = state_of(net).fingerprint
    capture(model, pixels_for(model))
    check(model, pixels_for(model))
    assert state_of(net).fingerprint == before
    assert state_of(net).stock
    changes = [
        net.double,
        lambda: setattr(net.blocks[0].attn, "scale", 3.0),
        lambda: setattr(net.blocks[0].attn, "order", torch.arange(3)),
        lambda: net.blocks[0].attn.order.add_(1),
        lambda: net.blocks[0].register_forward_hook(lambda *given: None),
        lambda: net.blocks.insert(0, nn.Identity()),
        lambda: net.blocks.__setattr__("0", nn.Dropout()),
    ]
    for number, change in enumerate(changes):
        assert made.get(net, "key", lambda number=number: number) == number
        change()
        assert state_of(net).fingerprint != before
        before = state_of(net).fingerprint
    assert not state_of(net).stock


def test_threads_that_capture_meanwhile_do_not_disturb_it() -> None:
    """The hooks of a watch in another thread are no change of the network."""
    model = found_of(small_vit())
    pixels = [torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(i)) for i in range(12)]
    expected = [capture(model, one).layers[2].map() for one in pixels]
    before = state_of(model.net).fingerprint
    with ThreadPoolExecutor(6) as threads:
        captured = threads.map(lambda one: capture(model, one).layers[2].map(), pixels)
        noted = {state_of(model.net).fingerprint for _ in range(50)}
        for one, other in zip(captured, expected, strict=True):
            torch.testing.assert_close(one, other)
    assert noted == {before}
