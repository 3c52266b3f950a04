"""A compiled network shows what it did before."""

import numpy as np
import pytest
import torch

import vizapp
from support.networks import small_vit


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["torch.compile(net)", "net.compile()", "its blocks", "its blocks, in place"])
def test_a_compiled_network_shows_what_it_did_before(picture: np.ndarray, way: str) -> None:
    compiled: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: object) -> object:
        compiled.append("a graph")
        return graph.forward

    given = net = small_vit().net
    before = vizapp.analyse(net, picture)
    if way == "torch.compile(net)":
        given = torch.compile(net, backend=backend)
    elif way == "net.compile()":
        net.compile(backend=backend)
    else:
        for index, block in enumerate(net.blocks):
            if way == "its blocks":
                net.blocks[index] = torch.compile(block, backend=backend)
            else:
                block.compile(backend=backend)
    seen = vizapp.analyse(given, picture)
    assert [layer.name for layer in seen.trace.layers] == [layer.name for layer in before.trace.layers]
    for one, other in zip(seen.trace.layers, before.trace.layers, strict=True):
        torch.testing.assert_close(one.map(), other.map(), rtol=0, atol=0)
    assert seen.model_name == "ViT"
    assert vizapp.check(given).holds
    assert compiled == []
    with torch.no_grad():
        given(torch.randn(1, 3, 32, 32))
    assert compiled != [], "it is still what its owner made of it"
