"""Sums that stand in no module, and blocks that are called several times: methods and steps beside the network by hand."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from support.networks import sharpen
from support.slow_replicas import alti, tokens_of
from support.streams import TARGET, Own, Tied, plain, seen_by, vit_pytorch
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.steps import steps_to

NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "vit-pytorch": vit_pytorch,
    "sums in no module": lambda: Own(plain),
    "one block, three layers": Tied,
}


class Layer(NamedTuple):
    """What one layer computed, by hand; all without a batch."""

    stream: Tensor  # (token, D)
    v: Tensor  # (head, token, e)
    q: Tensor
    k: Tensor
    attention: Tensor  # (head, query, key)
    vectors: Tensor  # (head, key, D)
    bias: Tensor
    between: Tensor
    after: Tensor


def by_hand(net: Any, pixels: Tensor) -> tuple[list[Layer], list[Tensor]]:
    """Each layer, and the gradient of the class with respect to the tokens that enter its attention."""
    if hasattr(net, "transformer"):
        body = net.transformer
        x = net.to_patch_embedding(pixels)
        cls = net.cls_token if net.cls_token.ndim == 3 else net.cls_token[None]
        x = torch.cat([cls.expand(1, -1, -1), x], 1) + net.pos_embedding[..., : x.shape[1] + 1, :]
        modules = [(one[0], one[1]) for one in body.layers]
        parts = [(a.norm, a.to_qkv, a.to_out[0], a.heads) for a, _ in modules]
    else:
        x = net.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([net.cls, x], 1)
        is_tied = isinstance(net, Tied)
        modules = [(net.layers.attention, net.layers.mlp)] * 3 if is_tied else [tuple(one) for one in net.layers]
        parts = [(a.norm, a.qkv, a.out, a.heads) for a, _ in modules]
    layers, entering = [], []
    for (_, mlp), (norm, qkv, out, heads) in zip(modules, parts, strict=True):
        entering.append(x)
        q, k, v = (one.unflatten(-1, (heads, -1))[0].transpose(0, 1) for one in qkv(norm(x)).chunk(3, -1))
        attention = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1)
        vectors = torch.einsum("hke,heD->hkD", v, out.weight.T.unflatten(0, (heads, -1)))
        bias = torch.zeros(vectors.shape[-1]).to(vectors) if out.bias is None else out.bias
        between = x + torch.einsum("hqk,hkD->qD", attention, vectors) + bias
        after = mlp(between) + between
        layers.append(Layer(x[0], v, q, k, attention, vectors, bias, between[0], after[0]))
        x = after
    last = net.transformer.norm if hasattr(net, "transformer") else net.norm
    head = net.mlp_head if hasattr(net, "transformer") else net.head
    assert torch.allclose(head(last(x)[:, 0]), net(pixels), atol=1e-9), "the hand does what the network does"
    return layers, list(torch.autograd.grad(head(last(x)[:, 0])[0, TARGET], entering))


def off(found: Tensor | np.ndarray | None, expected: Tensor | np.ndarray) -> bool:
    if found is None or found.shape != expected.shape:
        return True
    return bool(np.abs(np.asarray(found) - np.asarray(expected)).max() > 1e-8 * np.abs(np.asarray(expected)).max())


def slips_of_steps(seen: ExplainContext, layers: list[Layer]) -> list[str]:
    slips = []
    for index, one in enumerate(layers):
        found = steps_to(seen.model, seen.pixels, seen.trace, index, 0, 5)
        expected = {
            "query.stream": one.stream[0],
            "key.stream": one.stream[5],
            "query.used": one.q[:, 0],
            "key.used": one.k[:, 5],
            "values": one.v[:, 5],
            "attention": one.attention[:, 0],
            "written": torch.einsum("hk,hkd->hd", one.attention[:, 0], one.vectors),
            "between": one.between[0],
            "rest": (one.after - one.between)[0],
            "after": one.after[0],
        }
        for name, value in expected.items():
            side, _, what = name.rpartition(".")
            if off(getattr(getattr(found, side) if side else found, what), value):
                slips.append(f"steps, layer {index}: {name}")
    return slips


@pytest.mark.parametrize("make", NETWORKS.values(), ids=NETWORKS)
def test_no_module_need_hold_the_sum(make: Callable[[], nn.Module]) -> None:
    """All of these were refused by name ("is a list of modules", "runs the attention of several layers")."""
    torch.manual_seed(0)
    net = sharpen(make()).double()
    seen = seen_by(net)
    with torch.enable_grad():
        layers, gradients = by_hand(net, seen.pixels.clone().requires_grad_(True))
    layers = [Layer(*(part.detach() for part in one)) for one in layers]
    slips = []
    for index, one in enumerate(layers):
        parts = seen.written[index]
        found = parts.stream + torch.einsum("hqk,hkd->qd", seen.trace.layers[index].map(), parts.vectors) + parts.bias
        slips += [f"written {index}"] if off(found, one.between) or off(parts.vectors, one.vectors) else []
        moved = torch.einsum("hk,hkd->kd", one.attention[:, 0], one.vectors).norm(dim=-1)
        tokens = tokens_of(method_named("value_attention")(seen, "cls", layer=index))
        slips += [f"value_attention {index}"] if off(tokens, moved) else []
        x, gradient = one.stream[1:], gradients[index][0, 1:]
        expected = (x @ gradient.mean(0)).clamp_min(0)
        map_ = method_named("grad_cam")(seen, layer=index).scores.ravel()
        slips += [f"grad_cam {index}"] if off(map_, expected) or float(expected.max()) == 0 else []
    joint = alti((one.attention, one.vectors, one.stream, one.bias) for one in layers)
    slips += ["alti"] if off(tokens_of(method_named("alti")(seen, "cls")), joint[0]) else []
    slips += slips_of_steps(seen, layers)
    assert slips == []
