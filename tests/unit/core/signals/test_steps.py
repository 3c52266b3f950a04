"""How one number came about: each vector equals what the network's own equations give, spelt out line by line."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.embeddings import PICTURE, close, described, entering
from vizapp.core.signals.lens import lens
from vizapp.core.signals.steps import Steps
from vizapp.pipeline.step_by_step import steps


def heads_of(tokens: Tensor, n: int) -> Tensor:
    """(token, heads * d) -> (head, token, d)."""
    return tokens.unflatten(-1, (n, -1)).transpose(0, 1)


def expected_of_vit(net: Any, x: Tensor, index: int, query: int, key: int) -> dict[str, Tensor]:
    """A pre-norm block, as in Dosovitskiy 2021, equations 2 and 3: of our own networks and timm's."""
    block = net.blocks[index]
    attn = block.attn
    read = block.norm1(x)  # (token, D)
    qkv = attn.qkv(read)
    raw_q, raw_k, raw_v = (heads_of(one, attn.num_heads) for one in qkv.chunk(3, -1))
    q, k = attn.q_norm(raw_q), attn.k_norm(raw_k)
    d = q.shape[-1]
    scores = (q @ k.transpose(-2, -1))[:, query] * d**-0.5  # (head, token)
    shares = scores.exp() / scores.exp().sum(-1, keepdim=True)
    mixed = torch.stack([sum(shares[h, j] * raw_v[h, j] for j in range(len(x))) for h in range(len(q))])
    weight = attn.proj.weight.T.unflatten(0, (len(q), d))  # (head, d, D)
    ls1 = getattr(block.ls1, "gamma", torch.ones(()))
    written = torch.stack([mixed[h] @ weight[h] for h in range(len(q))]) * ls1
    constant = attn.proj.bias * ls1
    between = x[query] + written.sum(0) + constant
    after = block(x[None])[0, query]
    return {
        "query.stream": x[query],
        "key.stream": x[key],
        "query.read": read[query],
        "key.read": read[key],
        "query.made": raw_q[:, query],
        "key.made": raw_k[:, key],
        "query.used": q[:, query],
        "key.used": k[:, key],
        "scores": scores,
        "attention": shares,
        "values": raw_v[:, key],
        "mixed": mixed,
        "written": written,
        "constant": constant,
        "between": between,
        "after": after,
        "rest": after - between,
    }


def of(found: Steps, name: str) -> Tensor | None:
    side, _, what = name.rpartition(".")
    return getattr(getattr(found, side) if side else found, what)


def compare(found: Steps, expected: dict[str, Tensor]) -> None:
    for name, value in expected.items():
        close(of(found, name), value)
    products = (found.query.used * found.key.used).sum(-1) * found.scale
    bias = 0 if found.bias is None else found.bias[:, found.at]
    close(products + bias, found.scores[:, found.at])
    close(found.between + found.rest, found.after)


@pytest.mark.parametrize("name", ["toy", "registers", "mean"])
@pytest.mark.parametrize(("layer", "query", "key"), [(0, 0, (3, 4)), (2, (5, 5), (0, 1)), (4, (2, 2), (2, 2))])
def test_networks_of_our_own(name: str, layer: int, query: Any, key: tuple[int, int]) -> None:
    seen = vizapp.analyse(name, PICTURE)
    net = seen.context.model.net
    x = entering(net, f"blocks.{layer}", seen.context.pixels)
    layout = seen.trace.layout
    at = query if isinstance(query, int) else layout.token_of(*query)
    with torch.no_grad():
        expected = expected_of_vit(net, x, layer, at, layout.token_of(*key))
    found = steps(seen, key, layer=layer, query=query)
    compare(found, expected)
    assert found.left_out == {}
    assert not found.query.turned
    assert float(found.scale[0]) == pytest.approx(expected["query.used"].shape[-1] ** -0.5)


def test_deit_layer_scale_and_qk_norm() -> None:
    """DeiT-Ti's form; and what else stands in such a block: layer scale, a norm of q and k."""
    for more in ({}, {"init_values": 0.3}, {"qk_norm": True}):
        net, seen = described("vit_tiny_patch16_224", img_size=64, depth=3, **more)
        x = entering(net, "blocks.1", seen.context.pixels)
        with torch.no_grad():
            expected = expected_of_vit(net, x, 1, 0, 7)
        found = steps(seen, 7, layer=1, query=0)
        compare(found, expected)
        assert found.query.turned == found.key.turned == ("qk_norm" in more)


def test_crate_whose_q_k_and_v_are_one() -> None:
    seen = vizapp.analyse("crate", PICTURE)
    found = steps(seen, (3, 3), layer=2)
    close(found.key.made, found.values)
    rows = seen.trace.layer(2).rows(torch.tensor([0]))[:, 0]
    close(found.attention, rows)
    close(found.between + found.rest, found.after)


