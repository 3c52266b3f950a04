"""The names of learned tokens that join or leave between layers."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.odd import WIDTH, Net, built, picture, seen
from vizapp.core.capture.check import check


class Joined(Net):
    """CLS from the start; three registers join before block 1, as `order` says: c CLS, r registers, p patches."""

    def __init__(self, order: str = "crp", leave: int = 99) -> None:
        super().__init__(3)
        self.order, self.leave, self.registers = order, leave, nn.Parameter(torch.randn(1, 3, WIDTH))

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


EXTRA = ("extra0", "extra1", "extra2", "extra3")


@pytest.mark.parametrize(
    ("order", "leave", "last", "readout"),
    [
        ("crp", 99, EXTRA, "extra0"),
        ("rcp", 99, EXTRA, "extra3"),
        ("pcr", 99, EXTRA, "extra0"),
        ("crp", 2, ("cls",), "cls"),
    ],
    ids=["CLS first", "registers first", "patches first", "leaving"],
)
def test_where_registers_join_later_each_layer_is_shown_and_no_chain_is_made(
    order: str, leave: int, last: tuple[str, ...], readout: str
) -> None:
    """No published network does so: which token goes on as which is not followed, and nothing that needs it is computed."""
    found = seen(built(Joined, order=order, leave=leave))
    trace = found.trace
    assert [layer.key_layout.prefix for layer in trace.layers] == [("cls",), EXTRA, last]
    assert trace.readout == readout
    assert check(found.context.model, picture()).holds
    assert "it is not known which of them are the same" in trace.no_chain
    with pytest.raises(vizapp.VizError, match="rollout means nothing here"):
        vizapp.explain(found, "rollout")


def test_names_that_its_owner_gives_come_first() -> None:
    names = ("cls", "reg0", "reg1", "reg2")
    model = vizapp.describe(built(Joined), preprocess=vizapp.Preprocess((32, 32)))
    found = vizapp.analyse(replace(model, prefix=names), picture())
    assert [layer.key_layout.prefix for layer in found.trace.layers] == [("cls",), names, names]
    assert found.trace.readout == "cls"
