"""A sample of bench/coverage.py, which runs over all of timm by hand: networks whose attentions differ most."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench import coverage
from bench.coverage import attention_modules, examine, read
from bench.coverage_table import OTHER, chained, exact, shown, table
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.capture.forward import CapturedCall, layer_of
from vizapp.core.capture.patches.axis_layout import AxisLayout

FAMILIES = """
    vit_small_patch14_reg4_dinov2 deit_tiny_distilled_patch16_224 vit_base_patch16_siglip_224 vit_relpos_small_patch16_224
    vit_small_patch16_18x2_224 vit_dlittle_patch16_reg1_gap_256 eva02_tiny_patch14_224 beit_base_patch16_224 cait_xxs24_224
    convit_tiny efficientformerv2_s0 halonet26t levit_128s mobilevit_xxs tnt_s_legacy_patch16_224
""".split()
UNCHAINED = set(  # negative weights, layers side by side, grids that do not fit
    "cait_xxs24_224 efficientformerv2_s0 levit_128s mobilevit_xxs tnt_s_legacy_patch16_224 vit_dlittle_patch16_reg1_gap_256 "
    "vit_small_patch16_18x2_224".split()
)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_exact(name: str) -> None:
    found = examine(name)
    assert exact(found), found.get("error") or (found["problems"], found["unclaimed"], found["kinds"])
    assert found["layers"] == found["kinds"]["tokens"]
    assert shown(found), found["skipped"]
    assert chained(found) == (name not in UNCHAINED), found["no_chain"]


@pytest.mark.parametrize(
    ("name", "part"),
    [("beit_base_patch16_224", "bias"), ("vit_tiny_patch16_224", "q")],
    ids=["bias forgotten", "queries of another token"],
)
def test_a_broken_capture_is_not_exact(monkeypatch: pytest.MonkeyPatch, name: str, part: str) -> None:
    def broken(one: CapturedCall, way: AxisLayout) -> LayerAttention:
        worse = {"bias": None, "q": one.q.roll(1, -2)}[part]
        return layer_of(replace(one, **{part: worse}), way)

    monkeypatch.setattr("vizapp.core.capture.check.layer_of", broken)
    found = examine(name)
    assert not exact(found)
    assert all("attention x values differs" in problem for problem in found["problems"])


def test_what_counts_is_read_from_the_source() -> None:
    import timm

    assert attention_modules(timm.create_model("test_vit")) == ["attention.Attention"]
    assert attention_modules(timm.create_model("test_resnet")) == []
    assert not examine("test_resnet")["counts"]
    assert set(attention_modules(timm.create_model("mobilevitv2_050"))) <= set(OTHER)


GOOD = {"name": "a", "modules": ["x.A"], "counts": True, "problems": [], "unclaimed": [], "worst": 1e-7, "skipped": {}}
GOOD |= {"kinds": {"tokens": 2}, "layers": 2, "windows": 0, "no_chain": "", "off_by": 0.1}


def test_the_table_names_what_is_missing() -> None:
    """Exact, shown and chained are three things; each has its own number, and whatever lacks one is named with the reason."""
    unclaimed = GOOD | {"name": "b", "unclaimed": ["blocks.0.gate"]}
    broken = {"name": "c", "modules": ["x.A"], "counts": True, "error": "Traceback\nValueError: on purpose"}
    aside = GOOD | {"name": "d", "kinds": {"tokens": 1, "scattered": 1}, "layers": 1, "no_chain": "it attends, too"}
    aside |= {"skipped": {"blocks.1": "its tokens stand on no grid"}}
    no_chain = GOOD | {"name": "e", "no_chain": "negative weights"}
    page = table([GOOD, unclaimed, broken, aside, no_chain], ["a", "b", "c", "d", "e", "f"])
    assert "**3 of 5 are exact, in 2 every layer is shown, 1 can be rolled out.**" in page
    assert "| x.A | 5 | 3 | 2 | 1 |" in page
    assert "1 of 6 were not looked at yet, from `f` on" in page
    wrong, not_shown, not_chained = page.partition("## Not exact")[2].split("## ")[:3]
    assert [line for line in wrong.splitlines() if line.startswith("- ")] == [
        "- `b`: softmaxes that belong to no call: blocks.0.gate",
        "- `c`: ValueError: on purpose",
    ]
    assert "- `d`: 1 of 2 are not: blocks.1, since its tokens stand on no grid" in not_shown
    assert "- `e`: negative weights" in not_chained
    assert "`e`" not in not_shown
    assert "`a`" not in page


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, page = tmp_path / "few.jsonl", tmp_path / "few.md"
    results.write_text(json.dumps(GOOD | {"name": "test_vit"}) + '\n{"name": "test_vit2", "cut sh')
    words = ["coverage", "test_vit", "test_vit2", "--results", str(results), "--table", str(page), "--processes", "1"]
    monkeypatch.setattr(sys, "argv", words)
    coverage.main()
    assert read(results)["test_vit"]["modules"] == ["x.A"], "it was done, so it was not done again"
    assert exact(read(results)["test_vit2"])
    assert "Of 2 architectures 2 have attention" in page.read_text("utf-8")
    [made] = coverage.runs(results)
    assert f"{made['date']}, {made['machine']}, 1 processes: 1 min." in page.read_text("utf-8")
