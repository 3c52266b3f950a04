"""A network as its file for browsers has it, run slowly in torch: from the parts and tensors that are written, and nothing else.

Before a file is written, its network runs beside the original on the same noise. So a part that was read wrongly is noticed here,
and not in a browser. `Replica` is also what benchmarks export to other runtimes.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.browser.network_parts import Written
from vizapp.vocabulary import Act, Rotary

TOKENS = {"cls": "cls_token", "dist": "dist_token"}


class Pass(NamedTuple):
    """logits; q (scaled) and k of all layers, (layers, heads, tokens, head_dim); `made`: of each layer the outputs of its heads
    and of its MLP before their last matrices, and its tokens."""

    logits: Tensor
    q: Tensor
    k: Tensor
    made: list[Tensor]


class Replica(nn.Module):
    """The network that is written: pixels (1, channels, height, width) -> `Pass`."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.parts = written.parts
        self.tensors: dict[str, Tensor] = written.tensors

    def forward(self, pixels: Tensor) -> Pass:
        parts, made, queries, keys = self.parts, [], [], []
        x = self._tokens(pixels)
        for layer in range(parts["depth"]):
            at = f"blocks.{layer}"
            q, k, v = self._qkv(f"{at}.attn", self._norm(f"{at}.norm1", x))
            queries.append(q)
            keys.append(k)
            scores = q @ k.transpose(-2, -1)
            if parts["relative"]:
                table = self.tensors[f"{at}.attn.relative"]
                scores = scores + table[self.tensors["relative.index"].long()].permute(2, 0, 1)
            heads = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
            x = x + self._scaled(f"{at}.ls1", self._linear(f"{at}.attn.proj", heads))
            hidden = self._hidden(f"{at}.mlp", self._norm(f"{at}.norm2", x), parts)
            x = x + self._scaled(f"{at}.ls2", self._linear(f"{at}.mlp.fc2", hidden))
            made += [heads, hidden, x]
        return Pass(self._read(x), torch.cat(queries), torch.cat(keys), made)

    def _tokens(self, pixels: Tensor) -> Tensor:
        parts, positions = self.parts, self.tensors.get("pos_embed")
        weight, bias = self.tensors["patch_embed.proj.weight"], self.tensors.get("patch_embed.proj.bias")
        x = F.conv2d(pixels, weight, bias, stride=parts["patch"]).flatten(2).transpose(1, 2)
        prefix = [self.tensors[name] for name in ("cls_token", "dist_token", "reg_token") if name in self.tensors]
        if positions is not None and parts["positions"] == "patches":
            x = x + positions
        x = torch.cat([*(one.expand(len(x), -1, -1) for one in prefix), x], 1)
        if positions is not None and parts["positions"] == "all":
            x = x + positions
        return self._norm("norm_pre", x)

    def _qkv(self, at: str, x: Tensor) -> list[Tensor]:
        """(1, heads, tokens, head_dim) each, q scaled."""
        parts = self.parts
        qkv = self._linear(f"{at}.qkv", x).unflatten(-1, (3, parts["heads"], parts["headDim"]))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = self._norm(f"{at}.q_norm", q), self._norm(f"{at}.k_norm", k)
        if rotary := parts["rotary"]:
            q, k = self._turned(q, rotary), self._turned(k, rotary)
        return [q * parts["headDim"] ** -0.5, k, v]

    def _turned(self, x: Tensor, rotary: Rotary) -> Tensor:
        """Turn each patch's vector by its place; the prefix stays as it is."""
        first = len(self.parts["prefix"])
        prefix, patches = x[..., :first, :], x[..., first:, :]
        if rotary == "halves":
            one, other = patches.chunk(2, -1)
            across = torch.cat([-other, one], -1)
        else:
            across = torch.stack([-patches[..., 1::2], patches[..., ::2]], -1).flatten(-2)
        return torch.cat([prefix, patches * self.tensors["rope.cos"] + across * self.tensors["rope.sin"]], -2)

    def _hidden(self, at: str, x: Tensor, how: dict) -> Tensor:
        x = self._linear(f"{at}.fc1", x)
        if how.get("gated"):
            gate, x = x.chunk(2, -1)
            x = activated(gate, how["act"]) * x
        else:
            x = activated(x, how["act"])
        return self._norm(f"{at}.norm", x)

    def _read(self, x: Tensor) -> Tensor:
        parts = self.parts
        x = self._norm("norm", x)
        if parts["pool"] == "attention":
            one = self._pooled(x)
        elif parts["pool"] == "avg":
            one = x[:, len(parts["prefix"]) :].mean(1)
        else:
            one = x[:, 0]
        if parts["distilled"]:
            return (self._linear("head", one) + self._linear("head_dist", x[:, 1])) / 2
        return self._linear("head", self._norm("fc_norm", one))

    def _pooled(self, x: Tensor) -> Tensor:
        how = self.parts["pooling"]
        x = x if how["prefix"] else x[:, len(self.parts["prefix"]) :]
        shape = (how["heads"], how["headDim"])
        k, v = self._linear("attn_pool.kv", x).unflatten(-1, (2, *shape)).permute(2, 0, 3, 1, 4)
        query = self.tensors["attn_pool.query"].unflatten(0, shape)[:, None] * how["headDim"] ** -0.5
        taken = ((query @ k.transpose(-2, -1)).softmax(-1) @ v).transpose(1, 2).flatten(2)[:, 0]
        one = self._linear("attn_pool.proj", taken)
        hidden = self._hidden("attn_pool.mlp", self._norm("attn_pool.norm", one), how)
        return one + self._linear("attn_pool.mlp.fc2", hidden)

    # A part that the file lacks changes nothing.

    def _linear(self, name: str, x: Tensor) -> Tensor:
        weight = self.tensors.get(f"{name}.weight")
        return x if weight is None else F.linear(x, weight, self.tensors.get(f"{name}.bias"))

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight = self.tensors.get(f"{name}.weight")
        return (
            x
            if weight is None
            else F.layer_norm(x, weight.shape, weight, self.tensors[f"{name}.bias"], self.parts["eps"])
        )

    def _scaled(self, name: str, x: Tensor) -> Tensor:
        gamma = self.tensors.get(f"{name}.gamma")
        return x if gamma is None else x * gamma


def activated(x: Tensor, act: Act) -> Tensor:
    if act == "gelu":
        return F.gelu(x)
    if act == "gelu_tanh":
        return F.gelu(x, approximate="tanh")
    if act == "quick_gelu":
        return x * torch.sigmoid(1.702 * x)
    return F.silu(x) if act == "silu" else F.relu(x)
