"""Relevance, walked down a small ViT step by step: Achtibat et al. 2024 (and CP-LRP), Chefer et al. 2021 (CVPR)."""

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn

from bench.references.seen import Picture, reference
from vizapp.model.vit import ViT


class Walk:
    """A forward pass of our own ViT that keeps what enters and leaves each step, one picture, no batch axis."""

    def __init__(self, net: ViT, pixels: Tensor) -> None:
        self.blocks: list[dict[str, Tensor]] = []
        patches = net.patch_embed.proj(pixels)[0].flatten(1).T
        self.embedded = patches
        if net.no_embed_class:
            x = torch.cat([net.cls_token[0], patches + net.pos_embed[0]])
        else:
            x = torch.cat([net.cls_token[0], patches]) + net.pos_embed[0]
        self.first = x
        for block in net.blocks:
            heads, width = block.attn.num_heads, x.shape[1]
            step = {"x": x, "normed": block.norm1(x)}
            step["qkv"] = step["normed"] @ block.attn.qkv.weight.T + block.attn.qkv.bias
            q, k, v = step["qkv"].reshape(len(x), 3, heads, width // heads).permute(1, 2, 0, 3)
            step |= {"q": q, "k": k, "v": v, "product": q @ k.transpose(1, 2)}
            step["scores"] = step["product"] / math.sqrt(width // heads)
            step["a"] = step["scores"].softmax(-1)
            step["o"] = step["a"] @ v
            step["joined"] = step["o"].transpose(0, 1).reshape(len(x), width)
            step["written"] = step["joined"] @ block.attn.proj.weight.T + block.attn.proj.bias
            step["middle"] = x + step["written"]
            step["normed2"] = block.norm2(step["middle"])
            step["hidden"] = step["normed2"] @ block.mlp.fc1.weight.T + block.mlp.fc1.bias
            step["active"] = torch.nn.functional.gelu(step["hidden"])
            step["second"] = step["active"] @ block.mlp.fc2.weight.T + block.mlp.fc2.bias
            x = step["middle"] + step["second"]
            self.blocks.append(step)
        self.last, self.normed = x, net.norm(x)
        self.logits = self.normed[0] @ net.head.weight.T + net.head.bias


def share(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, a / torch.where(b == 0, 1, b))


def joined_heads(r: Tensor) -> Tensor:
    return r.transpose(0, 1).reshape(r.shape[1], -1)


# ---- Achtibat et al. 2024, with gamma 0


def of_linear(x: Tensor, weight: Tensor, y: Tensor, r: Tensor) -> Tensor:
    """Equation 8 with epsilon 0: R_j = sum_i x_j w_ij / y_i R_i, y with its bias."""
    return x * (share(r, y) @ weight)


def of_norm(x: Tensor, norm: nn.LayerNorm, y: Tensor, r: Tensor) -> Tensor:
    """The norm as a linear map with its deviation held fixed: y_i = w_i (x_i - mean) / s + b_i."""
    deviation = (x.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
    n = x.shape[-1]
    matrix = (torch.eye(n, dtype=x.dtype) - 1 / n) * norm.weight[:, None]  # y = matrix x / s + b
    return x * ((share(r, y) / deviation) @ matrix)


def of_sum(a: Tensor, b: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    return a * share(r, a + b), b * share(r, a + b)


def attn_lrp(net: ViT, pixels: Tensor, target: int, through: str = "attention") -> Tensor:
    """(rows, cols) of patches: relevance of pixels, step by step from the logit down; "values" is CP-LRP (Ali et al. 2022)."""
    with torch.no_grad():
        walk = Walk(net, pixels)
        start = torch.zeros_like(walk.logits)
        start[target] = walk.logits[target]
        r = torch.zeros_like(walk.last)
        r[0] = of_linear(walk.normed[0], net.head.weight, walk.logits, start)
        r = of_norm(walk.last, net.norm, walk.normed, r)
        for block, step in reversed(list(zip(net.blocks, walk.blocks, strict=True))):
            middle, second = of_sum(step["middle"], step["second"], r)
            hidden = of_linear(step["active"], block.mlp.fc2.weight, step["second"], second)  # gelu: identity
            normed2 = of_linear(step["normed2"], block.mlp.fc1.weight, step["hidden"], hidden)
            r = middle + of_norm(step["middle"], block.norm2, step["normed2"], normed2)
            x, written = of_sum(step["x"], step["written"], r)
            joined = of_linear(step["joined"], block.attn.proj.weight, step["written"], written)
            o = joined.reshape(len(joined), len(step["o"]), -1).transpose(0, 1)
            # Proposition 3.3: each factor of O = A V half, in proportion to its terms.
            per = share(o, step["o"])
            a = step["a"] * (per @ step["v"].transpose(1, 2)) / 2
            v = step["v"] * (step["a"].transpose(1, 2) @ per) / 2
            # Proposition 3.1: softmax, R_i = x_i (R_i - s_i sum_j R_j).
            scores = step["scores"] * (a - step["a"] * a.sum(-1, keepdim=True))
            per = share(scores, step["scores"]) / math.sqrt(step["q"].shape[-1])
            q, k = step["q"] * (per @ step["k"]) / 2, step["k"] * (per.transpose(1, 2) @ step["q"]) / 2
            if through == "values":  # attention is a constant matrix: O = A V is linear in V
                q, k, v = torch.zeros_like(q), torch.zeros_like(k), 2 * v
            qkv = torch.cat([joined_heads(q), joined_heads(k), joined_heads(v)], 1)
            normed = of_linear(step["normed"], block.attn.qkv.weight, step["qkv"], qkv)
            r = x + of_norm(step["x"], block.norm1, step["normed"], normed)
        patches = (walk.embedded * share(r[1:], walk.first[1:])).T.reshape(1, -1, *net.grid)
        per, side = share(patches, net.patch_embed.proj(pixels)), net.patch_embed.patch_size
        back = torch.nn.functional.conv_transpose2d(per, net.patch_embed.proj.weight, stride=side)
        return (pixels * back)[0].sum(0).unflatten(0, (-1, side)).unflatten(2, (-1, side)).sum((1, 3))


# ---- Chefer et al. 2021 (CVPR)


def ratio(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, a / (b + 1e-9 * b.sign()))


def positive_linear(x: Tensor, weight: Tensor, r: Tensor) -> Tensor:
    """Equation 3, output by output: in proportion to the terms x_j w_ij that are above zero."""
    found = torch.zeros_like(x)
    for n in range(len(x)):
        terms = (x[n] * weight).clamp_min(0)  # (output, input)
        found[n] = (terms * ratio(r[n], terms.sum(1))[:, None]).sum(0)
    return found


def normalised(a: Tensor, b: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    """Equations 7 to 9 for a skip connection."""
    of_a, of_b = a * ratio(r, a + b), b * ratio(r, a + b)
    whole = of_a.sum().abs() + of_b.sum().abs()
    return tuple(one * ratio(ratio(one.sum().abs(), whole) * r.sum(), one.sum()) for one in (of_a, of_b))


def relevance_of_maps(net: ViT, pixels: Tensor, target: int) -> list[Tensor]:
    """R_A (head, query, key) of each layer, first layer first."""
    found = []
    with torch.no_grad():
        walk = Walk(net, pixels)
        start = torch.zeros_like(walk.logits)
        start[target] = 1
        r = torch.zeros_like(walk.last)
        r[:1] = positive_linear(walk.normed[:1], net.head.weight, start[None])  # norms hand relevance on
        for block, step in reversed(list(zip(net.blocks, walk.blocks, strict=True))):
            middle, second = normalised(step["middle"], step["second"], r)
            hidden = positive_linear(step["active"], block.mlp.fc2.weight, second)
            r = middle + positive_linear(step["normed2"], block.mlp.fc1.weight, hidden)
            x, written = normalised(step["x"], step["written"], r)
            joined = positive_linear(step["joined"], block.attn.proj.weight, written)
            per = ratio(joined.reshape(len(joined), len(step["o"]), -1).transpose(0, 1), step["o"]) / 2
            a = step["a"] * (per @ step["v"].transpose(1, 2))
            found.append(a)
            v = step["v"] * (step["a"].transpose(1, 2) @ per)
            per = ratio(a, step["product"]) / 2
            q, k = step["q"] * (per @ step["k"]), step["k"] * (per.transpose(1, 2) @ step["q"])
            qkv = torch.cat([joined_heads(q), joined_heads(k), joined_heads(v)], 1)
            r = x + positive_linear(step["normed"], block.attn.qkv.weight, qkv)
    return found[::-1]


@cache
def maps_of(picture: Picture) -> list[Tensor]:
    return relevance_of_maps(picture.net, picture.pixels, picture.target)


def attribution(picture: Picture, *, divided: bool = False) -> np.ndarray:
    """Equations 13 and 14: A' = I + mean_h (dA * R_A)^+, layers multiplied; `divided` by the sums of their rows."""
    joint = np.eye(picture.n)
    for gradient, relevance in zip(picture.g, maps_of(picture), strict=True):
        step = np.eye(picture.n) + np.maximum(gradient * relevance.numpy(), 0).mean(0)
        joint = (step / step.sum(1, keepdims=True) if divided else step) @ joint
    return joint


@reference("transformer_attribution", "Chefer et al. 2021 (CVPR), eqs. 3 and 7 to 14")
def of_the_paper(picture: Picture) -> np.ndarray:
    return attribution(picture)[0, 1:]


@reference(
    "transformer_attribution",
    'hila-chefer/Transformer-Explainability, method="grad"',
    "code",
    "some of its versions divide rows by their sums, as this row does",
)
def of_the_code(picture: Picture) -> np.ndarray:
    return attribution(picture, divided=True)[0, 1:]


@reference("partial_lrp", "R_A of Chefer et al. 2021 (CVPR), section 3.1, mean of heads")
def one_layer(picture: Picture) -> np.ndarray:
    return maps_of(picture)[-1].mean(0)[0, 1:].numpy()


@reference(
    "partial_lrp",
    'hila-chefer/Transformer-Explainability, method="last_layer"',
    "code",
    "the baseline of section 4 sets what is below zero in each head to zero before the mean; here signs are kept",
)
def last_layer(picture: Picture) -> np.ndarray:
    return maps_of(picture)[-1].clamp_min(0).mean(0)[0, 1:].numpy()


@reference("attn_lrp", "Achtibat et al. 2024, section 3, gamma 0", linear_gamma=0.0, conv_gamma=0.0)
def attention_aware(picture: Picture) -> np.ndarray:
    return attn_lrp(picture.net, picture.pixels, picture.target).numpy().ravel()


@reference(
    "attn_lrp",
    "Ali et al. 2022 inside of attention (CP-LRP), gamma 0",
    linear_gamma=0.0,
    conv_gamma=0.0,
    through="values",
)
def conservative(picture: Picture) -> np.ndarray:
    return attn_lrp(picture.net, picture.pixels, picture.target, "values").numpy().ravel()


@reference(
    "attn_lrp",
    "the recipe for ViTs of lxt 2.1 (efficient/models/vit_torch.py), gamma 0",
    "code",
    'it stops what would go back through queries and keys: CP-LRP inside of attention, which is through="values" here',
    linear_gamma=0.0,
    conv_gamma=0.0,
)
def lxt(picture: Picture) -> np.ndarray:
    return attn_lrp(picture.net, picture.pixels, picture.target, "values").numpy().ravel()
