"""LibraGrad, written as its authors do: a forward pass in which what the paper prunes is detached, and its plain gradient."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from bench.references.seen import Picture, reference
from vizapp.model.vit import ViT


def normed(x: Tensor, norm: nn.LayerNorm) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.pow(2).mean(-1, keepdim=True).detach()
    return centred / (variance + norm.eps).sqrt() * norm.weight + norm.bias


def gelu(x: Tensor) -> Tensor:
    gate = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    return x * gate.detach()


def logits_of(net: ViT, patches: Tensor) -> Tensor:
    """(class,) from (patch, D): the network's own logits, with another gradient."""
    if net.no_embed_class:
        x = torch.cat([net.cls_token[0], patches + net.pos_embed[0]])
    else:
        x = torch.cat([net.cls_token[0], patches]) + net.pos_embed[0]
    return after(net, x)


def after(net: ViT, x: Tensor) -> Tensor:
    """(class,) from the tokens (token, D) that enter the first block."""
    for block in net.blocks:
        heads, width = block.attn.num_heads, x.shape[1]
        qkv = normed(x, block.norm1) @ block.attn.qkv.weight.T + block.attn.qkv.bias
        q, k, v = qkv.reshape(len(x), 3, heads, width // heads).permute(1, 2, 0, 3)
        scores = q.detach() @ k.detach().transpose(1, 2) / math.sqrt(width // heads)
        o = (scores.softmax(-1) @ v).transpose(0, 1).reshape(len(x), width)
        x = x + o @ block.attn.proj.weight.T + block.attn.proj.bias
        hidden = gelu(normed(x, block.norm2) @ block.mlp.fc1.weight.T + block.mlp.fc1.bias)
        x = x + hidden @ block.mlp.fc2.weight.T + block.mlp.fc2.bias
    return normed(x, net.norm)[0] @ net.head.weight.T + net.head.bias


@reference("libra_grad", "the rules of Mehri et al. 2025, as their code has them, input x gradient of pixels")
def input_gradient(picture: Picture) -> np.ndarray:
    with torch.enable_grad():
        pixels = picture.pixels.clone().requires_grad_(True)
        patches = picture.net.patch_embed.proj(pixels)[0].flatten(1).T
        (gradient,) = torch.autograd.grad(logits_of(picture.net, patches)[picture.target], pixels)
    return picture.by_patch((picture.pixels * gradient)[0])


@reference(
    "libra_grad",
    "NightMachinery/decompv-libragrad-v1, decompv/x/ds/compute_IxG.py, summed over channels",
    "code",
    "it takes the tokens that enter the first block, so positions and the bias of the patch embedding count with their patch",
)
def of_tokens(picture: Picture) -> np.ndarray:
    with torch.enable_grad():
        tokens = picture.embedded()[0].requires_grad_(True)
        (gradient,) = torch.autograd.grad(after(picture.net, tokens)[picture.target], tokens)
    return (tokens.detach() * gradient).sum(1)[1:].numpy()
