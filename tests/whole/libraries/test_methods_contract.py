"""What every method owes on every network: a map or a reason, nothing left behind, and the class where it says so."""

import sys
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch

import vizapp
from support.networks import described_timm, hooks_of, timm_model
from support.together import together
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.core.methods import method_named, methods
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS

pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
pytest.importorskip("scipy", reason="scipy is an extra: pip install vizapp[methods]")

QUICK = {"rise": {"masks": 16}, "smooth_grad": {"samples": 4}, "integrated_gradients": {"steps": 4}}


SWIN = "swin_tiny_patch4_window7_224"
MODELS: dict[str, Callable[[], VisionModel]] = {
    "the bundled ViT": lambda: vizapp.load("toy"),
    "CRATE": lambda: vizapp.load("crate"),
    "timm DINOv2 with registers": lambda: timm_model("vit_small_patch14_reg4_dinov2", num_classes=5),
    "timm SigLIP, attention pooling": lambda: timm_model("vit_base_patch16_siglip_224", num_classes=5),
    "timm Swin": lambda: described_timm(SWIN, img_size=56, depths=(1, 2), num_heads=(2, 4)),
}
PLAIN = {"cross_attention"}  # what a ViT without any lacks: cross attention
REFUSED = {  # network -> the methods that it refuses; each other gives a map
    "the bundled ViT": PLAIN,
    "CRATE": PLAIN | {"transformer_attribution", "partial_lrp"},
    "timm DINOv2 with registers": PLAIN,
    "timm SigLIP, attention pooling": set(),
    "timm Swin": PLAIN | {"alti", "attention_flow", "daam", "legrad", "value_attention", "value_rollout"},
}
TRAINED = {"the bundled ViT", "CRATE"}
# Nothing in them is of one kind of network: of CRATE, whose grid is large, they are not asked.
SLOW = {"occlusion", "attention_flow"}


@cache
def seen_by(name: str) -> Analysis:
    torch.manual_seed(0)
    return vizapp.analyse(MODELS[name](), LESSONS["two"].example(3, 112).picture)


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in MODELS for method in methods() if name != "CRATE" or method not in SLOW],
)
def test_a_map_or_a_reason(name: str, method: str) -> None:
    seen = seen_by(name)
    net, one = seen.context.model.net, method_named(method)
    settings, first, second = QUICK.get(method, {}), *(seen.trace.logits.topk(2).indices.tolist())
    refusal = one.refusal(seen.of_class())
    assert bool(refusal) == (method in REFUSED[name]), refusal
    if refusal:
        with pytest.raises(VizError) as said:
            vizapp.explain(seen, method)
        assert str(said.value) == str(refusal)
        return
    targets = [first, second] if one.class_specific else [None]
    maps = [vizapp.explain(seen, method, target=target, **settings) for target in targets]
    for found, target in zip(maps, targets, strict=True):
        assert found.scores.shape == seen.trace.layout.grid or name == "timm Swin"
        assert np.isfinite(found.scores).all()
        assert found.target == target
        if name in TRAINED:
            assert found.scores.any()  # with random weights Grad-CAM can have nothing above zero
        if not one.signed:
            assert found.scores.min() >= 0
    if one.class_specific and (name in TRAINED or maps[0].scores.any()):
        assert not np.array_equal(maps[0].scores, maps[1].scores), "it depends on the class"
    assert hooks_of(net) == 0
    assert all(parameter.grad is None for parameter in net.parameters())
    again = net(seen.context.pixels.to(seen.context.model.device))
    torch.testing.assert_close(again[0].detach().float(), seen.trace.logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", methods())
def test_without_a_classifier(method: str) -> None:
    model = timm_model("vit_small_patch14_reg4_dinov2")
    seen = vizapp.analyse(model, LESSONS["one"].example(0, 112).picture)
    if method_named(method).class_specific:
        assert vizapp.explain(seen, method).target == seen.trace.largest
    elif method != "cross_attention":  # of which this network has none
        assert np.isfinite(vizapp.explain(seen, method).scores).all()


def test_what_a_network_cannot_give_is_said_before_it_is_asked_for() -> None:
    """Planted: windows have no one grid, and a gate has no rule; attention alone is enough for both networks."""
    reasons = {
        ("timm Swin", "alti"): "grids of their own",
        ("CRATE", "partial_lrp"): "no relevance rule",
        ("timm DINOv2 with registers", "alti"): None,
        ("timm Swin", "attention"): None,
    }
    for (name, method), reason in reasons.items():
        refusal = method_named(method).refusal(seen_by(name).of_class())
        assert refusal is None if reason is None else reason in str(refusal)
    assert "a trace holds none" in str(method_named("chefer").refusal(seen_by("the bundled ViT").trace))


def test_a_package_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where captum was never installed: by name, with what to do, before any pass."""
    seen = seen_by("the bundled ViT")
    monkeypatch.setitem(sys.modules, "captum", None)
    with pytest.raises(VizError, match=r"captum, which is not installed\. pip install captum"):
        vizapp.explain(seen, "occlusion")
    assert "captum" in vizapp.compare(seen, ["occlusion"], steps=0).skipped["occlusion"]
    assert method_named("rise").refusal(seen.of_class()) is None


@together("method", methods())
def test_what_a_method_says_of_itself(method: str) -> None:
    one = method_named(method)
    assert one.title
    assert one.sentence.endswith(".")
    assert one.paper
    assert one.function.__doc__
    assert one.function.__doc__.startswith("(")  # the shape first
    for name, setting in one.settings.items():
        assert name in one.function.__doc__, f"{name} is not explained"
        assert setting.title != name, f"{name} has no words for the page"
        assert setting.about.endswith(".")
        assert setting.counted == (name in {"layer", "head", "start_layer", "block", "query_index"})
    assert one.unit({name: parameter.default for name, parameter in one.parameters.items()})
    if one.class_specific:
        assert one.needs_network
    if one.cost == "slow" or one.baseline:
        assert not one.chosen, "the page opens with what is done in seconds"


@together(
    ("method", "setting"),
    [
        *(
            (name, {"start_layer": value})
            for name in ("legrad", "attention_flow", "chefer", "alti")
            for value in (-1, 9)
        ),
        *(("rise", setting) for setting in ({"masks": 0}, {"cells": 0}, {"keep": 0.0})),
        ("integrated_gradients", {"steps": 0}),
        ("smooth_grad", {"samples": 0}),
        ("attn_lrp", {"linear_gamma": -0.1}),
        ("value_rollout", {"skip_weight": 1.5}),
        ("attention_flow", {"skip_weight": -1.0}),
    ],
)
def test_settings_out_of_range_are_said(method: str, setting: dict) -> None:
    with pytest.raises(VizError, match="is not possible"):
        vizapp.explain(seen_by("the bundled ViT"), method, **setting)


def test_targets_are_named_in_words() -> None:
    seen = seen_by("the bundled ViT")
    by_name, by_number = (vizapp.explain(seen, "chefer", target=target) for target in ("cup", seen.labels.index("cup")))
    np.testing.assert_array_equal(by_name.scores, by_number.scores)
    assert vizapp.explain(seen, "chefer").target == int(seen.trace.logits.argmax())
    with pytest.raises(VizError, match="not a class"):
        vizapp.explain(seen, "chefer", target="zebra")
    with pytest.raises(VizError, match="the same for every class"):
        vizapp.explain(seen, "rollout", target="cup")
    with pytest.raises(VizError, match="the same for all queries"):
        vizapp.explain(seen, "grad_cam", query="0,0")