def test_windows_with_a_relative_bias() -> None:
    """Swin: the keys are those of the query's window, and the bias stands apart; shifted windows, too."""
    net, seen = described("swin_tiny_patch4_window7_224", depths=(2, 2), embed_dim=24, num_heads=(2, 4))
    for layer, (query, key) in {0: ((8, 9), (7, 13)), 1: ((8, 9), (6, 9)), 2: ((3, 3), (0, 6))}.items():
        found = steps(seen, key, layer=layer, query=query)
        block = net.layers[layer // 2].blocks[layer % 2]
        attn = block.attn
        name = f"layers.{layer // 2}.blocks.{layer % 2}"
        x = entering(net, name, seen.context.pixels)  # (rows, columns, D)
        with torch.no_grad():
            read, after = block.norm1(x), block(x[None])[0]
            w_q, w_k, w_v = attn.qkv.weight.chunk(3)
            b_q, b_k, b_v = attn.qkv.bias.chunk(3)
            n, d = attn.num_heads, len(w_q) // attn.num_heads
            q = (read[query] @ w_q.T + b_q).unflatten(-1, (n, d))
            k = (read[key] @ w_k.T + b_k).unflatten(-1, (n, d))
            v = (read[key] @ w_v.T + b_v).unflatten(-1, (n, d))
            # Where both stand in their window, after the shift; the table of the bias goes by their distance.
            shift, side = (0, 7)[layer == 1] and 3, 7
            inside = [((row - shift) % len(x) % side, (col - shift) % len(x) % side) for row, col in (query, key)]
            (qy, qx), (ky, kx) = inside
            apart = (qy - ky + side - 1) * (2 * side - 1) + qx - kx + side - 1
            bias = attn.relative_position_bias_table.detach()[apart]
        close(found.query.made, q)
        close(found.key.used, k)
        close(found.values, v)
        close(found.scores[:, found.at], (q * k).sum(-1) * d**-0.5 + bias)
        close(found.bias[:, found.at], bias)
        close(found.after, after[query])
        close(found.between, x[query] + found.written.sum(0) + found.constant)
        at, to = (token[0] * len(x[0]) + token[1] for token in (query, key))
        close(found.attention[:, found.at], seen.trace.layer(layer).rows(torch.tensor([at]))[:, 0, to])
    with pytest.raises(vizapp.VizError, match="outside of its window"):
        steps(seen, (30, 30), layer=0, query=(8, 9))


def test_rotary_positions_are_shown_before_and_after() -> None:
    net, seen = described("vit_small_patch16_dinov3", img_size=64, depth=2)
    prefix = seen.trace.layout.n_prefix
    found = steps(seen, prefix + 6, layer=1, query=prefix + 2)
    assert found.query.turned
    assert found.key.turned
    x = entering(net, "blocks.1", seen.context.pixels)
    with torch.no_grad():
        attn, read = net.blocks[1].attn, net.blocks[1].norm1(x)
        q, k, _ = (heads_of(one, attn.num_heads) for one in attn.qkv(read).chunk(3, -1))
    close(found.query.made, q[:, prefix + 2])
    close(found.key.made, k[:, prefix + 6])
    for token in (found.query, found.key):  # a rotation
        close(token.used.norm(dim=-1), token.made.norm(dim=-1))
    assert not steps(seen, 0, layer=1, query=0).query.turned, "CLS has no place, and is not turned"


def test_what_is_not_proved_is_left_out_in_words() -> None:
    """SwinV2 has a norm between what its heads give and the stream."""
    _, seen = described("swinv2_tiny_window8_256", depths=(2,), embed_dim=24, num_heads=(2,))
    found = steps(seen, (0, 1), layer=0, query=(0, 0))
    assert found.written is None
    assert "more than a linear map" in found.left_out["written"]
    close(found.attention[:, found.at], seen.trace.layer(0).rows(torch.tensor([0]))[:, 0, 1])


class Biased(nn.Module):
    """Attention with a bias for each pair of tokens, which hides some keys altogether; `spelt` says how it is computed."""

    def __init__(self, spelt: str, hidden: float = -torch.inf) -> None:
        super().__init__()
        self.patches, self.qkv = nn.Conv2d(3, 8, 8, 8), nn.Linear(8, 24)
        self.out, self.head = nn.Linear(8, 8), nn.Linear(8, 5)
        mask = torch.zeros(2, 16, 16, dtype=torch.bool)
        mask[:, :, 3] = mask[0, 5, :8] = True
        mask[1, 7] = True  # this token may look at nothing
        self.spelt, self.hidden, self.mask = spelt, hidden, nn.Buffer(mask)
        self.bias = nn.Parameter(torch.randn(2, 16, 16))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(x).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
        added = self.bias.masked_fill(self.mask, self.hidden)
        if self.spelt == "fused":
            y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=added)
        else:
            scores = q @ k.transpose(-2, -1) / 2
            if self.spelt == "added":
                scores = scores + added
            elif self.spelt == "filled":
                scores = (scores + self.bias).masked_fill(self.mask, self.hidden)
            else:
                scores = torch.where(self.mask, self.hidden, scores + self.bias)
            y = scores.softmax(-1) @ v
        return self.head((x + self.out(y.transpose(1, 2).flatten(2))).mean(1))


