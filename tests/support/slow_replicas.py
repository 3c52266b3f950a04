"""What the slow replicas of the papers look at: whole attention matrices in the graph, straight from autograd."""

from collections.abc import Iterable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import pixels_for
from vizapp.core.attention.relevance import Relevance
from vizapp.core.capture.forward import capture
from vizapp.core.context import ExplainContext
from vizapp.model.spec import VisionModel


def context(model: VisionModel, pixels: Tensor, target: int | None = None) -> ExplainContext:
    return ExplainContext(model, pixels, capture(model, pixels), target)


def double(model: VisionModel, target: int | None = None) -> ExplainContext:
    """A look at noise in float64, so that a replica may differ by rounding only."""
    model.net.double()
    return context(model, pixels_for(model), target)


def tokens_of(relevance: Relevance) -> np.ndarray:
    """(token,): the prefix, then the patches."""
    return np.concatenate([list(relevance.on_prefix.values()), relevance.scores.ravel()])


def maps_in_graph(net: nn.Module, pixels: Tensor, depth: int | None = None) -> tuple[list[Tensor], Tensor]:
    """Of our own ViT, or timm's with `fused_attn` off: each layer's A (1, head, query, key) and the logits, in one graph.

    depth  the classifier reads what this many blocks give; None: all
    """
    maps: list[Tensor] = []

    def spelled(q: Tensor, k: Tensor, v: Tensor, *rest: object, scale: float | None = None, **more: object) -> Tensor:
        maps.append((q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)).softmax(-1))
        return maps[-1] @ v

    handles = [
        module.register_forward_hook(lambda module, args, output: maps.append(output))
        for name, module in net.named_modules()
        if name.endswith("attn.softmax")
    ]
    blocks, kept = net.blocks, F.scaled_dot_product_attention
    F.scaled_dot_product_attention = spelled
    try:
        if depth is not None:
            net.blocks = blocks[:depth]
        with torch.enable_grad():
            logits = net(pixels.clone().requires_grad_(True))
    finally:
        net.blocks, F.scaled_dot_product_attention = blocks, kept
        for handle in handles:
            handle.remove()
    return maps, logits


def maps_and_gradients(net: nn.Module, pixels: Tensor, target: int, depth: int | None = None) -> tuple[list, list]:
    """numpy (head, query, key) for each layer: A, and d logit / dA."""
    maps, logits = maps_in_graph(net, pixels, depth)
    gradients = torch.autograd.grad(logits[0, target], maps)
    return [one[0].detach().numpy() for one in maps], [one[0].numpy() for one in gradients]


def lengths(seen: ExplainContext, layer: int) -> np.ndarray:
    """Kobayashi et al. 2020: |sum_h A_h,ij f_h(x_j)|, one pair of tokens after the other."""
    a, f = seen.trace.layers[layer].map().numpy(), seen.written[layer].vectors.numpy()
    n = a.shape[-1]
    return np.array(
        [[np.linalg.norm(sum(a[h, i, j] * f[h, j] for h in range(len(a)))) for j in range(n)] for i in range(n)]
    )


def alti(layers: Iterable[tuple[Tensor, Tensor, Tensor, Tensor]]) -> np.ndarray:
    """Ferrando et al. 2022: transformed vectors one by one, 1-norms, rows divided by their sums, layers multiplied.

    layers  of each its map (head, query, key), vectors (head, key, D), stream (token, D) and bias (D)
    """
    joint: np.ndarray | None = None
    for a, f, x, bias in ([part.numpy() for part in layer] for layer in layers):
        n = len(x)
        c = np.zeros((n, n))
        for i in range(n):
            t = [sum(a[h, i, j] * f[h, j] for h in range(len(a))) + (x[i] if i == j else 0) for j in range(n)]
            y = sum(t) + bias
            c[i] = [max(np.abs(y).sum() - np.abs(y - part).sum(), 0) for part in t]
        step = c / c.sum(1, keepdims=True)
        joint = step if joint is None else step @ joint
    assert joint is not None
    return joint
