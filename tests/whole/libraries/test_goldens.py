"""Maps of the first storey, committed: every method that is there today goes on giving the same numbers.

Made by `_write` below at the last commit of the first storey, in float64, so that a processor's rounding is far
below what is asked. `python -m bench.equal BEFORE` compares everything else, bit by bit, on one machine.
"""

from pathlib import Path

import numpy as np
import pytest

from bench.equal import MENDED, maps, networks
from vizapp.core.methods import methods

FILE = Path(__file__).parent / "goldens" / "maps.npz"
NETWORKS = ("registers", "swin", "pvt")
MANY_PASSES = {"integrated_gradients", "occlusion", "rise", "smooth_grad"}  # tests/unit/core/methods has their formulas
TOLERANCE = 1e-6  # of the largest value of a map


@pytest.mark.parametrize("name", NETWORKS)
def test_maps_are_what_they_were(name: str) -> None:
    with np.load(FILE) as loaded:
        golden = {key.partition("/")[2]: loaded[key] for key in loaded.files if key.startswith(f"{name}/")}
    names = {key.removesuffix(" on prefix").removesuffix(" refuses") for key in golden}
    _, found = maps(networks(double=True)[name](), names)
    assert len(found) >= 20, "there is something to compare"
    for key, expected in golden.items():
        if f"{name}/{key.partition(' ')[0]}" in MENDED:
            continue
        if expected.dtype.kind == "U":
            assert key in found, f"{key}: it gave a map"
            continue
        largest = np.abs(expected).max() if expected.size else 1.0
        np.testing.assert_allclose(found[key], expected, rtol=0, atol=TOLERANCE * largest, err_msg=key)


def _write() -> None:
    FILE.parent.mkdir(exist_ok=True)
    names = methods().keys() - MANY_PASSES
    made = {name: maps(make(), names)[1] for name, make in networks(double=True).items() if name in NETWORKS}
    np.savez_compressed(FILE, **{f"{name}/{key}": one for name, found in made.items() for key, one in found.items()})


if __name__ == "__main__":
    _write()
