"""The page's address, and what it paints."""

from urllib.parse import parse_qs

import numpy as np

from support.viz import Viz


def hash_of(viz: Viz) -> dict[str, str]:
    """The address as it stands, once it is written."""
    viz.idle()
    return {key: values[0] for key, values in parse_qs(viz.page.evaluate("location.hash").lstrip("#")).items()}


def painted(viz: Viz) -> dict[str, np.ndarray]:
    """The pixels of the stage and of the small maps beside it, when they have come to rest."""
    viz.page.mouse.move(2, 2)
    viz.wait_for_rest()
    small = ["atlas"] if viz.choice("depth") == "wide" else ["layer-strip canvas", "head-strip canvas"]
    viz.idle()
    return {name: viz.pixels(name) for name in ("picture", *small)}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], about: str = "") -> None:
    assert one.keys() == other.keys(), about
    for name in one:
        assert one[name].shape == other[name].shape, f"{name} {one[name].shape} {other[name].shape} {about}"
        assert np.array_equal(one[name], other[name]), f"{name} {about}"
