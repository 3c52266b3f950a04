"""A thing that was taught is a class for every method."""

import numpy as np
import pytest
import timm

import vizapp
from support.networks import sharpen, small_vit
from support.pictures import NOISE
from support.taught import MARKS, NO_RULE, cover
from vizapp.core.methods import methods
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import HELD_OUT
from vizapp.model.toy.scenes import render
from vizapp.model.zoo import timm_models

QUICK = {"rise": {"masks": 40}, "integrated_gradients": {"steps": 4}, "smooth_grad": {"samples": 2}}


def swin() -> VisionModel:
    options = {"img_size": 56, "depths": (1, 2), "num_heads": (2, 4), "embed_dim": 16, "num_classes": 5}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))
    return timm_models.describe(net, name="swin", labels=tuple("abcde"))


@pytest.mark.parametrize("name", ["registers", "Swin"])
def test_a_thing_is_a_class_for_every_method(name: str) -> None:
    seen = vizapp.analyse(small_vit(reg_tokens=2) if name == "registers" else swin(), NOISE)
    rows, cols = seen.trace.layouts(-1)[0].grid
    taught = vizapp.teach(seen, {"left": [(1, 0), (rows - 1, 0)], "right": [(1, cols - 1), (rows - 1, cols - 1)]})
    of_things = vizapp.analyse(taught.model, NOISE)
    shares = {thing: float(one.mean()) for thing, one in taught.labels(seen).shares.items()}
    assert dict(of_things.top(2)) == pytest.approx(shares, abs=1e-4)
    assert vizapp.check(taught.model, NOISE).holds
    wanted = [
        one
        for one, method in methods().items()
        if method.class_specific and one not in NO_RULE and (name == "registers" or one in ("chefer", "grad_cam"))
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
    if name == "Swin":
        return
    curve = vizapp.compare(of_things, ["grad_cam"], target="left", steps=2).curves["grad_cam"]
    assert curve.deletion[0] == pytest.approx(shares["left"], abs=1e-4)


SCENES = 10


@pytest.mark.parametrize(("name", "least"), [("mean", 0.97), ("registers", 0.97)])
def test_one_patch_of_each_of_two_things_tells_their_others_apart(name: str, least: float) -> None:
    """Held-out scenes with two things. Marked: of each the patch that it covers most. Counted: all others that one covers by
    half or more. Measured over 60 scenes: toy 99.7 %, mean 99.1 %, registers 99.8 %; by chance it is 50 %. (crate: 70 %.)
    """
    right = total = 0
    for seed in range(SCENES):
        scene = render(HELD_OUT + 50_000 + seed, objects=2)
        seen = vizapp.analyse(name, scene.picture)
        grid = seen.trace.layout.grid
        covers = {one.name: cover(one.mask, grid) for one in scene.objects}
        best = {thing: np.unravel_index(one.argmax(), grid) for thing, one in covers.items()}
        labels = vizapp.teach(seen, {thing: [at] for thing, at in best.items()}).labels(seen)
        for number, (thing, one) in enumerate(covers.items()):
            counted = one >= 0.5
            counted[best[thing]] = False
            right += int((labels.nearest[counted] == number).sum())
            total += int(counted.sum())
    assert total > 50
    assert right / total >= least


def test_what_is_left_of_a_map_while_the_network_forgets() -> None:
    """Only the norm is learned after the last block; what is taught stays, as it is no part of the network."""
    taught = vizapp.teach(vizapp.analyse("toy", NOISE), MARKS)
    found = vizapp.sanity(vizapp.analyse(taught.model, NOISE), ["chefer"], target="thing")
    left = found.correlation["chefer"]
    assert len(left) == len(found.stages)
    assert np.isfinite(left).all()
    assert abs(left[-1]) < 0.9
