"""One method on many pictures: the maps of one by one, by one backward pass for a batch where gradients are asked for."""

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.networks import HeadsFirst, sharpen, small_vit
from support.spellings import COLS, ROWS
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.model.vit import ViT

PIXELS = torch.randn(6, 3, 64, 64, generator=torch.Generator().manual_seed(0))
TOGETHER = ("chefer", "gradient_attention", "gradient_rollout")


def vit() -> torch.nn.Module:
    torch.manual_seed(0)
    return sharpen(
        timm.create_model("vit_tiny_patch16_224", img_size=64, embed_dim=32, depth=2, num_heads=2, num_classes=5)
    )


def swin() -> torch.nn.Module:
    torch.manual_seed(0)
    options = dict(img_size=64, window_size=4, embed_dim=24, depths=(2, 2), num_heads=(2, 2), num_classes=5)
    return sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))


def seen_by(net: torch.nn.Module, **options: object) -> list[Analysis]:
    return list(vizapp.analyse_many(net, PIXELS, labels=tuple("abcde"), **options))


def backward_passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    passes: list[int] = []
    real = torch.autograd.grad

    def counted(*args: object, **options: object) -> object:
        passes.append(1)
        return real(*args, **options)

    monkeypatch.setattr(torch.autograd, "grad", counted)
    return passes


@pytest.mark.parametrize("make", [vit, swin])
@pytest.mark.parametrize("name", TOGETHER)
def test_maps_are_those_of_one_by_one(make, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = make().double()  # so that the order of sums in a batch is far below what is asked
    try:
        alone = [vizapp.explain(seen, name, target="c").scores for seen in seen_by(net)]
    except VizError as refused:
        with pytest.raises(VizError, match=str(refused)[:30]):
            list(vizapp.explain_many(seen_by(net), name, target="c"))
        return
    several = seen_by(net)
    passes = backward_passes(monkeypatch)
    many = list(vizapp.explain_many(several, name, target="c", batch=5))
    assert len(passes) == 2, (
        "one for the first picture, which tells what the method asks for, and one for the other five"
    )
    for found, expected in zip(many, alone, strict=True):
        assert found.target == 2
        np.testing.assert_allclose(found.scores, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert np.abs(many[0].scores - many[1].scores).max() > 1e-3 * np.abs(alone[0]).max()


def test_each_picture_may_have_a_target_of_its_own() -> None:
    several = seen_by(vit())
    targets = ["a", 1, None, lambda output: output[0, 3] - output[0, 4], "e", 0]
    for seen, found, target in zip(
        several, vizapp.explain_many(several, "chefer", target=targets), targets, strict=True
    ):
        expected = vizapp.explain(vizapp.analyse(seen.context.model, seen.context.pixels), "chefer", target=target)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-3, atol=1e-5 * np.abs(expected.scores).max())
        assert found.target == expected.target
    with pytest.raises(VizError, match="There are 2 targets, and more pictures"):
        list(vizapp.explain_many(several, "chefer", target=["a", "b"]))


@pytest.mark.parametrize("make", [vit, swin])
@pytest.mark.parametrize("name", ["grad_cam", "grad_cam_plus_plus"])
def test_features_of_a_batch_are_those_of_one_by_one(make, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = make().double()
    alone = [vizapp.explain(seen, name, target="c", layer=1).scores for seen in seen_by(net)]
    several = seen_by(net)
    passes = backward_passes(monkeypatch)
    for found, expected in zip(vizapp.explain_many(several, name, target="c", layer=1), alone, strict=True):
        np.testing.assert_allclose(found.scores, expected, rtol=0, atol=1e-9 * max(np.abs(expected).max(), 1e-6))
    assert len(passes) == 1
    other = list(vizapp.explain_many(several, name, target="c", layer=0))
    np.testing.assert_allclose(
        other[1].scores, vizapp.explain(seen_by(net)[1], name, target="c", layer=0).scores, rtol=0, atol=1e-9
    )
    with pytest.raises(VizError, match="There is no layer 9"):
        list(vizapp.explain_many(seen_by(net), name, layer=9))


@pytest.mark.parametrize("name", ["rollout", "legrad", "attn_lrp", "centre"])
def test_all_other_methods_go_one_by_one(name: str) -> None:
    several = seen_by(vit())
    for seen, found in zip(several, vizapp.explain_many(several, name), strict=True):
        np.testing.assert_array_equal(found.scores, vizapp.explain(seen, name).scores)


@pytest.mark.parametrize("name", ["attention", "chefer"])  # one by one, and by one backward pass for all
def test_all_are_asked_of_one_query(name: str) -> None:
    several = seen_by(vit())
    found = list(vizapp.explain_many(several, name, query="1,2"))
    for seen, one in zip(several, found, strict=True):
        expected = vizapp.explain(seen, name, query="1,2").scores
        np.testing.assert_allclose(one.scores, expected, rtol=1e-3, atol=1e-5 * np.abs(expected).max())
    assert not np.allclose(found[0].scores, vizapp.explain(several[0], name).scores, rtol=1e-2)


def test_edited_networks_go_together_and_stay_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    net = vit().double()
    edited = seen_by(net, edits="head-off:1.0")
    alone = [vizapp.explain(seen, "chefer", target=1).scores for seen in seen_by(net, edits="head-off:1.0")]
    passes = backward_passes(monkeypatch)
    many = list(vizapp.explain_many(edited, "chefer", target=1))
    assert len(passes) == 2
    plain = vizapp.explain(seen_by(net)[1], "chefer", target=1).scores
    for found, expected in zip(many, alone, strict=True):
        np.testing.assert_allclose(found.scores, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert np.abs(many[1].scores - plain).max() > 1e-6


def test_networks_and_sizes_may_alternate() -> None:
    torch.manual_seed(0)
    one, other = small_vit(), ViT(img_size=64, patch_size=8, embed_dim=32, depth=2, num_heads=2, num_classes=5).eval()
    small = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(3))
    mixed = [*vizapp.analyse_many(one, small), *vizapp.analyse_many(other, PIXELS[:2], labels=tuple("abcde"))]
    mixed = [mixed[0], mixed[2], mixed[3], mixed[1]]
    assert [found.scores.shape for found in vizapp.explain_many(mixed, "chefer")] == [(4, 4), (8, 8), (8, 8), (4, 4)]


def test_heads_before_pictures_are_not_taken_together() -> None:
    """(head * picture, token, e): which head is whose cannot be told, so each picture has a pass of its own."""
    net, pixels = HeadsFirst().eval(), torch.randn(6, 3, 4 * ROWS, 4 * COLS)
    alone, several = (list(vizapp.analyse_many(net, pixels, labels=tuple("abc"))) for _ in range(2))
    alone = [vizapp.explain(seen, "chefer", target=0).scores for seen in alone]
    for found, expected in zip(vizapp.explain_many(several, "chefer", target=0), alone, strict=True):
        np.testing.assert_allclose(found.scores, expected, rtol=1e-4, atol=1e-7)


def test_a_batch_holds_something() -> None:
    with pytest.raises(VizError, match="at least one picture"):
        list(vizapp.explain_many([], batch=0))
