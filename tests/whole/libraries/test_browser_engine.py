"""The browser's forward pass for each family of networks, and for a real one; and which round to eight bits."""

from pathlib import Path

import numpy as np
import pytest

import vizapp
from support.engine import (
    FULL,
    HALF,
    numbers_of_family,
    pixels_of,
    read_network,
    run_node,
    write,
    write_curve,
    write_numbers,
)
from support.families import FAMILIES, family
from support.networks import small_vit
from support.node import needs_node
from vizapp.browser.network import pack_network, parts_and_tensors
from vizapp.browser.quantised import quantised

FAMILY = 1e-4  # of the largest logit, and of any attention value; sharp maps of made-up weights are no easy case


@needs_node
def test_a_pass_of_each_family_gives_the_numbers_of_python(tmp_path: Path) -> None:
    """Real shapes, two layers: rotary positions, gated MLPs, relative position bias, attention pooling and the like."""
    for name in FAMILIES:
        model = family(name)
        (tmp_path / f"{name}.vzn").write_bytes(pack_network(model, half=False))
        write_numbers(tmp_path, name, numbers_of_family(model, pixels_of(model)), bound=FAMILY)
    run_node(tmp_path, "families.test.js")


@needs_node
@pytest.mark.parametrize("name", ["registers", "crate"])
def test_a_pass_of_each_bundled_network_gives_the_numbers_of_python(tmp_path: Path, name: str) -> None:
    model = vizapp.load(name, "cpu")
    write(tmp_path, "small-plain", small_vit(), half=False, bound=FULL)  # what the other tests of the file ask for
    write(tmp_path, f"{name}-half", model, half=True, bound=HALF)
    write(tmp_path, f"{name}-rounded", vizapp.quantised(model), half=True, bound=FULL)
    write(tmp_path, name, model, half=False, bound=FULL)
    write_curve(tmp_path)
    run_node(tmp_path)


@needs_node
def test_the_real_deit_gives_the_numbers_of_python(tmp_path: Path, deit_name: str) -> None:
    model = vizapp.load(deit_name, "cpu")
    write(tmp_path, "small-plain", small_vit(), half=False, bound=FULL)  # what the other tests of the file ask for
    write(tmp_path, "deit-half", model, half=True, bound=HALF)
    write(tmp_path, "deit", model, half=False, bound=FULL)
    write_curve(tmp_path)
    run_node(tmp_path)


@pytest.mark.parametrize("name", FAMILIES)
def test_python_has_the_weights_of_a_family(name: str) -> None:
    """Also where a file names them otherwise: rotary, relative positions, gated MLPs, pooling."""
    model = quantised(family(name))
    _, tensors = parts_and_tensors(model)
    found = read_network(pack_network(model))
    differ = [key for key, values in tensors.items() if not np.array_equal(found[key][1], values)]
    assert differ == []
    assert "i8" in {kind for kind, _ in found.values()}
