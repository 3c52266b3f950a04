"""Attention and what is carried by it: Abnar & Zuidema, vit-explain, Kobayashi et al., Ferrando et al."""

from collections.abc import Iterator

import numpy as np
import torch

from bench.references.seen import Picture, reference


@reference("attention", "softmax(q k^T / sqrt(d)) of the last layer, mean of heads")
def last_layer(picture: Picture) -> np.ndarray:
    return picture.a[-1].mean(0)[0, 1:]


@reference("rollout", "Abnar & Zuidema 2020, section 3")
def rollout(picture: Picture) -> np.ndarray:
    joint = np.eye(picture.n)
    for a in picture.a:
        joint = (0.5 * np.eye(picture.n) + 0.5 * a.mean(0)) @ joint
    return joint[0, 1:]


def without_weakest(step: np.ndarray, share: float) -> np.ndarray:
    """vit-explain's discard: of the whole matrix at once, and only its first value (CLS to CLS) is safe."""
    flat = step.flatten()
    gone = np.argsort(flat, kind="stable")[: int(len(flat) * share)]
    flat[gone[gone != 0]] = 0
    return flat.reshape(step.shape)


def by_columns(step: np.ndarray) -> np.ndarray:
    """vit-explain divides a (1, N, N) by its sums of shape (1, N): column j by the sum of *row* j."""
    a = (step + np.eye(len(step))) / 2
    return a / a.sum(-1)[None, :]


@reference(
    "rollout",
    "jacobgil/vit-explain, vit_rollout.py, its default discard of 0.9",
    "code",
    "it discards over the whole matrix, not row by row, and divides columns by sums of rows",
)
def vit_explain(picture: Picture) -> np.ndarray:
    joint = np.eye(picture.n)
    for a in picture.a:
        joint = by_columns(without_weakest(a.mean(0), 0.9)) @ joint
    return joint[0, 1:]


@reference("attention_flow", "Abnar & Zuidema 2020, section 3: widest ways added up until none is left", start_layer=-1)
def flow(picture: Picture) -> np.ndarray:
    """Of the last layer alone, where every way has one pipe: its width is the flow. More layers: tests/unit/core."""
    return (0.5 * np.eye(picture.n) + 0.5 * picture.a[-1].mean(0))[0, 1:]


def carried(picture: Picture) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Of each layer: A (head, query, key), v_j W_O (head, key, D), its bias (D,), and the stream before (token, D)."""
    net = picture.net
    with torch.no_grad():
        x = picture.embedded()
        for block, a in zip(net.blocks, picture.a, strict=True):
            heads = len(a)
            normed = block.norm1(x)[0]
            v = (normed @ block.attn.qkv.weight.T + block.attn.qkv.bias).unflatten(-1, (3, heads, -1))[:, 2]
            weight = block.attn.proj.weight.T.unflatten(0, (heads, -1))  # (head, e, D)
            f = torch.stack([v[:, h] @ weight[h] for h in range(heads)])
            yield a, f.numpy(), block.attn.proj.bias.numpy(), x[0].numpy()
            x = block(x)


def lengths(a: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Kobayashi et al. 2020: |sum_h A_h,ij f_h(x_j)|, a row at a time."""
    return np.stack([np.linalg.norm(np.einsum("hk,hkd->kd", a[:, i], f), axis=-1) for i in range(a.shape[1])])


@reference("value_attention", "Kobayashi et al. 2020, section 2.2")
def value_attention(picture: Picture) -> np.ndarray:
    *_, (a, f, _, _) = carried(picture)
    return lengths(a, f)[0, 1:]


@reference("value_rollout", "Kobayashi et al. 2020, followed back as in Abnar & Zuidema 2020")
def value_rollout(picture: Picture) -> np.ndarray:
    joint = np.eye(picture.n)
    for a, f, _, _ in carried(picture):
        norms = lengths(a, f)
        joint = (0.5 * np.eye(picture.n) + 0.5 * norms / norms.sum(1, keepdims=True)) @ joint
    return joint[0, 1:]


@reference("alti", "Ferrando et al. 2022, section 3, with the norm before the sum")
def alti(picture: Picture) -> np.ndarray:
    joint = np.eye(picture.n)
    for a, f, bias, x in carried(picture):
        c = np.zeros((picture.n, picture.n))
        for i in range(picture.n):
            t = np.einsum("hk,hkd->kd", a[:, i], f)
            t[i] += x[i]
            y = t.sum(0) + bias
            c[i] = np.maximum(np.abs(y).sum() - np.abs(y - t).sum(-1), 0)
        joint = c / np.maximum(c.sum(1, keepdims=True), 1e-300) @ joint
    return joint[0, 1:]
