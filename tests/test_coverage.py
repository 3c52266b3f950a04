"""A sample of bench/coverage.py, which runs over all of timm by hand: a small network of each family of attention."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.coverage import OTHER, attention_modules, examine, holds, table
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.capture.arrange import AxisLayout
from vizapp.core.capture.forward import CapturedCall, layer_of

FAMILIES = """
    vit_tiny_patch16_224 deit_tiny_distilled_patch16_224 deit3_small_patch16_224 vit_small_patch14_reg4_dinov2
    vit_base_patch16_siglip_224 vit_relpos_small_patch16_224 vit_small_patch16_18x2_224 vit_dlittle_patch16_reg1_gap_256
    eva02_tiny_patch14_224 beit_base_patch16_224 cait_xxs24_224 convit_tiny crossvit_tiny_240 davit_tiny
    efficientformer_l1 efficientformerv2_s0 efficientvit_m0 gcvit_xxtiny halonet26t botnet26t_256 hiera_tiny_224 levit_128s
    levit_conv_128s coatnet_nano_rw_224 maxvit_nano_rw_256 caformer_s18 mobilevit_xxs mobilenetv4_hybrid_medium mvitv2_tiny
    nest_tiny nextvit_small pit_ti_224 pvt_v2_b0 shvit_s1 swin_tiny_patch4_window7_224 swinv2_tiny_window8_256
    swinv2_cr_tiny_224 tiny_vit_5m_224 tnt_s_legacy_patch16_224 twins_pcpvt_small twins_svt_small visformer_tiny volo_d1_224
    vit_tiny_r_s16_p8_224
""".split()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_exact(name: str) -> None:
    found = examine(name)
    assert holds(found), found.get("error") or (found["problems"], found["seen"], found["softmaxes"], found["kinds"])
    assert found["layers"] == found["kinds"]["tokens"]


@pytest.mark.parametrize(
    ("name", "part"),
    [("beit_base_patch16_224", "bias"), ("vit_tiny_patch16_224", "k"), ("vit_tiny_patch16_224", "q")],
    ids=["bias forgotten", "heads of the keys in another order", "queries of another token"],
)
def test_a_broken_capture_is_not_exact(monkeypatch: pytest.MonkeyPatch, name: str, part: str) -> None:
    def broken(one: CapturedCall, way: AxisLayout) -> LayerAttention:
        worse = {"bias": None, "k": one.k.flip(-3), "q": one.q.roll(1, -2)}[part]
        return layer_of(replace(one, **{part: worse}), way)

    monkeypatch.setattr("vizapp.core.capture.check.layer_of", broken)
    found = examine(name)
    assert not holds(found)
    assert all("attention x values differs" in problem for problem in found["problems"])


def test_what_counts_is_read_from_the_source() -> None:
    import timm

    assert attention_modules(timm.create_model("test_vit")) == ["attention.Attention"]
    assert attention_modules(timm.create_model("test_resnet")) == []
    assert not examine("test_resnet")["counts"]
    assert set(attention_modules(timm.create_model("mobilevitv2_050"))) <= set(OTHER)


def test_the_table_names_what_is_not_exact() -> None:
    good = {"name": "a", "modules": ["x.A"], "counts": True, "problems": [], "seen": 2, "softmaxes": 2, "worst": 1e-7}
    good |= {"kinds": {"tokens": 2}, "windows": 0, "no_chain": "", "off_by": 0.1}
    bad = good | {"name": "b", "seen": 1}
    broken = {"name": "c", "modules": ["x.A"], "counts": True, "error": "Traceback\nValueError: on purpose"}
    page = table([good, bad, broken])
    assert "**1 of 3 are exact.**" in page
    assert "`b`: 1 of 2 softmaxes belong to a call" in page
    assert "`c`: ValueError: on purpose" in page
