"""Figures of every format are the same file on one date."""

from pathlib import Path

import numpy as np
import pytest

import vizapp
from support.networks import small_vit
from vizapp.analysis import Analysis, provenance


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return vizapp.analyse(small_vit(), np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".eps", ".tif"])
def test_on_one_date_the_same_figure_is_the_same_file(
    seen: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """SOURCE_DATE_EPOCH, as reproducible builds set it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    relevance = vizapp.explain(seen, "rollout")
    files = [tmp_path / name / f"map{suffix}" for name in "abc"]  # PostScript holds the name of the file
    for file in files:
        file.parent.mkdir()
        vizapp.save(seen, relevance, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert provenance.today() == "2023-11-14T22:13:20+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700100000")
    vizapp.save(seen, relevance, files[2])
    assert files[0].read_bytes() != files[2].read_bytes()
