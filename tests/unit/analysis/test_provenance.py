"""Where a number comes from stands in every file that is written."""

import copy
import hashlib
import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone, tzinfo
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support.networks import small_vit
from vizapp.analysis import Analysis, provenance
from vizapp.data.evaluation import run
from vizapp.data.heads import measure


@pytest.fixture(scope="module")
def seen() -> Analysis:
    picture = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    return vizapp.analyse(small_vit(), picture, edits="head-off:1.2")


def by_hand(net: torch.nn.Module) -> str:
    """Names in their order, types, shapes, and the bytes as numpy has them."""
    digest = hashlib.sha256()
    for name, one in sorted(net.state_dict().items()):
        digest.update(f"{name} {one.dtype} {tuple(one.shape)}\n".encode() + one.numpy().tobytes())
    return digest.hexdigest()


def of_pdf(file: Path) -> str:
    (found,) = re.findall(rb"/Keywords \((.*?)(?<!\\)\)", file.read_bytes(), re.DOTALL)
    return re.sub(rb"\\(.)", rb"\1", found.replace(b"\\\n", b"")).decode()


def of_svg(file: Path) -> str:
    (found,) = re.findall("<dc:description>(.*?)</dc:description>", file.read_text(), re.DOTALL)
    return html.unescape(found)


def of_eps(file: Path) -> str:
    (found,) = re.findall(r"^%%Creator: vizapp \S+ (.*)$", file.read_text("latin-1"), re.MULTILINE)
    return found


def of_tif(file: Path) -> str:
    with Image.open(file) as picture:
        return picture.tag_v2[270]


def of_png(file: Path) -> str:
    with Image.open(file) as picture:
        return picture.text["Comment"]


READ: dict[str, Callable[[Path], str]] = {
    ".png": of_png,
    ".svg": of_svg,
    ".pdf": of_pdf,
    ".eps": of_eps,
    ".tif": of_tif,
    ".npz": lambda file: json.dumps(json.loads(str(np.load(file)["about"]))["provenance"]),
}


class Afternoon(datetime):
    """A clock that stands, in Karachi."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        there = datetime(2026, 1, 2, 13, 0, 5, 999, tzinfo=timezone(timedelta(hours=5)))
        return there.astimezone(tz) if tz else there.replace(tzinfo=None)


@pytest.mark.parametrize("suffix", READ)
def test_a_map_says_where_it_comes_from(
    seen: Analysis, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr("vizapp.analysis.provenance.datetime", Afternoon)
    relevance = vizapp.explain(seen, "random", seed=7)
    vizapp.save(seen, relevance, tmp_path / f"map{suffix}")
    about = json.loads(READ[suffix](tmp_path / f"map{suffix}"))
    expected = {
        "vizapp": vizapp.__version__,
        "torch": version("torch"),
        "timm": version("timm"),
        "model": "small",
        "weights_sha256": by_hand(seen.context.model.net),
        "preprocess": str(small_vit().preprocess),
        "method": "random",
        "settings": relevance.settings,
        "seed": 7,
        "edits": ["head-off:1.2"],
        "fit": "crop",
    }
    assert {name: about[name] for name in expected} == expected
    assert about["date"] == "2026-01-02T08:00:05+00:00", "in UTC, wherever somebody is"


def test_tables_have_it_inside_or_beside(seen: Analysis, tmp_path: Path) -> None:
    """.json inside, .csv beside it: comparisons, evaluations, and numbers of heads."""
    own = provenance.weights_sha256(seen.context.model.net)
    vizapp.compare(seen, ["rollout"], steps=0).save(tmp_path / "compared.csv")
    vizapp.compare(seen, ["rollout"], steps=0).save(tmp_path / "compared.json")
    for name in ("compared.csv.json", "compared.json"):
        about = json.loads((tmp_path / name).read_text())
        assert about["provenance"]["weights_sha256"] == own
        assert about["settings"]["rollout"]["skip_weight"] == 0.5
    toy = vizapp.load("toy", "cpu")
    run([toy], ["one"], ["rollout"], 1, tmp_path / "evaluated.csv", lambda *line: None)
    about = json.loads((tmp_path / "evaluated.csv.json").read_text())
    assert about["provenance"]["networks"] == [provenance.of_model(toy)]
    assert about["provenance"]["settings"]["methods"] == ["centre", "random", "rollout"]
    measure(toy, "one", count=1, output=tmp_path / "heads.csv")
    about = json.loads((tmp_path / "heads.csv.json").read_text())
    assert about["provenance"]["weights_sha256"] == provenance.of_model(toy)["weights_sha256"]


def test_the_hash_is_that_of_the_weights_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    net = small_vit().net
    first = provenance.weights_sha256(net)
    assert first == provenance.weights_sha256(copy.deepcopy(net))
    made: list[Any] = []
    monkeypatch.setattr(provenance, "_hash", lambda tensors: made.append(tensors) or "anew")
    assert provenance.weights_sha256(net) == first
    assert not made, "once per network"
    with torch.no_grad():
        net.blocks[0].norm1.bias[3] += 1e-6
    assert provenance.weights_sha256(net) == "anew", "and again after a change in place"
    monkeypatch.undo()
    other = copy.deepcopy(net)
    assert provenance.weights_sha256(other) != first
    assert provenance.weights_sha256(other.half()) != provenance.weights_sha256(net)
    assert provenance.weights_sha256(torch.nn.Linear(2, 2, device="meta")) == "unknown"


def test_what_was_left_out_keeps_its_origin(seen: Analysis, tmp_path: Path) -> None:
    """An analysis without its network still knows which one made it."""
    fewer = vizapp.leave_out(seen, [(0, 0)])
    vizapp.save(fewer, vizapp.explain(fewer, "rollout"), tmp_path / "map.npz")
    about = json.loads(READ[".npz"](tmp_path / "map.npz"))
    assert about["weights_sha256"] == provenance.weights_sha256(seen.context.model.net)
    nothing = replace(fewer, origin={})
    vizapp.save(nothing, vizapp.explain(nothing, "rollout"), tmp_path / "map.npz")
    assert "weights_sha256" not in json.loads(READ[".npz"](tmp_path / "map.npz")), "what is not known is not said"
