"""Where tokens stand is found, and right: windows with shift and padding, reduced keys, merged patches, odd token orders."""

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import nn

from support.grids import seen, unknown
from support.networks import small_vit
from support.versions import since_timm
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.capture.forward import capture
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


def swin(size: tuple[int, int], window: int = 4) -> VisionModel:
    net = timm.create_model(
        "swin_tiny_patch4_window7_224",
        img_size=size,
        window_size=window,
        embed_dim=16,
        depths=(2, 2),
        num_heads=(2, 4),
        num_classes=1,
    )
    for name, parameter in net.named_parameters():
        if "bias_table" in name:
            nn.init.normal_(parameter)
    return unknown(net, size)


def windows_by_hand(rows: int, cols: int, window: int, shift: tuple[int, int]) -> torch.Tensor:
    """(window, slot) the token in each place: roll, pad below and right, cut; -1 for padding."""
    index = torch.arange(rows * cols).reshape(rows, cols).roll((-shift[0], -shift[1]), (0, 1))
    index = F.pad(index, (0, -cols % window, 0, -rows % window), value=-1)
    high, wide = index.shape
    cut = index.reshape(high // window, window, wide // window, window).transpose(1, 2)
    return cut.reshape(-1, window * window)


@pytest.mark.parametrize("size", [(64, 64), (32, 96), (72, 56)], ids=str)
def test_windows_of_swin_with_shift_and_padding(size: tuple[int, int]) -> None:
    trace = seen(swin(size))
    grids = [(size[0] // 4, size[1] // 4)] * 2 + [(-(-size[0] // 8), -(-size[1] // 8))] * 2
    assert [layer.layout.grid for layer in trace.layers] == grids
    for index, (layer, (rows, cols)) in enumerate(zip(trace.layers, grids, strict=True)):
        shift = tuple(2 if index % 2 and side > 4 else 0 for side in (rows, cols))
        if isinstance(layer, WindowedAttention):
            assert torch.equal(layer.queries, windows_by_hand(rows, cols, 4, shift)), index
            assert torch.equal(layer.keys, layer.queries)
        else:
            assert (rows, cols) == (4, 4)


def brute_force(model: VisionModel) -> list[np.ndarray]:
    """(token, token) of each layer of `swin`, mean over heads, from the probabilities that its own softmax gave."""
    maps: list[torch.Tensor] = []
    blocks = [block for stage in model.net.layers for block in stage.blocks]
    for block in blocks:
        block.attn.fused_attn = False  # the softmax is a module only then
    handles = [b.attn.softmax.register_forward_hook(lambda m, i, o: maps.append(o)) for b in blocks]
    trace = seen(model)
    for handle in handles:
        handle.remove()
    found = []
    # Each is (window, head, slot, key slot); the probe ran once more.
    for layer, probabilities in zip(trace.layers, maps[:4], strict=True):
        rows, cols = layer.layout.grid
        block = blocks[len(found)]
        tokens = windows_by_hand(rows, cols, 4, block.shift_size)
        full = np.zeros((rows * cols, rows * cols))
        for w, window in enumerate(tokens.tolist()):
            for i, query in enumerate(window):
                for j, key in enumerate(window):
                    if query >= 0 and key >= 0:
                        full[query, key] = float(probabilities[w, :, i, j].mean())
        found.append(full)
    model.net._trace = trace
    return found


def merge(rows: int, cols: int) -> np.ndarray:
    """(coarse token, fine token): each of the four patches that were merged has a quarter."""
    down, right = (np.kron(np.eye(side // 2), np.ones(2)) for side in (rows, cols))
    return np.kron(down, right) / 4


@pytest.mark.parametrize("size", [(64, 64), (32, 96)], ids=str)
@pytest.mark.parametrize("skip_weight", [0.5, 0.2])
def test_rollout_of_swin_equals_brute_force(size: tuple[int, int], skip_weight: float) -> None:
    model = swin(size)
    matrices = brute_force(model)
    trace = model.net._trace
    rows, cols = size[0] // 4, size[1] // 4
    a = [skip_weight * np.eye(len(m)) + (1 - skip_weight) * m for m in matrices]
    joint = a[3] @ a[2] @ merge(rows, cols) @ a[1] @ a[0]
    for token in (0, 30):
        found = method_named("rollout")(trace, token, skip_weight=skip_weight)
        assert (found.scores.shape, found.asked) == ((rows, cols), f"{token // (cols // 2)},{token % (cols // 2)}")
        np.testing.assert_allclose(found.scores.ravel(), joint[token], rtol=1e-9, atol=1e-13)
    assert found.scores.sum() == pytest.approx(1.0)


def test_rows_columns_and_weighted_queries_of_windows_agree_with_the_full_matrix() -> None:
    model = swin((32, 96))
    matrices = brute_force(model)
    trace = model.net._trace
    layer = trace.layers[1]
    full = layer.map()
    np.testing.assert_allclose(full.mean(0).numpy(), matrices[1], rtol=1e-10, atol=1e-14)
    weights = torch.rand(layer.n_queries, dtype=torch.float64)
    torch.testing.assert_close(layer.attend(weights), torch.einsum("q,hqk->hk", weights, full))
    torch.testing.assert_close(layer.attended_by(weights), full @ weights)
    one = method_named("attention")(trace, "3,5", layer=1, head=1)
    np.testing.assert_allclose(one.scores.ravel(), full[1, layer.layout.token_of(3, 5)].numpy(), rtol=1e-12)


def test_what_falls_on_padding_is_missing_from_a_row() -> None:
    trace = seen(swin((72, 56)))
    layer = trace.layers[0]
    assert isinstance(layer, WindowedAttention)
    inside = layer.parts.map()  # (window * head, slot, key slot)
    padded = (layer.keys < 0).repeat_interleave(layer.n_heads, 0)
    lost = (inside * padded[:, None]).sum(-1).unflatten(0, (-1, layer.n_heads))
    sums = layer.map().sum(-1)
    for window, slot in [(0, 0), (len(layer.queries) - 1, 0)]:
        token = int(layer.queries[window, slot])
        torch.testing.assert_close(sums[:, token], 1 - lost[window, :, slot])
    assert float(sums.min()) < 0.99


def test_layers_side_by_side_are_not_rolled_out_as_if_one_came_after_the_other() -> None:
    net = timm.create_model("vit_small_patch16_18x2_224", depth=2, img_size=48, num_classes=1)
    trace = seen(unknown(net, (48, 48)))
    with pytest.raises(VizError, match=r"attns\.0.*attns\.1.*side by side"):
        method_named("rollout")(trace)
    assert not seen(small_vit()).no_chain


@since_timm("1.0.31", "its Swin failed on such a picture")
def test_grids_that_do_not_fit_are_refused_with_both() -> None:
    with pytest.raises(VizError, match="9x8 patches over 17x16"):
        method_named("rollout")(seen(swin((68, 64))))


def test_tokens_that_were_lost_sight_of_are_not_called_channels() -> None:
    """SepViT: the tokens that stand for whole windows are learned, and stand nowhere; they are no padding in its windows."""
    sep_vit = pytest.importorskip("vit_pytorch.sep_vit", reason="vit-pytorch is not installed")
    net = sep_vit.SepViT(num_classes=1, dim=8, dim_head=4, heads=(1, 1), depth=(1, 1), window_size=7, dropout=0.0)
    trace = capture(unknown(net.eval(), (56, 56)), torch.randn(1, 3, 56, 56))
    assert [layer.name for layer in trace.layers] == ["layers.1.2.layers.0.0"]
    assert trace.skipped == {
        "layers.0.2.layers.0.0": "tokens that stand for no patch lie in its windows",
        "layers.0.2.layers.0.0#1": "where its tokens stand on the picture could not be followed",
    }
    assert "layers.0.2.layers.0.0" in trace.no_chain
