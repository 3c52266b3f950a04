"""Networks of families that round to eight bits."""

import numpy as np
import pytest

from support.engine import read_network
from support.families import FAMILIES, family
from vizapp.browser.network import pack_network, parts_and_tensors
from vizapp.browser.quantised import quantised


@pytest.mark.parametrize("name", FAMILIES)
def test_python_has_the_weights_of_a_family(name: str) -> None:
    """Also where a file names them otherwise: rotary, relative positions, gated MLPs, pooling."""
    model = quantised(family(name))
    _, tensors = parts_and_tensors(model)
    found = read_network(pack_network(model))
    differ = [key for key, values in tensors.items() if not np.array_equal(found[key][1], values)]
    assert differ == []
    assert "i8" in {kind for kind, _ in found.values()}
