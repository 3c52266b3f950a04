"""Learned tokens that join or leave between layers keep their names: CLS is CLS, whoever stands beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.odd import WIDTH, Net, built, picture, seen
from vizapp.core.capture.check import check


class Joined(Net):
    """CLS from the start; three registers join before block 1, as `order` says: c CLS, r registers, p patches."""

    order, leave = "crp", 99

    def __init__(self) -> None:
        super().__init__(3)
        self.registers = nn.Parameter(torch.randn(1, 3, WIDTH))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2) + self.pos
        parts = {"c": self.cls.expand(len(x), -1, -1), "r": self.registers.expand(len(x), -1, -1), "p": x}
        x = self.blocks[0](torch.cat([parts["c"], x], 1))
        parts |= {"c": x[:, :1], "p": x[:, 1:]}
        x = torch.cat([parts[one] for one in self.order], 1)
        for index, block in enumerate(self.blocks[1:], 1):
            if index == self.leave:
                x = torch.cat([x[:, :1], x[:, 4:]], 1)
            x = block(x)
        return self.head(self.norm(x)[:, {"c": 0, "r": 3, "p": 16}[self.order[0]]])


class RegistersFirst(Joined):
    order = "rcp"


class PatchesFirst(Joined):
    order = "pcr"


class Leaving(Joined):
    leave = 2


JOINED = ("cls", "extra0", "extra1", "extra2")
FOUND = {
    Joined: [("cls",), JOINED, JOINED],
    RegistersFirst: [("cls",), (*JOINED[1:], "cls"), (*JOINED[1:], "cls")],
    PatchesFirst: [("cls",), JOINED, JOINED],
    Leaving: [("cls",), JOINED, ("cls",)],
}


@pytest.mark.parametrize("kind", FOUND)
def test_cls_keeps_its_name_among_registers_that_join_later(kind: type[Joined]) -> None:
    net = built(kind)
    found = seen(net)
    trace = found.trace
    assert [layer.key_layout.prefix for layer in trace.layers] == FOUND[kind]
    assert (trace.readout, trace.no_chain) == ("cls", "")
    assert check(found.context.model, picture()).holds
    # Rollout by hand, of all tokens in the network's own order; what has not joined yet, or has left, keeps its share.
    net(picture())
    order = [token for one in kind.order for token in {"c": [0], "p": range(1, 17), "r": [17, 18, 19]}[one]]
    few, r = list(range(17)), torch.eye(20)
    for index, tokens in enumerate([few, order, few if kind is Leaving else order]):
        step = torch.eye(20)
        map_ = net.blocks[index].attn.kept[0][0].mean(0)
        both = map_ + torch.eye(len(map_))
        for row, token in enumerate(tokens):
            step[token, tokens] = (both / both.sum(1, keepdim=True))[row]
        r = step @ r
    rolled = vizapp.explain(found, "rollout").scores.ravel()
    np.testing.assert_allclose(rolled, r[0, 1:17].numpy(), rtol=1e-4)


def test_names_that_its_owner_gives_come_first() -> None:
    names = ("cls", "reg0", "reg1", "reg2")
    model = vizapp.describe(built(Joined), preprocess=vizapp.Preprocess((32, 32)))
    found = vizapp.analyse(replace(model, prefix=names), picture())
    assert [layer.key_layout.prefix for layer in found.trace.layers] == [("cls",), names, names]
    assert found.trace.readout == "cls"
