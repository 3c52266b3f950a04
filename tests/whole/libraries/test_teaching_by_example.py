"""A thing that was taught is a class for every method."""

from __future__ import annotations

import numpy as np
import pytest

import vizapp
from support.taught import NO_RULE, PICTURE
from vizapp.core.methods import methods

QUICK = {"rise": {"masks": 40}, "integrated_gradients": {"steps": 4}, "smooth_grad": {"samples": 2}}


@pytest.mark.parametrize("name", ["toy", "mean", "timm:swin_tiny_patch4_window7_224?pretrained=no"])
def test_a_thing_is_a_class_for_every_method(name: str) -> None:
    seen = vizapp.analyse(name, PICTURE)
    rows, cols = seen.trace.layouts(-1)[0].grid
    taught = vizapp.teach(seen, {"left": [(1, 0), (rows - 1, 0)], "right": [(1, cols - 1), (rows - 1, cols - 1)]})
    of_things = vizapp.analyse(taught.model, PICTURE)
    shares = {thing: float(one.mean()) for thing, one in taught.labels(seen).shares.items()}
    assert dict(of_things.top(2)) == pytest.approx(shares, abs=1e-4)
    assert vizapp.check(taught.model, PICTURE).holds
    wanted = [
        one
        for one, method in methods().items()
        if method.class_specific and one not in NO_RULE and (name == "toy" or one in ("chefer", "grad_cam"))
    ]
    for method in wanted:
        if method in {"cross_attention"}:
            continue  # of the plain network there is none, either
        left, right = (
            vizapp.explain(of_things, method, target=one, **QUICK.get(method, {})) for one in ("left", "right")
        )
        assert left.target == 0
        assert np.ptp(left.scores) > 0, method
        assert np.abs(left.scores - right.scores).max() > 0, method
    if name != "toy":
        return
    curve = vizapp.compare(of_things, ["grad_cam"], target="left", steps=2).curves["grad_cam"]
    assert curve.deletion[0] == pytest.approx(shares["left"], abs=1e-4)
