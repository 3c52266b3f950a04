"""Attention weighed by gradients, gradients of attention, and class activation maps."""

import numpy as np
import torch

from bench.references.attention import by_columns, without_weakest
from bench.references.seen import Picture, reference


@reference("chefer", "Chefer et al. 2021 (ICCV), eqs. 5 and 6")
def chefer(picture: Picture) -> np.ndarray:
    relevance = np.eye(picture.n)
    for a, g in zip(picture.a, picture.g, strict=True):
        relevance = relevance + np.maximum(g * a, 0).mean(0) @ relevance
    return relevance[0, 1:]


@reference("gradient_rollout", "the article's formula, each layer with its own gradient, rows divided")
def gradient_rollout(picture: Picture) -> np.ndarray:
    joint = np.eye(picture.n)
    for a, g in zip(picture.a, picture.g, strict=True):
        step = np.eye(picture.n) + np.maximum((g * a).mean(0), 0)
        joint = step / step.sum(1, keepdims=True) @ joint
    return joint[0, 1:]


@reference(
    "gradient_rollout",
    "jacobgil/vit-explain, vit_grad_rollout.py, its default discard of 0.9",
    "code",
    "its backward hook gives d logit / d scores, from before the softmax; the list of gradients begins with the last layer, "
    "that of attention with the first; it discards over the whole matrix and divides columns by sums of rows",
)
def vit_explain(picture: Picture) -> np.ndarray:
    scores = [a * (g - (g * a).sum(-1, keepdims=True)) for a, g in zip(picture.a, picture.g, strict=True)]
    joint = np.eye(picture.n)
    for a, g in zip(picture.a, scores[::-1], strict=True):
        fused = np.maximum((a * g).mean(0), 0)
        flat = without_weakest(fused, 0.9)
        joint = by_columns(flat) @ joint
    return joint[0, 1:]


@reference("gradient_attention", "one layer and the CLS row of Barkan et al. 2021: mean of heads of A * (dA)^+")
def gradient_attention(picture: Picture) -> np.ndarray:
    return (picture.a[-1] * np.maximum(picture.g[-1], 0)).mean(0)[0, 1:]


@reference(
    "gradient_attention",
    "Barkan et al. 2021: all layers, heads and queries",
    "code",
    "the paper has the mean over all layers and queries; one layer and query is one part of it",
)
def grad_sam(picture: Picture) -> np.ndarray:
    every = [(a * np.maximum(g, 0)).mean((0, 1)) for a, g in zip(picture.a, picture.g, strict=True)]
    return np.mean(every, 0)[1:]


@reference("legrad", "Bousselham et al. 2025, section 3, every layer, the classifier reads its CLS")
def legrad(picture: Picture) -> np.ndarray:
    depths = range(1, len(picture.net.blocks) + 1)
    every = [np.maximum(picture.attend(depth)[1][-1], 0).mean((0, 1)) for depth in depths]
    return np.mean(every, 0)[1:]


@reference(
    "legrad",
    "WalBouss/LeGrad, wrapper.py, compute_legrad_clip with its default layer_index=-2",
    "code",
    "it takes the last two layers only, and reads the mean of all their tokens where the network reads CLS",
)
def le_wrapper(picture: Picture) -> np.ndarray:
    net, depth = picture.net, len(picture.net.blocks)

    def mean(x: torch.Tensor) -> torch.Tensor:
        return net.head(net.norm(x.mean(1)))

    every = [np.maximum(picture.attend(one, mean)[1][-1], 0).mean((0, 1)) for one in (depth - 1, depth)]
    return np.mean(every, 0)[1:]


def features(picture: Picture) -> tuple[np.ndarray, np.ndarray]:
    """(patch, feature) of what the norm before the last attention gives, and its gradient."""
    with torch.enable_grad():
        x = picture.embedded().requires_grad_(True)
        for block in picture.net.blocks[:-1]:
            x = block(x)
        last = picture.net.blocks[-1]
        normed = last.norm1(x)
        x = x + last.ls1(last.attn(normed))
        x = x + last.ls2(last.mlp(last.norm2(x)))
        logit = picture.net.forward_head(picture.net.norm(x))[0, picture.target]
        (gradient,) = torch.autograd.grad(logit, normed)
    return normed[0, 1:].detach().numpy(), gradient[0, 1:].numpy()


@reference("grad_cam", "Selvaraju et al. 2017, eqs. 1 and 2, on what enters the last attention")
def grad_cam(picture: Picture) -> np.ndarray:
    x, g = features(picture)
    return np.maximum(sum(g[:, k].mean() * x[:, k] for k in range(x.shape[1])), 0)


def plus_plus(picture: Picture, epsilon: float) -> np.ndarray:
    x, g = features(picture)
    total = np.zeros(len(x))
    for k in range(x.shape[1]):
        below = 2 * g[:, k] ** 2 + x[:, k].sum() * g[:, k] ** 3 + epsilon
        weight = np.where(g[:, k] != 0, g[:, k] ** 2 / np.where(below == 0, 1, below), 0)
        total += (weight * np.maximum(g[:, k], 0)).sum() * x[:, k]
    return np.maximum(total, 0)


@reference("grad_cam_plus_plus", "Chattopadhay et al. 2018, eqs. 10 and 19")
def grad_cam_plus_plus(picture: Picture) -> np.ndarray:
    return plus_plus(picture, 0)


@reference(
    "grad_cam_plus_plus",
    "pytorch-grad-cam 1.5.7, grad_cam_plusplus.py",
    "code",
    "it adds 1e-6 to a denominator that is of the size of a gradient's square: where that is no larger, it decides",
)
def pytorch_grad_cam(picture: Picture) -> np.ndarray:
    return plus_plus(picture, 1e-6)


@reference("daam", "eqs. 7 to 9, 11 and 12 of Liao et al. 2025, as daam-timm-vit 0.2.1 has them")
def daam(picture: Picture) -> np.ndarray:
    net, kept, values = picture.net, [], []
    with torch.enable_grad():
        x = picture.embedded().requires_grad_(True)
        for block in net.blocks:
            heads = block.attn.num_heads
            q, k, v = block.attn.qkv(block.norm1(x)).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
            o = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v  # (1, head, token, d)
            kept.append(o)
            values.append(v[0].detach().numpy())
            x = x + block.ls1(block.attn.proj(o.transpose(1, 2).flatten(2)))
            x = x + block.ls2(block.mlp(block.norm2(x)))
        gradients = torch.autograd.grad(net.forward_head(net.norm(x))[0, picture.target], kept)
    total = np.zeros(picture.n)
    for a, v, c in zip(picture.a, values, gradients, strict=True):
        of_layer = np.zeros(picture.n)
        for j in range(picture.n):
            for h in range(len(a)):
                of_layer[j] += (a[h, 0, j] * v[h, j] * np.maximum(c[0, h, 0].numpy(), 0)).sum()
        total += np.maximum(of_layer, 0)
    return total[1:]
