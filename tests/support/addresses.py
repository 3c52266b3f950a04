"""The page's address, and what it paints."""

from __future__ import annotations

from urllib.parse import parse_qs

import numpy as np

from support.viz import Viz
from support.waiting import until

SAME = 0.3  # seconds in which a painted canvas does not change any more


def hash_of(viz: Viz) -> dict[str, str]:
    """The address as it stands, once it is written."""
    viz.page.wait_for_timeout(450)
    return {key: values[0] for key, values in parse_qs(viz.page.evaluate("location.hash").lstrip("#")).items()}


def painted(viz: Viz) -> dict[str, np.ndarray]:
    """The pixels of the stage and of the small maps beside it, when they have come to rest."""
    viz.page.mouse.move(2, 2)
    viz.wait_for_rest()
    small = ["atlas"] if viz.choice("depth") == "wide" else ["layer-strip canvas", "head-strip canvas"]
    last: dict[str, np.ndarray] = {}

    def rests() -> bool:
        before = dict(last)
        last.update({name: viz.pixels(name) for name in ("picture", *small)})
        return bool(before) and all(np.array_equal(last[name], before[name]) for name in last)

    until(rests, lambda: "it never comes to rest", lambda: viz.page.wait_for_timeout(1000 * SAME))
    return last


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], about: str = "") -> None:
    assert one.keys() == other.keys(), about
    for name in one:
        assert one[name].shape == other[name].shape, f"{name} {one[name].shape} {other[name].shape} {about}"
        assert np.array_equal(one[name], other[name]), f"{name} {about}"