@pytest.mark.parametrize("hidden", [-torch.inf, -1e9, torch.finfo(torch.float32).min])
def test_under_a_mask_the_bias_of_each_key_is_the_true_one(hidden: float) -> None:
    """With -inf in a row, "nothing was added" held of all keys: inf <= 1e-4 inf."""
    slips = []
    for spelt in ("fused", "added", "filled", "where"):
        torch.manual_seed(0)
        net = Biased(spelt, hidden).eval()
        if spelt != "fused":
            net.mask[1, 7] = False  # a softmax of nothing is NaN
        seen = vizapp.analyse(vizapp.describe(net, preprocess=vizapp.Preprocess((32, 32))), PICTURE)
        bias, masked = net.bias.detach(), net.mask
        for query, key in ((5, 12), (5, 3), (9, 0)):
            found = steps(seen, key, layer=0, query=query)
            if found.bias is None or found.hidden is None:
                slips.append((spelt, query, "no bias"))
                continue
            right = torch.allclose(found.bias[~masked[:, query]], bias[:, query][~masked[:, query]], atol=1e-5)
            slips += [] if right else [(spelt, query, "bias")]
            slips += [] if torch.equal(found.hidden, masked[:, query]) else [(spelt, query, "hidden")]
            close(found.attention, seen.trace.layer(0).rows(torch.tensor([query]))[:, 0])
        if spelt == "fused" and hidden == -torch.inf:
            found = steps(seen, 4, layer=0, query=7)
            is_empty = bool(found.hidden[1].all()) and float(found.attention[1].abs().max()) == 0
            slips += [] if is_empty else [(spelt, "row")]
    assert slips == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_in_half_precision_steps_hold_as_far_as_it_tells(dtype: torch.dtype) -> None:
    """ "Is not its attention times its values" was said of all, measured by the roundings of float32."""
    model = vizapp.load("toy")
    half = replace(model, net=copy.deepcopy(model.net).to(dtype))
    seen, wide = (vizapp.analyse(one, PICTURE) for one in (half, model))
    for layer in (0, 3):
        found, other = (steps(one, (3, 4), layer=layer) for one in (seen, wide))
        assert found.left_out == {}
        assert found.bias is None
        assert not found.query.turned
        for vector in ("attention", "written", "after"):
            one, expected = getattr(found, vector), getattr(other, vector)
            assert float((one - expected).abs().max()) < 0.1 * float(expected.abs().max()), (layer, vector)


def test_slips_are_named_and_a_head_that_is_off_writes_nothing() -> None:
    seen = vizapp.analyse("toy", PICTURE)
    for wrong, message in (
        ({"key": 9999}, "There is no key 9999"),
        ({"key": 3, "query": 9999}, "9999"),
        ({"key": 3, "query": "mean"}, "tokens at once"),
    ):
        with pytest.raises(vizapp.VizError, match=message):
            steps(seen, **wrong)
    plain = steps(vizapp.analyse("toy", PICTURE), (3, 3), layer=2)
    off = steps(vizapp.analyse("toy", PICTURE, edits=["head-off:2.1"]), (3, 3), layer=2)
    assert float(plain.written[1].abs().max()) > 0
    assert float(off.written[1].abs().max()) == 0
    close(off.written[0], plain.written[0])


def test_the_lens_reads_each_layer() -> None:
    """As the classifier would, one layer after the other: the network cut by hand."""
    seen = vizapp.analyse("toy", PICTURE)
    net, read = seen.context.model.net, lens(seen.context.model, seen.context.pixels, seen.trace)
    for n in range(5):
        with torch.no_grad():
            close(read[n], net.forward_head(net.norm(entering(net, f"blocks.{n}", seen.context.pixels)[None]))[0])
    close(read[5], seen.trace.logits)


def test_where_patches_are_merged_the_lens_reads_what_comes_after() -> None:
    """Swin: what an early layer hands on has another shape, so the classifier can say nothing of it."""
    options = {"img_size": 56, "depths": (1, 2), "num_heads": (2, 4), "num_classes": 5}
    net = timm.create_model("swin_tiny_patch4_window7_224", **options).eval()
    seen = vizapp.analyse(net, np.zeros((56, 56, 3), np.uint8))
    read = lens(seen.context.model, seen.context.pixels, seen.trace)
    assert sorted(read) == [2, 3]
    close(read[3], seen.trace.logits)
